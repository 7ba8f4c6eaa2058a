"""From what `concilio bench` and Concilio's report say to rows of a table. No process is started here."""
import json
import statistics

from ..experiments import MIB
from ..measure import Failed, json_in


def parse_output(text):
    """The JSON of `concilio bench --json`, among what launchers say around it."""
    output = json_in(text)
    if output is None:
        raise Failed("no JSON in the output")
    return output


def parse_report(text):
    """The lines of CONCILIO_REPORT, one for each pattern, in their order."""
    return [json.loads(line) for line in text.splitlines() if line.strip()]


COUNTERS = ("rounds", "storage_writes", "storage_reads", "messages_sent", "message_bytes_sent", "locks_taken")


def condense(output, report):
    """What is kept of a run: one dictionary a pattern. `report` is empty for a run without Concilio."""
    patterns = output["patterns"]
    if report and len(report) != len(patterns):
        raise Failed(f"{len(patterns)} patterns, but {len(report)} lines in the report")
    kept = []
    for i, pattern in enumerate(patterns):
        if "failure" in pattern or not pattern.get("verified"):
            raise Failed(f"{pattern['pattern']}: {pattern.get('failure', 'bytes were not checked')}")
        one = {"pattern": pattern["pattern"], "bytes": pattern["bytes"],
               "node_growth_bytes": [node["peak_growth_bytes"] for node in pattern.get("nodes", [])]}
        for direction in ("write", "read"):
            if direction in pattern:
                one[direction] = pattern[direction]["seconds"]
        if report:
            record = report[i]
            one["peak_bytes_per_rank"] = record["peak_bytes_per_rank"]
            # A list, in the order of nodes, where the library tells it.
            if "peak_bytes_by_node" in record:
                one["peak_bytes_by_node"] = record["peak_bytes_by_node"]
            one["methods"] = sorted({reason["method"] for reason in record.get("reasons", [])})
            one["counters"] = {name: record["counters"].get(name, 0) for name in COUNTERS}
        kept.append(one)
    return kept


def parse_lines(text):
    """The lines of JSON of `concilio bench scorpio --json`, a line a method, among what launchers say around them."""
    try:
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    except json.JSONDecodeError as error:
        raise Failed(f"a line is no JSON: {error}") from error


PHASES = ("init", "open", "read", "write", "close")


def condense_scorpio(lines):
    """What is kept of a run of SCORPIO beside HDF5: one dictionary a method."""
    if not lines:
        raise Failed("no line of JSON in the output")
    kept = []
    for line in lines:
        if not line["verified"]:
            raise Failed(f"{line['method']}: {line['failure']}")
        one = {"pattern": line["method"], "bytes": line["bytes"], "node_growth_bytes": [line["peak_growth_bytes"]],
               "h5diff": line["h5diff"], "input": line["input"], "output": line["output"]}
        if "peak_buffer_bytes" in line:
            one["peak_bytes_per_rank"] = line["peak_buffer_bytes"]
        # Digits beyond the microsecond are noise.
        for phase in PHASES:
            one[phase] = [round(seconds, 6) for seconds in line["phases"][phase]["seconds"]]
        one["all"] = [round(sum(parts), 6) for parts in zip(*(one[phase] for phase in PHASES))]
        kept.append(one)
    return kept


def phases_of(found):
    """Milliseconds of each phase and of all: medians over the runs of the median repetition. {} where none are told."""
    if not all("all" in one for one in found):
        return {}
    return {phase: 1e3 * statistics.median(statistics.median(one[phase]) for one in found) for phase in (*PHASES, "all")}


def bandwidth(one, direction):
    """MiB/s of the median repetition of one run; None where it did not go in this direction."""
    seconds = one.get(direction)
    return one["bytes"] / MIB / statistics.median(seconds) if seconds else None


def rows_of(comparison):
    """One row for each case, variant and pattern: median, lowest and highest bandwidth over the alternations."""
    grouped = {}
    for run in comparison["runs"]:
        for one in run["patterns"]:
            grouped.setdefault((run["case"], run["variant"], one["pattern"]), {})[run["alternation"]] = one
    rows = []
    for (case, variant, pattern), found in grouped.items():
        described = comparison["cases"][case]
        row = {**described["labels"], **described["patterns"].get(pattern, {}), "case": case, "variant": variant,
               "pattern": pattern, "runs": len(found), "bytes": next(iter(found.values()))["bytes"]}
        for direction in ("write", "read", "all"):
            each = {alternation: bandwidth(one, direction) for alternation, one in found.items()}
            each = {alternation: value for alternation, value in each.items() if value is not None}
            if each:
                values = list(each.values())
                row[direction] = {"median": statistics.median(values), "low": min(values), "high": max(values),
                                  "each": each}
        for name in ("peak_bytes_per_rank", "peak_bytes_by_node", "node_growth_bytes"):
            values = [one[name] for one in found.values() if name in one]
            if values:
                row[name] = [max(node) for node in zip(*values)] if isinstance(values[0], list) else max(values)
        phases = phases_of(list(found.values()))
        if phases:
            row.update(phases=phases, **{name: next(iter(found.values()))[name] for name in ("input", "output")})
        counters = [one["counters"] for one in found.values() if "counters" in one]
        if counters:
            row["counters"] = {name: statistics.median(one.get(name, 0) for one in counters) for name in COUNTERS}
        rows.append(row)
    return rows


def ratio(row, base, direction="write"):
    """How many times as fast as `base`: the median over the alternations in which both ran."""
    ours, theirs = row[direction]["each"], base[direction]["each"]
    both = [ours[alternation] / theirs[alternation] for alternation in ours if alternation in theirs]
    return statistics.median(both) if both else None
