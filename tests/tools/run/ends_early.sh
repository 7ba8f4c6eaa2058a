#!/bin/bash
# What concilio run tells of programs that end before they close their files, and of calls that fail. Arguments:
# CONCILIO MPI LAUNCHER PROGRAM.
concilio=$1 mpi=$2 launcher=$3 program=$4
. "$(dirname "$0")/../common.sh"
unset OMPI_MCA_odls_base_sigkill_timeout # the ranks that are ended write what they know
let_ranks_rest
start=("$launcher" -n 2)
[[ $mpi == openmpi* ]] && start=("$launcher" --oversubscribe -n 2)
data=$scratch/data
early="^concilio: the program ended before it closed 1 file; what was counted until then is here$"

# ends_early HOW: runs the program, which does not end with 0.
ends_early() {
  timeout 60 "$concilio" run --summary --report "$scratch/report.json" "${start[@]}" "$program" "$data" "$1" \
    >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  [ "$status" != 0 ] || fail "a program that does not end well ($1) ended with status 0"
}
# told RANKS: an open file and what was counted for it.
told() {
  says err "$early"
  says err "  $data: 2 collective writes by 2 ranks; 2 MiB written"
  says err "  not closed by $1"
  grep -q '"open_ranks"' report.json || fail 'no open rank in the report'
  # What was recorded of the calls that had ended: 1 MiB of each rank, in however many intervals of time.
  /usr/bin/python3 - report.json 2>>err <<'END' || fail 'the report does not tell what each rank wrote'
import json, sys

activity = json.load(open(sys.argv[1]))["files"][0]["activities"][0]
time = activity["time"]
written = [0] * activity["rows"]
for cell, amount in zip(time["asked_written"][::2], time["asked_written"][1::2]):
    written[cell // time["bins"]] += amount
assert written == [1 << 20] * 2, activity
END
  leaves_nothing
}
# Nothing of what the ranks kept while they ran is left.
leaves_nothing() {
  local live
  live=$(sed -n 's/^live in //p' "$scratch/out")
  [[ $live == */concilio-run-* ]] || fail "CONCILIO_LIVE is '$live'"
  [ ! -e "$live" ] || fail "$live was left behind"
}

for how in kill abort exit; do
  ends_early "$how"
  told '2 ranks'
done
# MPICH's launcher says 1 where it sees the end of a rank's connection before that of the rank.
for _ in 1 2 3 4 5; do
  [ "$status" = 1 ] || break
  ends_early exit
done
[ "$status" = 5 ] || fail "the program's exit status 5 became $status"
says err 'ranks 0-1 in no call'

# What was counted for a file that is closed does not count for the next one.
ends_early second
says err "$early"
says err "  $data: 2 collective writes by 2 ranks; 2 MiB written"
says err "  $data.second: opened by 2 ranks$"
says err "  not closed by 2 ranks; ranks 0-1 in no call"
leaves_nothing

# A rank that did not come, while the others waited. The user gives up.
begin "$concilio" run --summary --report report.json "${start[@]}" "$program" "$data" hang
await 20 out 'live in'
sleep 4
kill -TERM "$child"
wait "$child"
told '2 ranks; rank 1 in no call; rank 0 in a collective write for [1-9][0-9.]* s'
says err '^concilio: .* on the slowest rank: [1-9][0-9.]* s in calls that did not end'

# What a `concilio run` that was killed could not remove, the next one does, maybe that of another test.
begin "$concilio" run --summary "${start[@]}" "$program" "$data" hang
await 20 out 'live in'
left=$(sed -n 's/^live in //p' out)
launcher_of_killed=$(pgrep -P "$child")
kill -KILL "$child"
wait "$child" 2>/dev/null
[ -z "$launcher_of_killed" ] || kill -TERM "$launcher_of_killed"
expect 0 "$concilio" run --summary "${start[@]}" "$program" "$data" fails
[ ! -e "$left" ] || fail "$left is there for ever"

# Calls that fail, of a program that goes on.
expect 0 "$concilio" run --summary --report report.json "${start[@]}" "$program" "$data" fails
says err '2 calls failed; the first: MPI_File_write_at on .*data: '
says_not err 'not closed'
leaves_nothing
grep -q '"first_error": "MPI_File_write_at' report.json || fail 'no error in the report'
expect 0 "$concilio" run --summary "${start[@]}" "$program" "$data" missing
says err "  $data.missing: not opened by 2 ranks$"
says err '^  *MPI_File_open: .*No such file'

# Without a summary or report nothing is kept; and a rank whose file cannot be kept counts for itself.
expect 0 "$concilio" run "${start[@]}" "$program" "$data" fails
says out 'live in nothing'
CONCILIO_LIVE=$scratch/no/such/folder expect 0 "$concilio" run "${start[@]}" "$program" "$data" fails
says_not err 'no/such'
finish
