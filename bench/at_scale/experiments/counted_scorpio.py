"""SCORPIO, figures 8 and 9, at the paper's scale: opens, reads and writes of its two files by groups of ranks, as predicted."""
import frame
from concilio.study.results import select, values_of

TITLE = "Groups of ranks with one that calls, up to the paper's 144k ranks: times as predicted"

# Two datasets, of 960 x 960 x 240 and of 1920 x 1920 x 480 values: of 4 bytes, by the size of the paper's files.
FILES_MIB = {"1.7 GB": 960 * 960 * 240 * 8 / frame.MIB, "14 GB": 1920 * 1920 * 480 * 8 / frame.MIB}
RANKS = (2048, 4096, 16_384, 147_456)
GROUPS = (1, 16, 64, 256, 1024)
EACH_OPENS, ALL_CALL = "all ranks, each opens", "all ranks"
PAPERS = (1024, 16)  # the paper's groups to read and to write
MACHINE = "jaguar"


def cases(quick):
    found = []
    for name, mib in {"0.5 MiB": 0.5}.items() if quick else FILES_MIB.items():
        for ranks in [16] if quick else RANKS:
            # A root moves the data of its group in one call, of less than 2 GiB.
            sizes = [size for size in GROUPS if size <= ranks and ranks % size == 0 and mib / ranks * size < 2048]
            found += [frame.Case({"file": name, "ranks_": ranks, "who": ALL_CALL if size == 1 else f"groups of {size}"},
                                 frame.machine(MACHINE),
                                 ["contiguous", "-n", str(ranks), "--mib-per-rank", f"{mib / ranks:.12g}", "--count",
                                  "--io-groups", str(size)]) for size in sizes]
    return found


def opens_of_each(ranks):
    """Seconds of two opens in which every rank asks the server itself: what the MPIs' own MPI-IO does."""
    storage = frame.machine(MACHINE)["storage"]
    return 2 * ranks / storage["opens_per_second"]


def section(rows):
    lines = []
    for name in values_of(rows, "file"):
        of_file = select(rows, file=name)
        for ranks in values_of(of_file, "ranks_"):
            found = select(of_file, ranks_=ranks)
            plain = {**select(found, who=ALL_CALL)[0], "who": EACH_OPENS, "open_seconds": opens_of_each(ranks)}
            of_plain = sum(phases(plain))
            for row in [plain, *found, *papers_groups(found)]:
                lines.append([name, ranks, row["nodes"], row["who"], *(f"{one:.3g}" for one in phases(row)),
                              f"{sum(phases(row)):.3g}", f"{of_plain / sum(phases(row)):.2f}"])
    return "Seconds, predicted and not simulated.\n\n" + frame.table(
        ["file", "ranks", "nodes", "who calls", "open", "read", "write", "all", "times each opens"], lines)


def papers_groups(rows):
    """Reads by groups of one size and writes by those of another, of two opens half each. None where one of them is left out."""
    reads, writes = ([row for row in rows if row["who"] == f"groups of {size}"] for size in PAPERS)
    return [{**reading, "who": f"groups of {PAPERS[0]} and {PAPERS[1]}", "write": writing["write"],
             "open_seconds": (reading["open_seconds"] + writing["open_seconds"]) / 2} for reading in reads for writing in writes]


def phases(row):
    return [row["open_seconds"], row["read"]["predicted_seconds"], row["write"]["predicted_seconds"]]


def figure(_rows):
    return None
