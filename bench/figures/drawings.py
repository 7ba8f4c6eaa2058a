"""Each series' rows as a drawing, by Matplotlib. A drawing is given rows and returns a figure."""
import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot

import records
from tables import MEMORY, REALMS, TECHNIQUES, size_text

# Distinct in grey and to the colour-blind too.
COLOURS = {"own": "#777777", "struct": "#0072b2", "vector": "#009e73", "indexed": "#d55e00", "rmw": "#0072b2",
           "list": "#d55e00", "batch": "#009e73", "auto": "#000000", "threshold": "#cc79a7", "even": "#777777",
           "aligned": "#56b4e9", "persistent": "#009e73", "persistent aligned": "#0072b2",
           "persistent aligned, held back": "#d55e00", MEMORY[0]: "#777777",
           MEMORY[1]: "#e69f00", MEMORY[2]: "#0072b2", "memory-conscious": "#0072b2"}
# Fixed: two drawings of the same results are the same bytes.
plot.rcParams.update({"svg.hashsalt": "concilio", "svg.fonttype": "none", "font.size": 9, "axes.grid": True,
                      "grid.color": "#dddddd", "axes.axisbelow": True, "axes.spines.top": False,
                      "axes.spines.right": False, "legend.frameon": False})


def panels(count, columns, width=3.4, height=2.7):
    columns = min(columns, count)
    lines = -(-count // columns)
    figure, axes = plot.subplots(lines, columns, figsize=(width * columns, height * lines), squeeze=False,
                                 layout="constrained")
    flat = list(axes.flat)
    for unused in flat[count:]:
        unused.axis("off")
    return figure, flat[:count]


def curve(axis, rows, across, direction="write", **style):
    """Median over `across`, with the range of the alternations."""
    rows = sorted((row for row in rows if direction in row), key=lambda row: row[across])
    if not rows:
        return
    x = [row[across] for row in rows]
    axis.plot(x, [row[direction]["median"] for row in rows], marker="o", markersize=3, linewidth=1.3, **style)
    axis.fill_between(x, [row[direction]["low"] for row in rows], [row[direction]["high"] for row in rows],
                      color=style["color"], alpha=0.12, linewidth=0)


def doubling(axis, values, text=str):
    """Along the axis, values that double, each with its name."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(values, [text(value) for value in values])
    axis.minorticks_off()


def shared_legend(figure, axes, inches=1.4):
    found = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            found.setdefault(label, handle)
    columns = min(len(found), max(2, int(figure.get_figwidth() / inches)))
    # Room below the panels: a line of the legend takes about a fifth of an inch.
    room = (-(-len(found) // columns) * 0.2 + 0.1) / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, room, 1, 1 - room))
    figure.legend(found.values(), found.keys(), loc="lower center", ncols=columns)


def datatypes(rows):
    cases = list(dict.fromkeys(row["case"] for row in rows))
    figure, axes = panels(len(cases), 2)
    for axis, case in zip(axes, cases):
        here = records.select(rows, case=case)
        for form in ("struct", "vector", "indexed"):
            curve(axis, records.select(here, variant="concilio", form=form), "region_bytes", color=COLOURS[form],
                  label=f"Concilio, {form}")
            curve(axis, records.select(here, variant="own", form=form), "region_bytes", color=COLOURS[form],
                  linestyle=":", label=f"MPI's own, {form}")
        axis.set_yscale("log")
        doubling(axis, records.values_of(here, "region_bytes"))
        hosts = f"{here[0]['hosts']} hosts, " if here[0]["hosts"] > 1 else ""
        count = here[0]["aggregators"]
        axis.set_title(f"{here[0]['mpi']}, {hosts}{count} aggregator{'s' if count > 1 else ''}")
        axis.set_xlabel("bytes of a region")
        axis.set_ylabel("write, MiB/s")
    shared_legend(figure, axes)
    return figure


def sieving(rows):
    extents = records.values_of(rows, "extent_bytes")
    figure, axes = panels(len(extents), 3)
    for axis, extent in zip(axes, extents):
        for name in (*TECHNIQUES, "auto", "threshold"):
            curve(axis, records.select(rows, extent_bytes=extent, variant=name), "percent", color=COLOURS[name],
                  label=name, linestyle="--" if name in ("auto", "threshold") else "-")
        axis.set_title(f"extent {size_text(extent)}")
        axis.set_xlabel("useful data, %")
        axis.set_ylabel("write, MiB/s")
        axis.set_ylim(bottom=0)
    shared_legend(figure, axes)
    return figure


def bars(axis, rows, names, labels):
    """One group a list of rows, one bar a variant."""
    for place, group in enumerate(rows):
        for i, name in enumerate(names):
            row = records.find(group, variant=name)
            if not row:
                continue
            write = row["write"]
            axis.bar(place + (i - (len(names) - 1) / 2) * 0.8 / len(names), write["median"], 0.75 / len(names),
                     color=COLOURS[name], label=name if place == 0 else None,
                     yerr=[[write["median"] - write["low"]], [write["high"] - write["median"]]], ecolor="#333333")
    axis.set_xticks(range(len(rows)), labels)
    axis.grid(axis="x", visible=False)
    axis.set_ylabel("write, MiB/s")


def realms(rows):
    cases = list(dict.fromkeys(row["case"] for row in rows))
    groups = [records.select(rows, case=case) for case in cases]
    figure, axes = panels(1, 1, 6.5, 3.2)
    bars(axes[0], groups, REALMS, [f"{group[0]['ranks']} ranks, holes: {group[0]['flush']}" for group in groups])
    shared_legend(figure, axes)
    return figure


def memory(rows):
    shown = [(storage, access, direction) for storage in records.values_of(rows, "storage")
             for access in records.values_of(rows, "access") for direction in ("write", "read")]
    figure, axes = panels(len(shown), 4, 3.0, 2.6)
    for axis, (storage, access, direction) in zip(axes, shown):
        for name in MEMORY:
            curve(axis, records.select(rows, storage=storage, access=access, variant=name), "buffer_mib", direction,
                  color=COLOURS[name], label=name)
        doubling(axis, records.values_of(rows, "buffer_mib"), lambda mib: f"{mib:g}")
        axis.set_ylim(bottom=0)
        axis.set_title(f"{access}, {storage}")
        axis.set_xlabel("mean memory of a host, MiB")
        axis.set_ylabel(f"{direction}, MiB/s")
    shared_legend(figure, axes)
    return figure


def limits(rows):
    cases = [(storage, block) for storage in records.values_of(rows, "storage")
             for block in records.values_of(rows, "block_bytes")]
    figure, axes = panels(1, 1, 6.5, 3.2)
    groups = [records.select(rows, storage=storage, block_bytes=block) for storage, block in cases]
    bars(axes[0], groups, ("even", "memory-conscious"), [f"{storage},\n{size_text(block)}" for storage, block in cases])
    shared_legend(figure, axes)
    return figure


PLAIN_HDF5 = {"hdf5-collective": "#777777", "hdf5-independent": "#e69f00"}
PHASE_COLOURS = {"init": "#cc79a7", "open": "#e69f00", "read": "#56b4e9", "write": "#0072b2", "close": "#777777"}


def by_group_size(axis, rows):
    """As figures 4 and 5: reading and writing with groups of every size, plain HDF5 as lines across."""
    sizes = sorted(records.select(rows, method="scorpio"), key=lambda row: row["group_ranks"])
    for phase, mark in (("read", "o"), ("write", "s")):
        axis.plot([row["group_ranks"] for row in sizes], [row["phases"][phase] for row in sizes], color="#0072b2",
                  marker=mark, markersize=4, linestyle="-" if phase == "write" else "--", label=f"SCORPIO, {phase}")
        for method, colour in PLAIN_HDF5.items():
            row = records.find(rows, method=method)
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
        here = sorted(records.select(rows, method=method), key=lambda row: row["ranks"])
        axis.plot([row["ranks"] for row in here], [row["phases"]["all"] for row in here], color=colour, marker="o",
                  markersize=3, label="SCORPIO, its own groups" if method == "scorpio:auto" else method)
    doubling(axis, records.values_of(rows, "ranks"))
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
        here = records.select(rows, access=access, mpi=mpi)
        ranks = max(records.values_of(here, "ranks"))
        most = records.select(here, ranks=ranks)
        for axis, draw, some, title in zip(axes[3 * line:], (by_group_size, by_ranks, where_the_time_goes),
                                           (most, here, most), (f"{ranks} ranks", "1 to all", f"{ranks} ranks")):
            draw(axis, some)
            axis.set_title(f"{access}, {mpi}, {title}")
    shared_legend(figure, axes, 2.1)
    return figure


ALL = {"datatypes": datatypes, "sieving": sieving, "realms": realms, "memory": memory, "limits": limits,
       "scorpio": scorpio}
