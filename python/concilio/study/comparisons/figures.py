"""Each comparison's rows as a figure."""
from .. import drawing
from ..drawing import doubling, legend_below, panels
from ..experiments import size_text
from ..results import find, select, values_of
from .tables import MEMORY, REALMS, TECHNIQUES

# Distinct in grey and to the colour-blind too.
COLOURS = {"own": "#777777", "struct": "#0072b2", "vector": "#009e73", "indexed": "#d55e00", "rmw": "#0072b2",
           "list": "#d55e00", "batch": "#009e73", "auto": "#000000", "threshold": "#cc79a7", "even": "#777777",
           "aligned": "#56b4e9", "persistent": "#009e73", "persistent aligned": "#0072b2",
           "persistent aligned, held back": "#d55e00", MEMORY[0]: "#777777",
           MEMORY[1]: "#e69f00", MEMORY[2]: "#0072b2"}
PANEL_INCHES, LEGEND_INCHES = 3.4, 1.4


def curve(axis, rows, across, direction="write", **style):
    """Median over `across`, with the range of the alternations."""
    rows = sorted((row for row in rows if direction in row), key=lambda row: row[across])
    if rows:
        drawing.curve(axis, [(row[across], *(row[direction][name] for name in ("median", "low", "high"))) for row in rows],
                      linewidth=1.3, **style)


def datatypes(rows):
    cases = list(dict.fromkeys(row["case"] for row in rows))
    figure, axes = panels(len(cases), 2, PANEL_INCHES)
    for axis, case in zip(axes, cases):
        here = select(rows, case=case)
        for form in ("struct", "vector", "indexed"):
            curve(axis, select(here, variant="concilio", form=form), "region_bytes", colour=COLOURS[form],
                  label=f"Concilio, {form}")
            curve(axis, select(here, variant="own", form=form), "region_bytes", colour=COLOURS[form],
                  linestyle=":", label=f"MPI's own, {form}")
        axis.set_yscale("log")
        doubling(axis, values_of(here, "region_bytes"))
        hosts = f"{here[0]['hosts']} hosts, " if here[0]["hosts"] > 1 else ""
        count = here[0]["aggregators"]
        axis.set_title(f"{here[0]['mpi']}, {hosts}{count} aggregator{'s' if count > 1 else ''}")
        axis.set_xlabel("bytes of a region")
        axis.set_ylabel("write, MiB/s")
    legend_below(figure, axes, LEGEND_INCHES)
    return figure


def sieving(rows):
    extents = values_of(rows, "extent_bytes")
    figure, axes = panels(len(extents), 3, PANEL_INCHES)
    for axis, extent in zip(axes, extents):
        for name in (*TECHNIQUES, "auto", "threshold"):
            curve(axis, select(rows, extent_bytes=extent, variant=name), "percent", colour=COLOURS[name],
                  label=name, linestyle="--" if name in ("auto", "threshold") else "-")
        axis.set_title(f"extent {size_text(extent)}")
        axis.set_xlabel("useful data, %")
        axis.set_ylabel("write, MiB/s")
        axis.set_ylim(bottom=0)
    legend_below(figure, axes, LEGEND_INCHES)
    return figure


def bars(axis, groups, names, labels):
    """One group a list of rows, one bar a variant."""
    written = [{row["variant"]: tuple(row["write"][name] for name in ("median", "low", "high")) for row in group}
               for group in groups]
    drawing.bars(axis, written, names, COLOURS.get, labels)
    axis.set_ylabel("write, MiB/s")


def realms(rows):
    cases = list(dict.fromkeys(row["case"] for row in rows))
    groups = [select(rows, case=case) for case in cases]
    figure, axes = panels(1, 1, 6.5, 3.2)
    bars(axes[0], groups, REALMS, [f"{group[0]['ranks']} ranks, holes: {group[0]['flush']}" for group in groups])
    legend_below(figure, axes, LEGEND_INCHES)
    return figure


