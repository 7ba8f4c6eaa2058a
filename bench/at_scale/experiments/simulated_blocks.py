"""MPICH's issue 7935: 4-D blocks by two-phase I/O as ROMIO does it, by the application's own exchange, and by Concilio."""
import frame
from concilio.study import drawing
from concilio.study.results import select, values_of

TITLE = "4-D blocks: two-phase I/O as ROMIO does it, the application's own exchange, and Concilio"

RANKS_OF_NODE = 8
# All bytes are in this machine's memory, several times.
NODES = {2: (1, 2, 4, 8, 16, 32, 64, 128), 8: (1, 2, 4, 8, 16)}
ROMIO, EXCHANGE, CONCILIO = "two-phase as ROMIO", "application's exchange", "Concilio"
METHODS = {ROMIO: "two_phase", EXCHANGE: "rows", CONCILIO: "auto"}
COLOURS = {ROMIO: "#777777", EXCHANGE: "#e69f00", CONCILIO: "#0072b2"}


def hints_of_romio(nodes):
    """An aggregator a node, equal parts of the file, and a collective buffer of 16 MiB, with memory for all that goes with it.

    Each of its windows is exchanged and moved in turn.
    """
    return {"cb_nodes": nodes, "cb_config_list": "*:1", "cb_buffer_size": "16M", "concilio_realms": "even",
            "concilio_groups": "off", "concilio_memory_limit": "256M", "concilio_pipelining": "off"}


def cases(quick):
    found = []
    for mib, all_nodes in ({0.03: (1, 2)} if quick else NODES).items():
        for nodes in all_nodes:
            words = ["block4d", "--nodes", str(nodes), "--ranks-per-node", str(RANKS_OF_NODE), "--mib-per-rank", f"{mib:g}"]
            for way, method in METHODS.items():
                found.append(frame.Case({"mib": mib, "nodes_": nodes, "way": way}, frame.machine("cluster"),
                                        [*words, "--method", method], hints_of_romio(nodes) if way == ROMIO else {}))
    return sorted(found, key=lambda case: case.labels["nodes_"] * case.labels["mib"])


def rate(rows, way, call):
    """In GB/s, as the issue tells it; None if it was not simulated."""
    found = select(rows, way=way)
    return found[0][call]["mib_per_second"] * frame.MIB / 1e9 if found else None


def section(rows):
    lines = []
    for mib in values_of(rows, "mib"):
        for nodes in values_of(select(rows, mib=mib), "nodes_"):
            of_case = select(rows, mib=mib, nodes_=nodes)
            line = [f"{mib:g}", nodes, of_case[0]["ranks"]]
            for call in ("write", "read"):
                rates = [rate(of_case, way, call) for way in COLOURS]
                line += ["-" if one is None else f"{one:.1f}" for one in rates]
                line.append(f"{rates[2] / rates[1]:.2f}" if rates[1] and rates[2] else "-")
            lines.append(line)
    names = [name for call in ("write", "read") for name in (f"{call}: {ROMIO}", EXCHANGE, CONCILIO, "Concilio / exchange")]
    return "Simulated GB/s.\n\n" + frame.table(["MiB a rank", "nodes", "ranks", *names], lines)


def figure(rows):
    mib = values_of(rows, "mib")[0]
    nodes = values_of(select(rows, mib=mib), "nodes_")
    made, axes = drawing.panels(2, 2, 4.2, 3.0)
    for axis, call in zip(axes, ("write", "read")):
        for way, colour in COLOURS.items():
            points = [(count, rate(select(rows, mib=mib, nodes_=count), way, call)) for count in nodes]
            drawing.curve(axis, [(count, *[one] * 3) for count, one in points if one], colour, label=way)
        drawing.doubling(axis, nodes)
        axis.set_ylim(bottom=0)
        axis.set_title(f"{call}, {mib:g} MiB a rank")
        axis.set_xlabel("nodes")
        axis.set_ylabel("simulated GB/s")
    drawing.legend_below(made, axes)
    return made
