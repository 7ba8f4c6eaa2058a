#!/usr/bin/python3
"""The records of large runs, as rank 0 appends them to a file of records: every number that a record can have is there."""
import json
import random

MOVED = ("asked_read", "asked_written", "stored_read", "stored_written")
TIMES = ("call_us", "exchange_us", "storage_us", *MOVED)
CALLS = ("collective_reads", "collective_writes", "plans_made", "plans_reused", "meetings", "rounds", "storage_opens",
         "storage_reads", "storage_writes", "windows_whole", "windows_rmw", "messages_sent", "locks_taken", "method_two_phase",
         "method_list")
AMOUNTS = ("bytes_read", "bytes_written", "storage_bytes_read", "storage_bytes_written", "message_bytes_sent", "plan_ns",
           "exchange_ns", "copy_ns", "storage_ns")


def counts(factor=1):
    counted = {name: factor * random.randrange(10 ** 5, 10 ** 6) for name in CALLS} | {
        name: factor * random.randrange(10 ** 10, 10 ** 11) for name in AMOUNTS}
    return counted | {"call_ns": sum(value for name, value in counted.items() if name.endswith("_ns"))}


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
    reasons = [{"operation": operation, "method": "two_phase", "collective": True, "reason": f"{random.randrange(10 ** 6)} "
                "pieces of about 8 bytes would need as many requests alone; together 12 windows of 4 MiB do", "calls": 100,
                "candidates": candidates} for operation in ("read", "write")]
    return {"file": name, "ranks": ranks, "nodes": -(-ranks // 64), "mpi": "openmpi",
            "open_seconds": 0.25, "counters": counts(ranks), "max": counts(), "reasons": reasons,
            "peak_bytes_per_rank": 8 << 20, "peak_bytes_per_node": 1 << 30,
            "peak_bytes_by_node": [1 << 30] * min(1024, -(-ranks // 64)), "peak_description_bytes_per_rank": 4096,
            "hints": {f"concilio_hint_{i}": "automatic" for i in range(40)},
            "hints_given": [{"name": "cb_nodes", "value": "8", "by": "user", "outcome": "used"}], "activity": its_activity}


def log_file(ranks):
    """Where each rank writes 8 bytes a thousand times, alone: something to advise on."""
    written = {"independent_writes": 1000 * ranks, "bytes_written": 8000 * ranks, "method_independent": 1000 * ranks}
    slowest = {"independent_writes": 1000, "call_ns": 400 * 10 ** 9, "storage_ns": 200 * 10 ** 9}
    reason = {"operation": "write", "method": "independent", "collective": False, "reason": "one stretch", "calls": 1000 * ranks,
              "candidates": []}
    return {**record("/scratch/run/log", ranks, {"waited_least": []}), "counters": written, "max": slowest, "reasons": [reason]}


def records_of_ranks(ranks):
    """Some files of so many ranks. The program ended before it closed the last one."""
    yield log_file(ranks)
    for i in range(60):
        yield record(f"/scratch/run/checkpoint-{i:04}.h5", ranks, activity(min(ranks, 32), 64, ranks))
    yield {**record("/scratch/run/last.h5", ranks, activity(min(ranks, 32), 64, ranks)),
           "open_ranks": [{"rank": rank, "call": "a collective write", "seconds": 12.5} for rank in range(ranks)]}


def records_of_files(files):
    """So many files of 4 ranks."""
    for i in range(files):
        yield record(f"/scratch/project/user/run-0042/output/step-{i:05}/fields.{i:05}.h5", 4,
                     activity(4, 8, 4) if i < 2000 else {"waited_least": []})


def main():
    random.seed(4096)
    runs = {"4_ranks": records_of_ranks(4), "4096_ranks": records_of_ranks(4096), "10000_ranks": records_of_ranks(10_000),
            "10000_files": records_of_files(10_000)}
    for name, records in runs.items():
        with open(f"{name}.json", "w", encoding="utf-8") as lines:
            lines.writelines(json.dumps(one) + "\n" for one in records)


main()
