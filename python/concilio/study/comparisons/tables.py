"""Each comparison's rows as a table, with what follows from them in sentences. `NAME` in a cell is a word of code."""
import dataclasses
import math

from ..experiments import MIB, size_text
from ..results import find, select, values_of
from .cases import HOST_LIMITS_MIB
from .rows import PHASES, ratio


@dataclasses.dataclass
class Table:
    head: list
    lines: list
    sentences: list = dataclasses.field(default_factory=list)

    def markdown(self):
        rows = [self.head, ["---"] * len(self.head), *self.lines]
        text = "\n".join("| " + " | ".join(str(cell) for cell in row) + " |" for row in rows) + "\n"
        return text + "".join(f"\n{sentence}\n" for sentence in self.sentences)


def rate(row, direction="write"):
    """MiB/s of a row, or "-" where there is none."""
    if not row or direction not in row:
        return "-"
    value = row[direction]["median"]
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def times(row, base, direction="write"):
    """A row over another, as a number of two digits after the point."""
    if not row or not base or direction not in row or direction not in base:
        return "-"
    value = ratio(row, base, direction)
    return "-" if value is None else f"{value:.2f}"


def datatypes(rows):
    lines = []
    for case in dict.fromkeys(row["case"] for row in rows):
        for size in values_of(rows, "region_bytes"):
            at = {"case": case, "region_bytes": size}
            forms = {form: find(rows, variant="concilio", form=form, **at)
                     for form in ("struct", "vector", "indexed")}
            some = select(rows, **at)
            if not some:
                continue
            own = find(rows, variant="own", form="indexed", **at)
            lines.append([some[0]["mpi"], some[0]["hosts"], some[0]["aggregators"], size,
                          rate(own), *(rate(forms[form]) for form in forms),
                          times(forms["struct"], forms["indexed"]), times(forms["struct"], own)])
    return Table(["MPI", "hosts", "aggregators", "region, bytes", "own, enumerated", "Concilio, struct", "vector",
                  "enumerated", "struct / enumerated", "struct / own"], lines)


TECHNIQUES = ("rmw", "list", "batch")


def behind(row, others):
    """By what part of the best of `others` this one is slower; 0 where it is the fastest itself."""
    best = max((other for other in others if other), key=lambda other: other["write"]["median"], default=None)
    if not row or not best:
        return None
    return max(0.0, 1 - 1 / ratio(best, row))


def crossing(rows, extent):
    """The smallest percentage from which on sieving is never slower than the best of the others; None: never."""
    found = None
    for percent in reversed(values_of(select(rows, extent_bytes=extent), "percent")):
        at = {"extent_bytes": extent, "percent": percent}
        rmw = find(rows, variant="rmw", **at)
        others = [row for name in TECHNIQUES[1:] if (row := find(rows, variant=name, **at))]
        if not rmw or not others or any(other["write"]["median"] > rmw["write"]["median"] for other in others):
            break
        found = percent
    return found


def sieving(rows):
    lines, worst = [], {}
    for extent in values_of(rows, "extent_bytes"):
        for percent in values_of(select(rows, extent_bytes=extent), "percent"):
            at = {"extent_bytes": extent, "percent": percent}
            got = {name: find(rows, variant=name, **at) for name in (*TECHNIQUES, "auto", "threshold")}
            cells = [size_text(extent), percent, *(rate(got[name]) for name in got)]
            for name in ("auto", "threshold"):
                lag = behind(got[name], [got[technique] for technique in TECHNIQUES])
                cells.append("-" if lag is None else f"{100 * lag:.0f} %")
                if lag is not None:
                    worst[name] = max(worst.get(name, (0, "")), (lag, f"{size_text(extent)}, {percent} %"))
            lines.append(cells)
    made = Table(["extent", "useful, %", "sieving (`rmw`)", "piece by piece (`list`)", "`batch`", "`auto`",
                  "threshold", "`auto` behind the best", "threshold behind the best"], lines)
    crossings = []
    for extent in values_of(rows, "extent_bytes"):
        percent = crossing(rows, extent)
        crossings.append(f"{size_text(extent)}: " + ("never" if percent is None else f"from {percent} %"))
    made.sentences.append("Sieving is the fastest, by extent: " + "; ".join(crossings) + ".")
    for name, (lag, where) in worst.items():
        made.sentences.append(f"Furthest behind the best, `{name}`: {100 * lag:.1f} % ({where}).")
    return made


REALMS = ("even", "aligned", "persistent", "persistent aligned", "persistent aligned, held back")


