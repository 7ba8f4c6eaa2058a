"""SCORPIO, figures 4, 5, 8 and 9: two vectors in groups of ranks, each of which has one that opens and calls."""
import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "Groups of ranks with one that calls, by their size"

# An eighth of the paper's smaller file of 1.7 GB, since all bytes are in this machine's memory, twice.
TOTAL_MIB = 204
GROUPS = (1, 4, 16, 64, 256, 1024)
MOST_RANKS = 4096  # of which only groups of some sizes are simulated, as each takes 5 GB and four minutes
GROUPS_OF_MOST = (64, 256, 1024)
ALL_CALL = "all ranks"


def cases(quick):
    found = []
    for ranks in [16] if quick else [512, 1024, 2048, MOST_RANKS]:
        total = 0.5 if quick else TOTAL_MIB
        words = ["contiguous", "-n", str(ranks), "--mib-per-rank", f"{total / ranks:g}", "--no-verify", "--io-groups"]
        sizes = GROUPS_OF_MOST if ranks == MOST_RANKS else [*(size for size in GROUPS if size < ranks), ranks]
        found += [frame.Case({"ranks_": ranks, "who": ALL_CALL if size == 1 else f"groups of {size}"}, frame.machine("jaguar"),
                             [*words, str(size)]) for size in sizes]
    return found


PHASES = {"init": "#cc79a7", "open": "#e69f00", "read": "#56b4e9", "write": "#0072b2", "close": "#777777"}


def seconds(row):
    return {phase: row[phase]["seconds"] if phase in ("read", "write") else row[f"{phase}_seconds"] for phase in PHASES}


def section(rows):
    lines = []
    for ranks in values_of(rows, "ranks_"):
        plain = [sum(seconds(row).values()) for row in select(rows, ranks_=ranks, who=ALL_CALL)]
        for row in select(rows, ranks_=ranks):
            found = seconds(row)
            total = sum(found.values())
            lines.append([ranks, row["nodes"], row["who"], *(f"{1e3 * one:.1f}" for one in found.values()), f"{1e3 * total:.1f}",
                          f"{plain[0] / total:.2f}" if plain else ""])
    return "Simulated milliseconds.\n\n" + frame.table(
        ["ranks", "nodes", "who calls", *PHASES, "all", "times all ranks"], lines)


def figure(rows):
    shown = values_of(rows, "ranks_")
    made, axes = drawing.panels(len(shown), 3, 3.6, 3.0)
    for axis, ranks in zip(axes, shown):
        of_ranks = select(rows, ranks_=ranks)
        bottom = [0.0] * len(of_ranks)
        for phase, colour in PHASES.items():
            heights = [seconds(row)[phase] for row in of_ranks]
            axis.bar(range(len(of_ranks)), heights, 0.7, bottom=bottom, color=colour, label=phase)
            bottom = [a + b for a, b in zip(bottom, heights)]
        names = [row["who"].replace("groups of ", "") for row in of_ranks]
        axis.set_xticks(range(len(of_ranks)), names, rotation=60, fontsize=7)
        axis.set_title(f"{ranks} ranks")
        axis.set_ylabel("simulated seconds")
    drawing.legend_below(made, axes)
    return made
