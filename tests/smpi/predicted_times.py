#!/usr/bin/python3
"""predicted_times.py CONCILIO: the times that `concilio simulate --count` predicts must be about those of runs.

Two-phase calls with large and with small windows, by few aggregators and by many, are simulated on machines whose storage is
striped, and predicted from their plans. Simulated times are the same in every run, so the bounds are of the model alone.
"""
import itertools
import json
import statistics
import subprocess
import sys

MACHINES = ["memory-conscious", "cluster", "jaguar"]
RANKS = [(4, 1), (6, 4)]  # nodes, and ranks on each
PATTERNS = ["interleaved:65536", "interleaved:4096", "contiguous"]
HINTS = [[], ["cb_buffer_size=256K"], ["cb_nodes=2"], ["cb_buffer_size=256K", "concilio_pipelining=off"]]
# As seen: 0.006 and 0.17.
MEDIAN_ERROR, WORST_ERROR = 0.02, 0.3


def results(*words):
    done = subprocess.run(words, capture_output=True, timeout=300, check=False, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["results"]


def main():
    concilio, errors = sys.argv[1], {}
    for machine, (nodes, per_node), hints in itertools.product(MACHINES, RANKS, HINTS):
        words = [concilio, "simulate", "--machine", machine, "--nodes", str(nodes), "--ranks-per-node", str(per_node),
                 "--mib-per-rank", "2", "--method", "two_phase", *(f"--hint={hint}" for hint in hints), *PATTERNS, "--json", "-"]
        for run, counted in zip(results(*words, "--no-verify"), results(*words, "--count"), strict=True):
            for call in ("write", "read"):
                case = f"{machine}, {nodes} x {per_node}, {' '.join(hints)}, {run['pattern']}, {call}"
                errors[case] = counted[call]["predicted_seconds"] / run[call]["seconds"][0] - 1
    median = statistics.median(map(abs, errors.values()))
    worst = max(errors, key=lambda case: abs(errors[case]))
    print(f"{len(errors)} times: median error {median:.1%}, worst {errors[worst]:+.1%} ({worst})")
    sys.exit(median > MEDIAN_ERROR or abs(errors[worst]) > WORST_ERROR)


main()
