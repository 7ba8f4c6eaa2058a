#!/usr/bin/python3
"""counted.py CONCILIO RANKS RANKS_PER_NODE PATTERNS: what `concilio simulate --count` counts must be what runs count.

With each set of options, as many patterns are simulated and counted; which they are changes from one set to the next, and so
does the storage. All counters that are counted must be equal: messages and their bytes, rounds, requests to storage and their
bytes, and how windows reached the file.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

PATTERNS = ["contiguous", "interleaved:64", "interleaved:4096", "interleaved:1000", "extent:1024/30", "extent:8192/60",
            "hpio:64/64", "hpio:8/24", "hpio:100/9:contigmem", "hpio:512/0"]
HINTS = [*([f"concilio_realms={policy}"] for policy in ("even", "aligned", "persistent", "cyclic", "balanced", "tree")),
         ["cb_buffer_size=10000"], ["concilio_groups=off", "cb_nodes=3"], ["concilio_flush=list", "striping_unit=65536"],
         ["romio_cb_ds_threshold=50", "concilio_placement=spread"], ["concilio_ranks_per_node=3"],
         ["concilio_combine_nodes=2", "concilio_domain_bytes=8K", "cb_buffer_size=8K"],
         ["concilio_combine_nodes=3", "concilio_realms=cyclic", "romio_cb_fr_types=4096"],
         ["concilio_realms=cyclic", "romio_cb_fr_types=4096", "cb_buffer_size=20000"]]
OPTIONS = [["--method", "two_phase,list"], *(["--method", "two_phase", *(f"--hint={hint}" for hint in hints)] for hints in HINTS),
           # So little memory that buffers for writes and for reads would not fit side by side.
           *(["--method", "two_phase", "--hint=concilio_memory_limit=256K", only] for only in ("--write-only", "--read-only"))]
# GiB of memory of a node for 64 ranks altogether. With ssd the nodes' memory differs and is so little that nodes send several
# parcels, but not so little that descriptions, of which there are more where there are more ranks, find no room.
STORAGE = {"lustre": [1], "nfs": [1], "ssd": [0.002, 0.004, 0.001]}


def machine_of(device, memory, ranks):
    memory = [gib * ranks / 64 for gib in memory]
    storage = {"device": device, **({"targets": 2} if device == "lustre" else {}), "request_ms": 0, "open_ms": 0, "lock_ms": 0}
    return {"concilio_machine": 1,
            "nodes": {"count": 1024, "cores": 64, "free_memory_gib": memory, "copy_gb_per_second": 10,
                      "core_copy_gb_per_second": 5},
            "network": {"gb_per_second": 10, "latency_us": 2}, "storage": storage}


def results(concilio, folder, *words):
    output = folder / "results.json"
    done = subprocess.run([concilio, "simulate", "--json", str(output), *words], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=1200, check=False)
    if done.returncode:
        sys.exit(f"simulate {' '.join(words)}: exit status {done.returncode}\n{done.stdout.decode()}")
    return json.loads(output.read_text(encoding="utf-8"))["results"]


def differences(counted, run):
    for call in ("write", "read"):
        for part, counters in counted.get(call, {}).get("counters", {}).items():
            for name, count in counters.items():
                real = run[call]["counters"][part][name]
                # Roots call once, and tell each other by messages what they ask for, if any data go between nodes.
                told = name.startswith("message") and "io_group" in counted and 0 < count < real
                if count != real and not told:
                    yield f"{counted['pattern']} {counted['method']} {call}: {name} is {count} counted, {real} in the run"


def main():
    concilio, ranks, per_node, patterns = sys.argv[1:]
    faults, compared, messages = [], 0, 0
    with tempfile.TemporaryDirectory(prefix="counted.") as name:
        folder = pathlib.Path(name)
        for device, memory in STORAGE.items():
            (folder / device).write_text(json.dumps(machine_of(device, memory, int(ranks))), encoding="utf-8")
        all_words = []
        for i, options in enumerate(OPTIONS):
            device = list(STORAGE)[i % len(STORAGE)]
            all_words.append([device, *options, *(PATTERNS[(i + 3 * k) % len(PATTERNS)] for k in range(int(patterns)))])
        # Only the roots of groups call: several of a node, some of them, and one for several nodes.
        all_words += [[device, "--method", "auto,two_phase,list", "contiguous", "--io-groups",
                       ",".join(str(size) for size in (2, 4, 16, 32) if int(ranks) % size == 0)] for device in STORAGE]
        for device, *options in all_words:
            words = ["--machine", str(folder / device), "-n", ranks, "--ranks-per-node", per_node, "--mib-per-rank", "0.03",
                     *options]
            counted = results(concilio, folder, *words, "--count")
            for one, other in zip(counted, results(concilio, folder, *words, "--no-verify"), strict=True):
                compared += 1
                messages += sum(one[call]["counters"]["sum"]["messages_sent"] for call in ("write", "read") if call in one)
                faults += [f"{device} {' '.join(options)}: {fault}" for fault in differences(one, other)]
    print("\n".join(faults) or f"{compared} times with {messages} messages: equal")
    sys.exit(bool(faults or messages == 0))


main()
