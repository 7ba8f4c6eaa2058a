"""ROMIO, tables 1 to 6: Unix-style requests, data sieving and collective I/O, on the paper's machines and processors."""
import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "Unix-style requests, data sieving and collective I/O on ROMIO's five machines"

# The paper's MB/s by machine: reading, then writing, each Unix-style, by data sieving and collective.
PAPER = {
    "DIST3D": {"exemplar": ((5.42, 14.2, 68.2), (0.54, 1.25, 50.7)), "sp": ((2.13, 11.9, 90.2), (1.85, None, 57.6)),
               "paragon": ((3.01, 9.50, 132), (1.12, 3.33, 183)), "sx4": ((0.71, 322, 563), (0.62, 75.3, 447)),
               "origin": ((14.0, 118, 175), (5.06, 13.1, 66.7))},
    "BTIO": {"exemplar": ((6.35, 5.84, 44.2), (0.86, 0.50, 29.7)), "sp": ((2.73, 1.66, 80.6), (2.21, None, 38.6)),
             "paragon": ((2.28, 1.23, 82.0), (1.37, 0.45, 98.8)), "sx4": ((1.26, 116, 645), (0.99, 29.9, 591)),
             "origin": ((12.1, 37.0, 107), (7.93, 2.90, 67.2))},
    "UNSTRUC": {"exemplar": ((None, 3.15, 35.0), (None, 0.18, 22.1)), "sp": ((None, 1.63, 73.3), (None, None, 37.8)),
                "paragon": ((None, 1.18, 78.4), (None, 0.22, 94.9)), "sx4": ((None, 152, 101), (None, 16.8, 81.5)),
                "origin": ((None, 30.0, 80.8), (None, 1.33, 59.2))},
}
PROCESSORS = {"exemplar": 64, "sp": 64, "paragon": 256, "sx4": 8, "origin": 32}
PROCESSORS_OF_BTIO = {**PROCESSORS, "sx4": 9, "origin": 36}
NAMES = {"exemplar": "HP Exemplar", "sp": "IBM SP", "paragon": "Intel Paragon", "sx4": "NEC SX-4", "origin": "SGI Origin2000"}
# The buffers are ROMIO's, if it is not told others.
WAYS = (("Unix-style", ["--independent", "--method", "list"], {"concilio_flush": "list"}),
        ("data sieving", ["--independent", "--method", "sieve"],
         {"ind_rd_buffer_size": "4M", "ind_wr_buffer_size": "512K", "concilio_flush": "rmw", "romio_ds_read": "enable",
          "romio_ds_write": "enable"}),
        ("collective", ["--method", "two_phase"], {}))
WAY_NAMES = [way[0] for way in WAYS]
CLASS_C_BYTES, POINT_BYTES = 162 ** 3 * 40, 64
# An eighth of the paper's points.
POINTS = 1_000_000
# Sieving moves the whole file once for each rank. So it has an eighth of BTIO's cube and of these points, as all else has of the
# cube with many ranks, for which sieving and irregular maps take too long.
SMALLER, MANY = 8, 100
# Of DIST3D's array, Unix-style requests and sieving move a quarter, whose rows have as many bytes.
WHOLE, QUARTER = "block3d:512/4", "block3d:256/8"
QUICK = {"DIST3D": "block3d:16/4", "BTIO": "btio", "UNSTRUC": "unstruc:64"}


def words_of(application, computer, way, quick):
    """The pattern, and how many ranks move how much."""
    ranks = (PROCESSORS_OF_BTIO if application == "BTIO" else PROCESSORS)[computer]
    if quick:
        return [QUICK[application], "-n", str(min(ranks, 9 if application == "BTIO" else 8)), "--mib-per-rank", "0.01"]
    total = {"DIST3D": 512 ** 3 * 4, "BTIO": CLASS_C_BYTES, "UNSTRUC": POINTS * POINT_BYTES}[application]
    if application != "DIST3D" and (way == "data sieving" or ranks > MANY):
        total /= SMALLER
    pattern = {"DIST3D": WHOLE if way == "collective" else QUARTER, "BTIO": "btio", "UNSTRUC": "unstruc:64"}[application]
    return [pattern, "-n", str(ranks), "--mib-per-rank", f"{total / ranks / frame.MIB:.6f}"]


def cases(quick):
    found = []
    for application, by_computer in PAPER.items():
        for computer in list(by_computer)[:2] if quick else by_computer:
            at = {"application": application, "machine": computer}
            many = PROCESSORS[computer] > MANY
            if many and application == "UNSTRUC":
                continue
            described = frame.machine(f"romio-{computer}")
            for way, options, hints in WAYS:
                # The paper has no Unix-style requests of UNSTRUC. They are many, so reading and writing are cases of their own.
                if (way == "Unix-style" and application == "UNSTRUC") or (way == "data sieving" and many):
                    continue
                for only in (["--read-only"], ["--write-only"]) if way == "Unix-style" else ([],):
                    words = [*words_of(application, computer, way, quick), "--no-verify", *options, *only]
                    found.append(frame.Case({**at, "way": way, **({"only": only[0]} if only else {})}, described, words, hints))
    # Those that take long come last.
    return sorted(found, key=lambda case: ("collective", "Unix-style", "data sieving").index(case.labels["way"]))


def ours_of(rows, application, computer, call):
    """MiB/s in the paper's three ways; None for what is not there."""
    of_machine = [row for row in select(rows, application=application, machine=computer) if call in row]
    found = [select(of_machine, way=way) for way in WAY_NAMES]
    return [one[0][call]["mib_per_second"] if one else None for one in found]


def three(rate):
    return "-" if rate is None else f"{rate:.3g}" if rate < 100 else f"{rate:.0f}"


def gain(rates):
    """Of collective I/O over data sieving."""
    return f"{rates[2] / rates[1]:.1f}" if rates[1] and rates[2] else "-"


def section(rows):
    text = ""
    for number, (application, call) in enumerate(((one, call) for one in PAPER for call in ("read", "write")), 1):
        lines = []
        for computer in values_of(select(rows, application=application), "machine"):
            paper = PAPER[application][computer][call == "write"]
            ours = ours_of(rows, application, computer, call)
            ranks = select(rows, application=application, machine=computer)[0]["ranks"]
            lines.append([NAMES[computer], ranks, *(f"{three(a)} / {three(b)}" for a, b in zip(paper, ours)),
                          f"{gain(paper)} / {gain(ours)}"])
        text += f"Table {number}, {application}, {call}; the paper's MB/s / simulated MiB/s.\n\n"
        text += frame.table(["machine", "processors", *WAY_NAMES, "collective : sieving"], lines) + "\n"
    return text


def figure(rows):
    """A point for each number of the paper's that has one of ours."""
    made, axes = drawing.panels(2, 2, 4.2, 3.4)
    for axis, call in zip(axes, ("read", "write")):
        for way, name, colour in zip(range(3), WAY_NAMES, ("#777777", "#e69f00", "#0072b2")):
            pairs = [(PAPER[application][computer][call == "write"][way], ours_of(rows, application, computer, call)[way])
                     for application in PAPER for computer in PAPER[application]]
            pairs = [(paper, ours) for paper, ours in pairs if paper and ours]
            if pairs:
                axis.plot(*zip(*pairs), "o", color=colour, markersize=4, label=name)
        axis.plot([0.1, 1000], [0.1, 1000], color="#bbbbbb", linewidth=1)
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_title(call)
        axis.set_xlabel("the paper's MB/s")
        axis.set_ylabel("simulated MiB/s")
    drawing.legend_below(made, axes)
    return made
