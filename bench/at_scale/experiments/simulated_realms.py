"""Flexible collective I/O, figures 6 and 7: one call a time step, by realms that are persistent, aligned, both or neither."""
import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "Persistent and aligned realms where stripes have locks, one call a time step"

POINTS, STEPS, POINT_BYTES = 2048, 32, 100 * 32  # the paper's; the bytes are those of a point in one step
UNALIGNED, ALIGNED = {"romio_cb_fr_alignment": "4096"}, {"romio_cb_fr_alignment": "2M"}
KEPT = {"romio_cb_pfr": "enable"}
VARIANTS = {"neither": {"concilio_realms": "even", **UNALIGNED},
            "aligned": {"concilio_realms": "aligned", **ALIGNED},
            "persistent": {**KEPT, **UNALIGNED},
            "both": {**KEPT, **ALIGNED}}
COLOURS = {"neither": "#777777", "aligned": "#56b4e9", "persistent": "#e69f00", "both": "#0072b2"}
FLUSHES = {"rmw": "sieving", "list": "piece by piece"}
CLIENTS, CLIENTS_QUICK = {"list": [16], "rmw": [16, 32, 64]}, {"rmw": [4], "list": [4]}


def cases(quick):
    points, steps, clients = (64, 2, CLIENTS_QUICK) if quick else (POINTS, STEPS, CLIENTS)
    return [frame.Case({"clients": ranks, "flush": flush, "realms": name}, frame.machine("vplant"),
                       [f"timesteps:{steps}", "-n", str(ranks),
                        "--mib-per-rank", f"{points * POINT_BYTES / ranks / frame.MIB:.8f}",
                        "--method", "two_phase", "--write-only", "--no-verify"],
                       {"cb_nodes": ranks // 2, "concilio_flush": flush, **hints})
            for flush, all_of in clients.items() for ranks in all_of for name, hints in VARIANTS.items()]


def rate(rows, **labels):
    found = select(rows, **labels)
    return found[0]["write"]["mib_per_second"] if found else None


def section(rows):
    lines = []
    for flush, words in FLUSHES.items():
        for clients in values_of(rows, "clients"):
            at = {"clients": clients, "flush": flush}
            found = {name: rate(rows, realms=name, **at) for name in VARIANTS}
            if None in found.values():  # these clients were not simulated with this flush
                continue
            best = max(found, key=found.get)
            lines.append([words, clients, select(rows, **at)[0]["nodes"], *(f"{one:.1f}" for one in found.values()),
                          f"{found['both'] / found['neither']:.2f}", best])
    return "Writing, simulated MiB/s.\n\n" + frame.table(
        ["holes", "clients", "nodes", *VARIANTS, "both / neither", "best"], lines)


def figure(rows):
    made, axes = drawing.panels(len(FLUSHES), 2, 4.2, 2.8)
    for axis, (flush, words) in zip(axes, FLUSHES.items()):
        groups = [{row["realms"]: (row["write"]["mib_per_second"],) * 3 for row in select(rows, flush=flush, clients=clients)}
                  for clients in values_of(rows, "clients")]
        drawing.bars(axis, groups, list(VARIANTS), COLOURS.get, [str(clients) for clients in values_of(rows, "clients")])
        axis.set_title(f"holes: {words}")
        axis.set_xlabel("clients, half of which aggregate")
        axis.set_ylabel("simulated MiB/s")
    drawing.legend_below(made, axes)
    return made