def memory(rows):
    shown = [(storage, access, direction) for storage in values_of(rows, "storage")
             for access in values_of(rows, "access") for direction in ("write", "read")]
    figure, axes = panels(len(shown), 4, 3.0, 2.6)
    for axis, (storage, access, direction) in zip(axes, shown):
        for name in MEMORY:
            curve(axis, select(rows, storage=storage, access=access, variant=name), "buffer_mib", direction,
                  colour=COLOURS[name], label=name)
        doubling(axis, values_of(rows, "buffer_mib"), lambda mib: f"{mib:g}")
        axis.set_ylim(bottom=0)
        axis.set_title(f"{access}, {storage}")
        axis.set_xlabel("mean memory of a host, MiB")
        axis.set_ylabel(f"{direction}, MiB/s")
    legend_below(figure, axes, LEGEND_INCHES)
    return figure


def limits(rows):
    cases = [(storage, block) for storage in values_of(rows, "storage")
             for block in values_of(rows, "block_bytes")]
    figure, axes = panels(1, 1, 6.5, 3.2)
    groups = [select(rows, storage=storage, block_bytes=block) for storage, block in cases]
    bars(axes[0], groups, ("even", "memory-conscious"), [f"{storage},\n{size_text(block)}" for storage, block in cases])
    legend_below(figure, axes, LEGEND_INCHES)
    return figure


PLAIN_HDF5 = {"hdf5-collective": "#777777", "hdf5-independent": "#e69f00"}
PHASE_COLOURS = {"init": "#cc79a7", "open": "#e69f00", "read": "#56b4e9", "write": "#0072b2", "close": "#777777"}


def by_group_size(axis, rows):
    """As figures 4 and 5: reading and writing with groups of every size, plain HDF5 as lines across."""
    sizes = sorted(select(rows, method="scorpio"), key=lambda row: row["group_ranks"])
    for phase, mark in (("read", "o"), ("write", "s")):
        axis.plot([row["group_ranks"] for row in sizes], [row["phases"][phase] for row in sizes], color="#0072b2",
                  marker=mark, markersize=4, linestyle="-" if phase == "write" else "--", label=f"SCORPIO, {phase}")
        for method, colour in PLAIN_HDF5.items():
            row = find(rows, method=method)
            if row:
                axis.axhline(row["phases"][phase], color=colour, linestyle="-" if phase == "write" else "--",
                             linewidth=1, label=f"{method}, {phase}")
    doubling(axis, [row["group_ranks"] for row in sizes])
    axis.set_xlabel("ranks of a group")
    axis.set_ylabel("ms")
    axis.set_ylim(bottom=0)


def by_ranks(axis, rows):
    """As figure 8: all of it, by ranks."""
    for method, colour in {**PLAIN_HDF5, "scorpio:auto": "#0072b2"}.items():
        here = sorted(select(rows, method=method), key=lambda row: row["ranks"])
        axis.plot([row["ranks"] for row in here], [row["phases"]["all"] for row in here], color=colour, marker="o",
                  markersize=3, label="SCORPIO, its own groups" if method == "scorpio:auto" else method)
    doubling(axis, values_of(rows, "ranks"))
    axis.set_xlabel("ranks")
    axis.set_ylabel("all, ms")
    axis.set_ylim(bottom=0)


def where_the_time_goes(axis, rows):
    """As figure 9."""
    for place, row in enumerate(rows):
        below = 0
        for phase, colour in PHASE_COLOURS.items():
            axis.bar(place, row["phases"][phase], 0.7, bottom=below, color=colour, label=phase)
            below += row["phases"][phase]
    axis.set_xticks(range(len(rows)), [row["pattern"].replace("hdf5-", "").replace("scorpio:", "groups\n")
                                       for row in rows], rotation=0, fontsize=6)
    axis.grid(axis="x", visible=False)
    axis.set_ylabel("ms")


def scorpio(rows):
    groups = list(dict.fromkeys((row["access"], row["mpi"]) for row in rows))
    figure, axes = panels(3 * len(groups), 3, 3.6, 2.6)
    for line, (access, mpi) in enumerate(groups):
        here = select(rows, access=access, mpi=mpi)
        ranks = max(values_of(here, "ranks"))
        most = select(here, ranks=ranks)
        for axis, draw, some, title in zip(axes[3 * line:], (by_group_size, by_ranks, where_the_time_goes),
                                           (most, here, most), (f"{ranks} ranks", "1 to all", f"{ranks} ranks")):
            draw(axis, some)
            axis.set_title(f"{access}, {mpi}, {title}")
    legend_below(figure, axes, 2.1)
    return figure


ALL = {"datatypes": datatypes, "sieving": sieving, "realms": realms, "memory": memory, "limits": limits,
       "scorpio": scorpio}
