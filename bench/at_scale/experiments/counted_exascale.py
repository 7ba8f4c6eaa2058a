"""Memory-conscious collective I/O, table 1: plans and predicted times for its machines of 2010 and of exascale."""
import frame
from experiments.simulated_memory import COMMON, CONSCIOUS, DRAWN, EQUAL, MEMORY_OF_A_BUFFER, PLAIN, drawn_buffers_mib

TITLE = "The machines of table 1: plans, and their times as predicted"
LIST = "one request a piece"
# name -> nodes and ranks a node, of the shipped machine; and what is compared there. In plain two-phase I/O among a million
# nodes, no aggregator has the memory to know what all ask for, so messages say it, and these are not counted.
MACHINES = {"petascale": (20_000, 12, (EQUAL, DRAWN, CONSCIOUS, LIST)), "exascale": (1_000_000, 1000, (CONSCIOUS, LIST))}
QUICK = {"petascale": (200, 12, (EQUAL, CONSCIOUS))}
BUFFER_MIB = 16
DIFFERENT_NODES = 100  # whose memory is drawn; the others repeat it
PATTERN, MIB_PER_RANK = "interleaved:65536", 1


def cases(quick):
    found = []
    for name, (nodes, per_node, compared) in (QUICK if quick else MACHINES).items():
        drawn = drawn_buffers_mib(BUFFER_MIB, DIFFERENT_NODES, f"{BUFFER_MIB}/0")
        variants = {EQUAL: ([BUFFER_MIB], {**PLAIN, "cb_buffer_size": f"{BUFFER_MIB}M"}), DRAWN: (drawn, PLAIN),
                    CONSCIOUS: (drawn, COMMON), LIST: (drawn, {"concilio_method": "list"})}
        for variant in compared:
            buffers_mib, hints = variants[variant]
            memory_gib = [round(one * MEMORY_OF_A_BUFFER / 1024, 6) for one in buffers_mib]
            found.append(frame.Case({"machine": name, "variant": variant},
                                    frame.machine(name, nodes={"free_memory_gib": memory_gib}),
                                    [PATTERN, "--count", "--nodes", str(nodes), "--ranks-per-node", str(per_node),
                                     "--mib-per-rank", str(MIB_PER_RANK), "--method", hints["concilio_method"]], hints))
    return found


def section(rows):
    lines = []
    for row in rows:
        cells = [row["machine"], f"{row['nodes']} x {row['ranks'] // row['nodes']}", row["variant"]]
        for call in ("write", "read"):
            counted = row[call]
            cells += [f"{counted['predicted_seconds']:.3g}",
                      f"{row['bytes'] / counted['predicted_seconds'] / 1e12:.3g}"]
        write = row["write"]
        lines.append([*cells, f"{write['messages_sent'] / row['nodes']:.1f}", write["rounds"],
                      f"{write['storage_writes']:.3g}"])
    head = ["machine", "nodes x ranks", "method", "write: s", "TB/s", "read: s", "TB/s", "messages a node", "rounds",
            "requests to storage"]
    return "Predicted times, not simulated.\n\n" + frame.table(head, lines)


def figure(_rows):
    return None
