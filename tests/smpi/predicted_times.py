#!/usr/bin/python3
"""predicted_times.py CONCILIO: the times that `concilio simulate --count` predicts must be about those of runs.

Two-phase calls with large and with small windows, by few aggregators and by many, are simulated on machines whose storage is
striped, and predicted from their plans. So are opens, and calls by the roots of groups, with what the groups hand to them; and
writes piece by piece, in which nodes wait for each other's locks of stripes.
Simulated times are the same in every run, so the bounds are of the model alone.
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
# Groups of up to 96 ranks on 8 nodes, where one server is slow to open files, and where there is none. As seen: 0.014 and 0.12.
GROUPS = {"jaguar": "1,2,12,24,48,96", "memory-conscious": "1,4,24,96"}
MEDIAN_ERROR_OF_GROUPS, WORST_ERROR_OF_GROUPS = 0.03, 0.2
# How long nodes wait is a matter of chance for the most part. As seen: 0.21 and 0.38; without this in the price, 0.93 and 0.98.
LOCKED = {"jaguar": [(4, 1), (8, 2)], "vplant": [(4, 1), (8, 2)]}
LOCKED_PATTERNS = ["interleaved:65536", "interleaved:262144"]
MEDIAN_ERROR_OF_LOCKED, WORST_ERROR_OF_LOCKED = 0.4, 0.7


def results(*words):
    done = subprocess.run(words, capture_output=True, timeout=300, check=False, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: exit status {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)["results"]


def judge(errors, most_median, most):
    """Whether the errors are larger than they may be."""
    median = statistics.median(map(abs, errors.values()))
    worst = max(errors, key=lambda case: abs(errors[case]))
    print(f"{len(errors)} times: median error {median:.1%}, worst {errors[worst]:+.1%} ({worst})")
    return median > most_median or abs(errors[worst]) > most


def errors_of_calls(concilio):
    errors = {}
    for machine, (nodes, per_node), hints in itertools.product(MACHINES, RANKS, HINTS):
        words = [concilio, "simulate", "--machine", machine, "--nodes", str(nodes), "--ranks-per-node", str(per_node),
                 "--mib-per-rank", "2", "--method", "two_phase", *(f"--hint={hint}" for hint in hints), *PATTERNS, "--json", "-"]
        for run, counted in zip(results(*words, "--no-verify"), results(*words, "--count"), strict=True):
            for call in ("write", "read"):
                case = f"{machine}, {nodes} x {per_node}, {' '.join(hints)}, {run['pattern']}, {call}"
                errors[case] = counted[call]["predicted_seconds"] / run[call]["seconds"][0] - 1
    return errors


def errors_of_groups(concilio):
    errors = {}
    for machine, sizes in GROUPS.items():
        words = [concilio, "simulate", "contiguous", "--machine", machine, "-n", "96", "--mib-per-rank", "0.5", "--io-groups",
                 sizes, "--json", "-"]
        for run, counted in zip(results(*words, "--no-verify"), results(*words, "--count"), strict=True):
            case = f"{machine}, {run['pattern']}"
            errors[f"{case}, open"] = counted["open"]["predicted_seconds"] / run["open"]["seconds"] - 1
            for call in ("write", "read"):
                errors[f"{case}, {call}"] = counted[call]["predicted_seconds"] / run[call]["seconds"][0] - 1
    return errors


def errors_of_locked(concilio):
    errors = {}
    for machine, placings in LOCKED.items():
        for nodes, per_node in placings:
            words = [concilio, "simulate", *LOCKED_PATTERNS, "--machine", machine, "--nodes", str(nodes), "--ranks-per-node",
                     str(per_node), "--mib-per-rank", "2", "--method", "list", "--write-only", "--json", "-"]
            for run, counted in zip(results(*words, "--no-verify"), results(*words, "--count"), strict=True):
                case = f"{machine}, {nodes} x {per_node}, {run['pattern']}, list write"
                errors[case] = counted["write"]["predicted_seconds"] / run["write"]["seconds"][0] - 1
    return errors


def main():
    concilio = sys.argv[1]
    faults = [judge(errors_of_calls(concilio), MEDIAN_ERROR, WORST_ERROR),
              judge(errors_of_groups(concilio), MEDIAN_ERROR_OF_GROUPS, WORST_ERROR_OF_GROUPS),
              judge(errors_of_locked(concilio), MEDIAN_ERROR_OF_LOCKED, WORST_ERROR_OF_LOCKED)]
    sys.exit(any(faults))


main()
