"""Memory-conscious collective I/O, figures 6 to 8: plain two-phase I/O with equal buffers, beside memory drawn at random."""
import dataclasses
import math
import random
from statistics import median

import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "Memory-conscious against plain two-phase, memory of nodes drawn at random"


@dataclasses.dataclass(frozen=True)
class Work:
    """A figure of the paper. `mib_per_rank` is less than the paper's data; buffers, nodes and ranks are the paper's."""
    figure: int
    name: str
    pattern: str
    ranks: int
    mib_per_rank: float
    gains: str  # what the paper says of writing and reading, on average
    buffers_mib: tuple = (2, 4, 8, 16, 32, 64, 128)


WORKS = (Work(6, "coll_perf, 120", "block3d", 120, 8, "+34 % / +23 %"),
         Work(7, "IOR, 120", "interleaved:65536", 120, 8, "+81 % / +82 %"),
         Work(8, "IOR, 1080", "interleaved:65536", 1080, 2, "+24 % / +58 %", (2, 8, 32, 128)))
QUICK = (Work(6, "coll_perf, 24", "block3d", 24, 0.25, "-", (2, 4)),)
DRAWS = 1
DEVIATION_MIB = 50
RANKS_PER_NODE = 12
# Concilio leaves half of a node's free memory alone, and the buffers of an aggregator take five windows and
# some more. So a node with this many times the memory of a buffer has windows of the buffer's size.
MEMORY_OF_A_BUFFER = 12

EQUAL, PIPELINED, DRAWN, CONSCIOUS = "plain, equal buffers", "plain, pipelined", "plain, drawn memory", "memory-conscious"
COLOURS = {EQUAL: "#777777", PIPELINED: "#56b4e9", DRAWN: "#e69f00", CONSCIOUS: "#0072b2"}
COMMON = {"concilio_method": "two_phase", "concilio_memory_limit": "1G"}
# As the paper's two-phase I/O, it exchanges a window and moves it in turn.
PLAIN = {**COMMON, "concilio_groups": "off", "concilio_placement": "first", "concilio_realms": "even", "cb_config_list": "*:1",
         "concilio_pipelining": "off"}


def drawn_buffers_mib(mean, nodes, seed):
    """Of each node, normally distributed, with exactly this mean.

    The deviation is larger than most means. What is drawn below an eighth of the mean counts as that; then all are
    scaled, so that the nodes together have what they have in the runs with equal buffers.
    """
    numbers = random.Random(seed)
    drawn = [max(numbers.gauss(mean, DEVIATION_MIB), mean / 8) for _ in range(nodes)]
    return [one * mean * nodes / sum(drawn) for one in drawn]


def case_of(work, buffer_mib, variant, draw, buffers_mib, hints):
    memory_gib = [round(one * MEMORY_OF_A_BUFFER / 1024, 6) for one in buffers_mib]
    return frame.Case({"work": work.name, "buffer_mib": buffer_mib, "variant": variant, "draw": draw},
                      frame.machine("memory-conscious", nodes={"free_memory_gib": memory_gib}),
                      [work.pattern, "-n", str(work.ranks), "--mib-per-rank", f"{work.mib_per_rank:g}", "--method", "two_phase",
                       "--no-verify"], hints)


def cases(quick):
    found = []
    for work in QUICK if quick else WORKS:
        nodes = work.ranks // RANKS_PER_NODE
        for buffer_mib in work.buffers_mib:
            equal = {**PLAIN, "cb_buffer_size": f"{buffer_mib}M"}
            found.append(case_of(work, buffer_mib, EQUAL, 0, [buffer_mib], equal))
            found.append(case_of(work, buffer_mib, PIPELINED, 0, [buffer_mib], {**equal, "concilio_pipelining": "auto"}))
            for draw in range(DRAWS):
                drawn = drawn_buffers_mib(buffer_mib, nodes, f"{buffer_mib}/{draw}")
                found.append(case_of(work, buffer_mib, DRAWN, draw, drawn, PLAIN))
                found.append(case_of(work, buffer_mib, CONSCIOUS, draw, drawn, COMMON))
    return found


def rates(rows, call, **labels):
    return sorted(row[call]["mib_per_second"] for row in select(rows, **labels))


def gain_text(ratios):
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    return f"{100 * (mean - 1):+.0f} %"


def on_average(ratios):
    return (f"on average {' / '.join(map(gain_text, ratios.values()))} writing / reading, "
            f"at worst {' / '.join(f'{min(each):.2f}' for each in ratios.values())}")


def section(rows):
    lines, sentences = [], []
    for work in values_of(rows, "work"):
        gains = {"write": [], "read": []}
        over_pipelined = {"write": [], "read": []}
        for buffer in values_of(select(rows, work=work), "buffer_mib"):
            at = {"work": work, "buffer_mib": buffer}
            cells = [work, buffer]
            for call in gains:
                found = {variant: rates(rows, call, variant=variant, **at) for variant in COLOURS}
                gain = median(found[CONSCIOUS]) / median(found[EQUAL])
                gains[call].append(gain)
                if found[PIPELINED]:
                    over_pipelined[call].append(median(found[CONSCIOUS]) / median(found[PIPELINED]))
                cells += [*(f"{median(one):.0f}" if one else "-" for one in found.values()), f"{gain:.2f}"]
            lines.append(cells)
        paper = next((one.gains for one in WORKS if one.name == work), "-")
        sentence = f"{work} ranks: memory-conscious over plain with equal buffers {on_average(gains)} (the paper: {paper})"
        if over_pipelined["write"]:
            sentence += f"; over plain with pipelining {on_average(over_pipelined)}"
        sentences.append(f"{sentence}.")
    head = ["benchmark, ranks", "buffer, MiB"]
    for call in ("write", "read"):
        head += [f"{call}: plain", "plain, pipelined", "plain, drawn", "conscious", "ratio"]
    return frame.table(head, lines) + "".join(f"\n{sentence}\n" for sentence in sentences)


def figure(rows):
    shown = [(work, call) for work in values_of(rows, "work") for call in ("write", "read")]
    made, axes = drawing.panels(len(shown), 2, 3.6, 2.4)
    for axis, (work, call) in zip(axes, shown):
        for variant, colour in COLOURS.items():
            points = []
            for buffer in values_of(rows, "buffer_mib"):
                found = rates(rows, call, work=work, buffer_mib=buffer, variant=variant)
                if found:
                    points.append((buffer, median(found), found[0], found[-1]))
            if points:
                drawing.curve(axis, points, colour, label=variant)
        drawing.doubling(axis, values_of(rows, "buffer_mib"))
        axis.set_ylim(bottom=0)
        axis.set_title(f"{work} ranks, {call}")
        axis.set_xlabel("mean buffer, MiB")
        axis.set_ylabel("simulated MiB/s")
    drawing.legend_below(made, axes)
    return made