def realms(rows):
    lines = []
    for case in dict.fromkeys(row["case"] for row in rows):
        got = {name: find(rows, case=case, variant=name) for name in REALMS}
        some = next(row for row in got.values() if row)
        locks = [str(round(row["counters"]["locks_taken"])) if row and "counters" in row else "-" for row in got.values()]
        lines.append([some["ranks"], f"`{some['flush']}`", *(rate(row) for row in got.values()),
                      *(times(got[name], got["even"]) for name in REALMS[1:]), " / ".join(locks)])
    return Table(["ranks", "holes", "even", "aligned", "persistent", "both", "held back", "aligned / even",
                  "persistent / even", "both / even", "held back / even", "locks taken, in this order"], lines)


MEMORY = ("plain, equal memory", "plain, drawn memory", "memory-conscious")


def mean_gain(pairs):
    """Of ratios, the geometric mean, as a percentage more."""
    known = [math.log(value) for value in pairs if value]
    return f"{100 * (math.exp(sum(known) / len(known)) - 1):+.0f} %" if known else "-"


def memory(rows):
    lines, gains = [], {}
    for storage in values_of(rows, "storage"):
        for access in values_of(rows, "access"):
            for buffer in values_of(rows, "buffer_mib"):
                at = {"storage": storage, "access": access, "buffer_mib": buffer}
                plain, drawn, conscious = (find(rows, variant=name, **at) for name in MEMORY)
                if not plain:
                    continue
                cells = [storage, access, f"{buffer:g}"]
                for direction in ("write", "read"):
                    cells += [rate(one, direction) for one in (plain, drawn, conscious)]
                    cells += [times(conscious, plain, direction)]
                    if conscious and direction in conscious:
                        gains.setdefault((storage, access, direction), []).append(
                            ratio(conscious, plain, direction))
                lines.append(cells)
    made = Table(["storage", "access", "mean memory, MiB", "write: plain", "plain, drawn", "conscious", "ratio",
                  "read: plain", "plain, drawn", "conscious", "ratio"], lines)
    if gains:
        made.sentences.append("Memory-conscious over plain with equal memory, on average: " + "; ".join(
            f"{access}, {storage}, {direction} {mean_gain(values)}"
            for (storage, access, direction), values in gains.items()) + ".")
    return made


def limits(rows):
    lines = []
    for storage in values_of(rows, "storage"):
        for block in values_of(rows, "block_bytes"):
            at = {"storage": storage, "block_bytes": block}
            even = find(rows, variant="even", **at)
            for row in (even, find(rows, variant="memory-conscious", **at)):
                if row:
                    lines.append([storage, size_text(block), row["variant"], rate(row), rate(row, "read"), times(row, even),
                                  times(row, even, "read"), memory_of(row), within(row)])
    return Table(["storage", "blocks", "realms and aggregators", "write", "read", "write / even", "read / even",
                  "buffers by host, MiB", "within limits"], lines)


def memory_of(row):
    """What Concilio took at the peak: by node where its report tells that, else of the rank with most."""
    if "peak_bytes_by_node" in row:
        return ", ".join(f"{peak / MIB:.1f}" for peak in row["peak_bytes_by_node"])
    return f"at most {row['peak_bytes_per_rank'] / MIB:.1f} a rank"


def within(row):
    """Whether no host's limit was exceeded, where this can be told."""
    if "peak_bytes_by_node" not in row:
        return "not told by this build"
    over = [peak > limit * MIB for peak, limit in zip(row["peak_bytes_by_node"], HOST_LIMITS_MIB)]
    return "no" if any(over) else "yes"


def both(row, name):
    """What is told of the files read and written: "4", or "4/1"."""
    values = [str(row[file][name]) for file in ("input", "output") if name in row[file]]
    return "/".join(dict.fromkeys(values)) or "-"


def scorpio(rows):
    lines = []
    # All of it is in the drawing.
    shown = [row for row in rows if row["ranks"] >= min(4, max(row["ranks"] for row in rows))]
    for case in dict.fromkeys(row["case"] for row in shown):
        here = select(shown, case=case)
        bases = [find(here, method=name) for name in ("hdf5-collective", "hdf5-independent")]
        for row in here:
            ratios = [times(row, base, direction) if row is not base else "1" for base in bases
                      for direction in ("read", "write")]
            phases = [f"{row['phases'][phase]:.1f}" for phase in (*PHASES, "all")]
            group_bytes = max(row[file].get("group_bytes", 0) for file in ("input", "output"))
            memory_text = f"{row['peak_bytes_per_rank'] / MIB:.1f} of {group_bytes / MIB:.0f}" if group_bytes else "-"
            lines.append([row["access"], row["mpi"], row["ranks"], f"`{row['pattern']}`", both(row, "groups"),
                          both(row, "openers"), *phases, " / ".join(ratios[:2]), " / ".join(ratios[2:]), memory_text])
    return Table(["access", "MPI", "ranks", "method", "groups", "opens", *PHASES, "all",
                  "times collective, read / write", "times independent, read / write", "buffer of the group's, MiB"], lines)


ALL = {"datatypes": datatypes, "sieving": sieving, "realms": realms, "memory": memory, "limits": limits,
       "scorpio": scorpio}
