#!/bin/bash
# Recording takes a hundredth of a run at most, however briefly files are open: what there is no time for is told as totals,
# also of a program that is killed. Arguments: CONCILIO MPI LAUNCHER OPENS_BRIEFLY.
concilio=$1 mpi=$2 launcher=$3 program=$4
. "$(dirname "$0")/../common.sh"
let_ranks_rest
oversubscribe=()
[[ $mpi == openmpi* ]] && oversubscribe=(--oversubscribe)

# opens STATUS RANKS COUNT FILES STEP_NS PAUSE_NS HOW
opens() {
  local status=$1 ranks=$2
  rm -f data.* report.json
  expect "$status" "$concilio" run --report report.json "$launcher" "${oversubscribe[@]}" -n "$ranks" "$program" "$scratch/data" \
    "${@:3}"
}
# holds WHAT CONDITION: a condition in Python on `records`, in order, of files that were opened, and on `opened` and
# `written`, how often and with how many calls they say.
holds() {
  python3 - "$2" "$scratch/data.none" <<'PYTHON' || fail "it does not hold: $1"
import json, sys
everything = json.load(open("report.json"))["files"]
none = [record for record in everything if record["file"] == sys.argv[2]]
records = [record for record in everything if record["file"] != sys.argv[2]]
opened = sum(record.get("times_opened", 1) for record in records)
brief = sum(record.get("brief_opens", 0) for record in records)
written = sum(record["counters"]["independent_writes"] for record in records)
assert none and all("No such file" in record["first_error"] and record["times_opened"] == 0 for record in none), none
sys.exit(0 if eval(sys.argv[1]) else f"{len(records)} records, {opened} opens, {brief} of them brief, {written} writes")
PYTHON
}

# By a clock that is made up, a record takes about as long as the file is open.
opens 0 1 1000 1 1000 0 ends
holds 'no open and no call is lost' 'opened == written == 1000'
holds 'the first 16 are told singly, half of them not opened, and of the others few' '8 <= opened - brief <= 40 and len(records) <= 41'
holds 'what is told singly has pictures' '"time" in records[0]["activities"][0] and "brief_opens" not in records[0]'
expect 0 "$concilio" report report.json
says out 'sampled .*9[6-9][0-9] of 1000 opens so brief that only totals are known'
# With a pause of a millisecond between files there is time for all.
opens 0 1 200 1 10 1000000 ends
holds 'all are told singly' 'opened == written == len(records) == 200 and brief == 0'
# More files than are told of by name.
opens 0 1 1000 100 1000 0 ends
holds 'the rest is told together' \
  'opened == written == 1000 and any(record["file"] == "(files that were open briefly)" for record in records)'
holds 'some have names' 'len({record["file"] for record in records}) >= 33'
# A record that is written at last has the error of an open before it.
opens 0 1 100 1 1000 0 made
python3 - "$scratch/data.none" <<'PYTHON' || fail 'the error of the opens that failed is lost'
import json, sys
made = [record for record in json.load(open("report.json"))["files"] if record["file"] == sys.argv[1] and record.get("times_opened", 1)]
assert len(made) == 1 and "No such file" in made[0]["first_error"], made
PYTHON
# With the clock of the machine, and ranks that wait for each other.
opens 0 2 1000 1 0 0 ends
holds 'of all ranks' 'opened == 1000 and written == 2000 and max(record["ranks"] for record in records) == 2'
# Where nobody looks into memory.
rm -f data.*
expect 0 env CONCILIO_REPORT="$scratch/lines" "$concilio" run "$launcher" "${oversubscribe[@]}" -n 2 "$program" "$scratch/data" 500 \
  1 0 0 ends
python3 -c 'import json; json.dump({"files": [json.loads(line) for line in open("lines")]}, open("report.json", "w"))'
holds 'nothing is lost when MPI ends' 'opened == 500 and written == 1000'
# A program that is killed has told nothing of these yet.
rm -f data.*
timeout 120 "$concilio" run --report report.json "$launcher" "${oversubscribe[@]}" -n 2 "$program" "$scratch/data" 500 1 0 0 killed \
  >out 2>err </dev/null && fail 'it was not killed'
holds 'nothing is lost' 'opened == 500 and written == 1000'
finish
