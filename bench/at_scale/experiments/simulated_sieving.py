"""Flexible collective I/O, figure 5: windows with holes reach the file piece by piece, or by data sieving.

The file is an eighth of the paper's, as a request of its size is simulated for each of its pieces.
"""
import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "Piece by piece against sieving beneath two-phase, by extent"

RANKS = 64
FLUSHES = {"rmw": "#e69f00", "list": "#56b4e9", "auto": "#0072b2"}


def cases(quick):
    extents, percents = ([1, 16], [25]) if quick else ([1, 4, 8, 16, 64], [3, 25, 50, 100])
    ranks, mib = (8, 0.25) if quick else (RANKS, 2)
    return [frame.Case({"extent_kib": extent, "flush": flush}, frame.machine("vplant"),
                       [*(f"extent:{extent}K/{percent}" for percent in percents), "-n", str(ranks), "--mib-per-rank", f"{mib:g}",
                        "--method", "two_phase", "--write-only", "--no-verify"], {"concilio_flush": flush})
            for extent in extents for flush in FLUSHES]


def percent_of(row):
    return int(row["pattern"].split("/")[1])


def seconds(rows, percent, **labels):
    return next(row["write"]["seconds"] for row in select(rows, **labels) if percent_of(row) == percent)


def percents(rows):
    return sorted({percent_of(row) for row in rows})


def section(rows):
    lines = []
    for extent in values_of(rows, "extent_kib"):
        for percent in percents(rows):
            found = {flush: seconds(rows, percent, extent_kib=extent, flush=flush) for flush in FLUSHES}
            faster = "sieving" if found["rmw"] < found["list"] else "piece by piece"
            if abs(found["rmw"] / found["list"] - 1) < 0.02:
                faster = "equal"
            lines.append([extent, percent, *(f"{found[flush]:.2f}" for flush in FLUSHES), faster])
    return f"Seconds of a simulated write, {rows[0]['ranks']} ranks on {rows[0]['nodes']} nodes.\n\n" + frame.table(
        ["extent, KiB", "useful, %", "sieving", "piece by piece", "auto", "faster"], lines)


def figure(rows):
    shown = values_of(rows, "extent_kib")
    made, axes = drawing.panels(len(shown), 3, 3.2, 2.4)
    for axis, extent in zip(axes, shown):
        for flush, colour in FLUSHES.items():
            points = [(percent, *[seconds(rows, percent, extent_kib=extent, flush=flush)] * 3) for percent in percents(rows)]
            drawing.curve(axis, points, colour, label={"rmw": "sieving", "list": "piece by piece"}.get(flush, flush))
        axis.set_yscale("log")
        axis.set_title(f"extent {extent} KiB")
        axis.set_xlabel("useful part of the extent, %")
        axis.set_ylabel("simulated seconds")
    drawing.legend_below(made, axes)
    return made
