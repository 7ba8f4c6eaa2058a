"""Flexible collective I/O, figure 4: HPIO, with the access described shortly or region by region."""
import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "Short and long descriptions of the same access (HPIO, 4096 regions a client)"

RANKS, REGIONS = 64, 4096
FORMS = {"struct": "#0072b2", "vector": "#56b4e9", "indexed": "#e69f00"}


def cases(quick):
    sizes, aggregators = ([8, 64], [2]) if quick else ([8, 64, 512, 4096], [8, 16, 32])
    regions, ranks = (64, 8) if quick else (REGIONS, RANKS)
    return [frame.Case({"aggregators": count, "region": size}, frame.machine("vplant"),
                       [*(f"hpio:{size}/128:{form}:{regions}" for form in FORMS), "-n", str(ranks), "--method", "two_phase",
                        "--write-only", "--no-verify"], {"cb_nodes": count})
            for count in aggregators for size in sizes]


def form_of(row):
    return row["pattern"].split(":")[2]


def rate(rows, form, **labels):
    return next(row["write"]["mib_per_second"] for row in select(rows, **labels) if form_of(row) == form)


def section(rows):
    lines = []
    for aggregators in values_of(rows, "aggregators"):
        for region in values_of(rows, "region"):
            at = {"aggregators": aggregators, "region": region}
            found = [rate(rows, form, **at) for form in FORMS]
            lines.append([aggregators, region, *(f"{one:.1f}" for one in found), f"{found[0] / found[2]:.2f}",
                          select(rows, **at)[0]["write"]["rounds"]])
    return f"Writing, simulated MiB/s, {rows[0]['ranks']} ranks on {rows[0]['nodes']} nodes.\n\n" + frame.table(
        ["aggregators", "region, bytes", *FORMS, "struct / indexed", "rounds"], lines)


def figure(rows):
    shown = values_of(rows, "aggregators")
    made, axes = drawing.panels(len(shown), 3, 3.2, 2.6)
    for axis, aggregators in zip(axes, shown):
        for form, colour in FORMS.items():
            points = [(region, *[rate(rows, form, aggregators=aggregators, region=region)] * 3)
                      for region in values_of(rows, "region")]
            drawing.curve(axis, points, colour, label=form)
        drawing.doubling(axis, values_of(rows, "region"))
        axis.set_ylim(bottom=0)
        axis.set_title(f"{aggregators} aggregators")
        axis.set_xlabel("region, bytes")
        axis.set_ylabel("simulated MiB/s")
    drawing.legend_below(made, axes)
    return made
