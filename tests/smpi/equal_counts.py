#!/usr/bin/python3
"""equal_counts.py CONCILIO RANKS RANKS_PER_NODE: what `concilio simulate` counts must be what a real run counts.

Patterns of the benchmark run on a simulated machine, and on Open MPI with the same storage, memory and nodes, which are made
up (concilio_ranks_per_node). For each pattern and method all counters but times must be equal, summed over the ranks and of
the rank with most, and so must peak memory. Only SMPI tells some datatypes by other constructors than they were made by, so
that their descriptions have some more bytes or fewer: where they travel, and where they are kept. Sieving is left out: when
several ranks sieve, which of them meet others' locks depends on time; and so does which calls are made apart, unless ranks
always meet (concilio_agree).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PATTERNS = ["contiguous", "interleaved:64", "interleaved:4096", "block3d", "block4d", "btio", "unstruc", "hpio:64/64",
            "hpio:8/24:struct", "hacc", "ior:16384"]
# Their datatypes are told otherwise, which these numbers show.
TOLD_OTHERWISE = {"block3d", "block4d", "btio", "unstruc", "hpio:8/24:struct"}
OF_DESCRIPTIONS = {f"{part} message_bytes_sent" for part in ("counters", "max")} | {"peak_bytes_per_rank", "peak_bytes_per_node"}
METHODS = ["two_phase", "list"]
MACHINE = {"concilio_machine": 1,
           "nodes": {"count": 64, "cores": 2, "free_memory_gib": 0.0625, "copy_gb_per_second": 10, "core_copy_gb_per_second": 5},
           "network": {"gb_per_second": 10, "latency_us": 2},
           "storage": {"device": "lustre", "targets": 2, "target_gb_per_second": 100, "request_ms": 0, "open_ms": 0,
                       "lock_ms": 0}}
THROTTLE = "device=lustre:2;bandwidth=100G;request=0;open=0;lock=0"


def run(words, **environment):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
                          env={**os.environ, **environment})
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout.decode()}")


def records(path):
    """What the library has recorded of each file, without names and times."""
    found = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        kept = {name: record[name] for name in ("ranks", "nodes", "peak_bytes_per_rank", "peak_bytes_per_node")}
        for part in ("counters", "max"):
            kept |= {f"{part} {name}": count for name, count in record[part].items() if not name.endswith("_ns")}
        found.append(kept)
    return found


def differences(concilio, ranks, per_node, method, folder):
    machine, simulated, real = (folder / f"{method}.{name}" for name in ("machine", "simulated", "real"))
    machine.write_text(json.dumps(MACHINE), encoding="utf-8")
    same = ["-n", ranks, "--mib-per-rank", "0.0625", "--repetitions", "1", "--hint", "concilio_agree=always", *PATTERNS]
    run([concilio, "simulate", "--machine", str(machine), "--prices", "builtin", "--ranks-per-node", per_node, "--method", method,
         "--report", str(simulated), *same])
    run([concilio, "bench", "--mpi", "openmpi", "--concilio", "--hint", f"concilio_method={method}", "--hint",
         f"concilio_ranks_per_node={per_node}", *same], CONCILIO_REPORT=str(real), CONCILIO_NODE_MEMORY="64M",
        CONCILIO_THROTTLE=f"{THROTTLE};state={folder}/devices", CONCILIO_PROFILE="off", TMPDIR=str(folder))
    pairs = list(zip(PATTERNS, records(simulated), records(real), strict=True))
    for pattern, one, other in pairs:
        for name, count in other.items():
            if one[name] != count and not (pattern in TOLD_OTHERWISE and name in OF_DESCRIPTIONS):
                yield f"{pattern} {method}: {name} is {one[name]} simulated, {count} on Open MPI"


def main():
    concilio, ranks, per_node = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="equal_counts.") as folder:
        found = [fault for method in METHODS for fault in differences(concilio, ranks, per_node, method, pathlib.Path(folder))]
    print("\n".join(found) or f"{len(PATTERNS)} patterns, {len(METHODS)} methods: equal")
    sys.exit(bool(found))


main()
