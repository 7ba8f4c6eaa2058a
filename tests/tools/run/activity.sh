#!/bin/bash
# What a report tells of when and where ranks read and wrote. Arguments: CONCILIO MPI LAUNCHER PROGRAM
# OPENS_OFTEN.
concilio=$1 mpi=$2 launcher=$3 program=$4 opens_often=$5
. "$(dirname "$0")/../common.sh"
let_ranks_rest
start=("$launcher" -n 2)
[[ $mpi == openmpi* ]] && start=("$launcher" --oversubscribe -n 2)
# holds WHAT CONDITION: a condition in Python on `files`, the records by the end of their names, and `cells`.
holds() {
  python3 - "$2" <<'PYTHON' || fail "it does not hold: $1"
import json, sys
files = {record["file"].rsplit(".", 1)[1]: record for record in json.load(open("report.json"))["files"]}
together, alone = (files[name]["activities"][0] for name in ("together", "alone"))
def cells(table, name):
    return sum(table[name][1::2])
sys.exit(0 if eval(sys.argv[1]) else f"{together} {alone} {files['alone']['hints_given']}")
PYTHON
}

expect 0 "$concilio" run --summary --report report.json --hint cb_buffer_size=4M "${start[@]}" "$program" "$scratch/data"
bytes=$((2 * 5 * 64 * 1024))
holds 'all bytes that the program asked for are in both tables' \
  "cells(together['time'], 'asked_written') == cells(together['offsets'], 'asked_written') == $bytes"
holds 'storage saw all of them' "cells(together['time'], 'stored_written') >= $bytes or files['together']['counters']['method_mapped'] > 0"
holds 'a row is of one rank' "together['rows'] == 2 and together['ranks_a_row'] == 1"
holds 'rank 1, which came late, waited least' "together['waited_least'][0]['rank'] == 1"
holds 'the others waited for it' "together['waited_least'][1]['waited_seconds'] > 0.05"
holds 'times are in stretches that the waiting fills' "cells(together['time'], 'exchange_us') > 50000"
holds 'sizes are counted' "together['lengths']['asked_written'] == [16, 10]"
# Of the short calls, some are timed for all.
holds 'small calls are there too' "cells(alone['offsets'], 'asked_written') == cells(alone['offsets'], 'stored_written') == 2 * 200000 * 8"
holds 'their sizes too' "alone['lengths']['asked_written'] == [3, 400000]"
holds 'what one collective call would take is predicted' "[(one['operation'], one['method']) for one in files['alone']['as_one_call']] in ([('write', 'two_phase')], [('write', 'mapped')])"
holds 'that is less than many calls take' "0 < files['alone']['as_one_call'][0]['seconds'] < files['alone']['as_one_call'][0]['lone_seconds'] / 4"
holds 'gaps between pieces are counted' "files['strided']['counters']['gaps_written'] == 2 * 20000 * 63 and files['alone']['counters']['gaps_written'] == 0"
holds 'it is predicted of calls of many pieces too' "0 < files['strided']['as_one_call'][0]['seconds'] < files['strided']['as_one_call'][0]['lone_seconds'] / 4"
holds 'of collective calls nothing is predicted' "'as_one_call' not in files['together']"
holds 'what became of hints' "sorted((hint['name'], hint['by'], hint['outcome']) for hint in files['alone']['hints_given']) == [
  ('cb_buffer_size', 'program', 'overridden'), ('cb_buffer_size', 'user', 'used'), ('cb_nodes', 'program', 'used'),
  ('cb_nods', 'program', 'ignored')]"
holds 'why a hint is ignored' "any('did you mean cb_nodes?' in hint.get('why', '') for hint in files['alone']['hints_given'])"
holds 'the slowest rank is the one whose calls took longest' "all(
  record['slowest_rank']['call_ns'] == record['max']['call_ns'] for record in files.values())"
holds 'no part of its time is more than the longest of all ranks' "all(
  record['slowest_rank'][name] <= record['max'][name] for record in files.values() for name in record['slowest_rank'])"
holds 'opening and closing take time too, outside of calls that read or write' "all(
  record['counters']['storage_other_ns'] > 0 for record in files.values())"

# The parts of the time that the summary begins with add up, but for a twentieth that is told as none of them.
python3 - <<'PYTHON' || fail 'the parts of the time do not add up'
import re
line = next(line for line in open("err") if "in MPI-IO calls on the slowest rank" in line)
told = line.removeprefix("concilio: ").split("; ")[0]
units = {"us": 1e-6, "ms": 1e-3, "s": 1}
whole, *parts = [float(number) * units[unit] for number, unit in re.findall(r"([0-9.]+) (us|ms|s) ", told + " ")]
assert len(parts) > 1 and 0.94 * whole <= sum(parts) <= 1.01 * whole, line
PYTHON

# A part of a line, which is what is left where storage was full, does not spoil the next one.
printf '{"file": "a part' >lines
expect 0 env CONCILIO_REPORT="$scratch/lines" "$concilio" run "${start[@]}" "$program" "$scratch/data"
python3 -c 'import json; assert all(json.loads(line)["file"] for line in open("lines").read().splitlines()[1:])' || fail 'a spoiled line'
[ "$(wc -l <lines)" = 4 ] || fail "not a line for each of three files: $(wc -l <lines)"

# Of a process that closes very many files of one rank, the tables of the first ones are there, as many as take 1 MiB.
rm lines
expect 0 env CONCILIO_REPORT="$scratch/lines" "$concilio" run "$launcher" -n 1 "$opens_often" "$scratch/data" 700
python3 - <<'PYTHON' || fail 'the tables are not bounded'
import json
activities = [json.loads(line)["activity"] for line in open("lines")]
sizes = [len(json.dumps(activity, separators=(",", ":"))) for activity in activities if "time" in activity]
assert len(activities) == 700 and all("time" not in activity for activity in activities[len(sizes):]), len(sizes)
assert (1 << 20) * 0.9 < sum(sizes) < (1 << 20) * 1.1, (len(sizes), sum(sizes))
assert all(activity["waited_least"][0]["rank"] == 0 for activity in activities)
PYTHON

# The same data as a trace.
expect 0 "$concilio" report report.json --trace trace.json
[ ! -s out ] || fail 'there is text beside the trace'
python3 - <<'PYTHON' || fail 'no trace'
import json
events = json.load(open("trace.json"))["traceEvents"]
names = {event["pid"]: event["args"]["name"].rsplit(".", 1)[1] for event in events if event["name"] == "process_name"}
assert sorted(names.values()) == [f"{file}: rank {rank}" for file in ("alone", "strided", "together") for rank in (0, 1)], names
slices = [event for event in events if event["ph"] == "X"]
waiting = sum(event["dur"] for event in slices if event["name"].startswith("waiting") and names[event["pid"]] == "together: rank 0")
assert waiting > 50000, waiting
assert {event["pid"] for event in slices} == set(names)
PYTHON
expect 1 "$concilio" report report.json --trace /nosuch/trace.json
says err 'report: cannot write /nosuch/trace.json: No such file'
finish
