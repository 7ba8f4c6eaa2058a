#!/bin/bash
# The pages of large runs are small enough to be sent and opened: 4096 ranks, and 10 000 files. Argument: CONCILIO.
concilio=$1
. "$(dirname "$0")/../common.sh"
# The records of such runs, as rank 0 appends them: every number that a record can have is there.
python3 - <<'PYTHON' || fail 'no records'
import json, random
random.seed(4096)
MOVED = ("asked_read", "asked_written", "stored_read", "stored_written")
TIMES = ("call_us", "exchange_us", "storage_us", *MOVED)
CALLS = ("collective_reads", "collective_writes", "plans_made", "plans_reused", "meetings", "rounds", "storage_opens", "storage_reads",
         "storage_writes", "windows_whole", "windows_rmw", "messages_sent", "locks_taken", "method_two_phase", "method_list")
AMOUNTS = ("bytes_read", "bytes_written", "storage_bytes_read", "storage_bytes_written", "message_bytes_sent", "plan_ns",
           "exchange_ns", "copy_ns", "storage_ns", "call_ns")


def counts():
    return {name: random.randrange(10 ** 5, 10 ** 6) for name in CALLS} | {name: random.randrange(10 ** 10, 10 ** 11) for name in AMOUNTS}


def table(names, rows, bins):
    return {name: [number for cell in range(rows * bins) for number in (cell, random.randrange(10 ** 9))] for name in names}


def activity(rows, bins, ranks):
    powers = {name: [number for power in range(40) for number in (power, random.randrange(10 ** 6))] for name in MOVED}
    return {"ranks_a_row": -(-ranks // rows), "rows": rows,
            "time": {"bin_ns": 1 << 30, "first": 3, "bins": bins, **table(TIMES, rows, bins)},
            "offsets": {"bin_bytes": 1 << 30, "first": 0, "bins": bins, **table(MOVED, rows, bins)},
            "lengths": powers, "alignments": powers,
            "waited_least": [{"rank": rank, "waited_seconds": 0.125, "own_seconds": 2.5} for rank in range(4)]}


def record(name, ranks, its_activity):
    candidates = [{"method": method, "legal": True, "chosen": method == "two_phase", "predicted_seconds": random.random(),
                   "calls": 8, "measured_seconds": random.random()} for method in ("list", "sieve", "two_phase", "mapped")]
    reasons = [{"operation": operation, "method": "two_phase", "collective": True, "reason": f"{random.randrange(10 ** 6)} pieces "
                "of about 8 bytes would need as many requests alone; together 12 windows of 4 MiB do", "calls": 100,
                "candidates": candidates} for operation in ("read", "write")]
    return {"file": name, "ranks": ranks, "nodes": -(-ranks // 64), "mpi": "openmpi", "open_seconds": 0.25, "counters": counts(),
            "max": counts(), "peak_bytes_per_rank": 8 << 20, "peak_bytes_per_node": 1 << 30, "reasons": reasons,
            "peak_bytes_by_node": [1 << 30] * min(1024, -(-ranks // 64)), "peak_description_bytes_per_rank": 4096,
            "hints": {f"concilio_hint_{i}": "automatic" for i in range(40)},
            "hints_given": [{"name": "cb_nodes", "value": "8", "by": "user", "outcome": "used"}], "activity": its_activity}


with open("ranks.json", "w") as lines:
    for i in range(60):
        lines.write(json.dumps(record(f"/scratch/run/checkpoint-{i:04}.h5", 4096, activity(32, 64, 4096))) + "\n")
    # The program ended before it closed this one.
    left = {**record("/scratch/run/last.h5", 4096, activity(32, 64, 4096)),
            "open_ranks": [{"rank": rank, "call": "a collective write", "seconds": 12.5} for rank in range(4096)]}
    lines.write(json.dumps(left) + "\n")
with open("files.json", "w") as lines:
    for i in range(10_000):
        its_activity = activity(4, 8, 4) if i < 2000 else {"waited_least": []}
        lines.write(json.dumps(record(f"/scratch/project/user/run-0042/output/step-{i:05}/fields.{i:05}.h5", 4, its_activity)) + "\n")
PYTHON
for run in ranks files; do
  expect 0 "$concilio" report $run.json -o $run.html
  size=$(stat -c %s $run.html)
  [ "$size" -lt 5000000 ] || fail "the page of $run has $size bytes"
done
grep -q 'not closed by 4096 ranks' ranks.html || fail 'the page does not tell of the file that was left open'
grep -q 'step-09999/fields.09999.h5' files.html || fail 'the page lacks a file'
finish
