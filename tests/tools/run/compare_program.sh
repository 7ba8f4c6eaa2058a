#!/bin/bash
# concilio run --compare, of a program that writes a file. Arguments: CONCILIO MPI LAUNCHER PROGRAM.
concilio=$1 mpi=$2 launcher=$3 program=$4
. "$(dirname "$0")/../common.sh"
let_ranks_rest
start=("$launcher" -n 2)
[[ $mpi == openmpi* ]] && start=("$launcher" --oversubscribe -n 2)
compare=("$concilio" run --compare --alternations 2 "${start[@]}" "$program" "$scratch/data")

expect 0 "${compare[@]}"
says out '^concilio: 2 starts without and with Concilio by turns'
says out '^  program  *[0-9.]* [mu]*s (.* to .*)  *[0-9.]* [mu]*s (.* to .*)$'
says out '^  of it in MPI-IO  *not known  *[0-9.]* [mu]*s'
says out 'times as fast with Concilio\|within the spread'
says out '^  1 file: equal, byte for byte'
says out "^    $scratch/data$"
says_not out 'program ran'
says_not err 'program ran'
says err '^\[1/6\] without Concilio, to warm up$'
says err '^\[6/6\] without Concilio$'
expect 0 "$concilio" run --compare --alternations 1 --summary --report report.json "${start[@]}" "$program" "$scratch/data"
says out 'one turn of each does not tell'
says err "  $scratch/data: 2 collective writes by 2 ranks"
grep -q "$scratch/data" report.json || fail 'no report of the last turn'

# Other programs at work make times differ, and nobody sees that in the table.
timeout 60 bash -c 'while :; do :; done' &
busy=$!
expect 0 "$concilio" run --compare --alternations 1 "${start[@]}" "$program" "$scratch/data"
kill $busy
says err 'run --compare: other programs use [0-9.]* of this machine.s [0-9]* cores'

expect 1 "${compare[@]}" differs
says out '^  1 file: DIFFERENT with Concilio$'
expect 0 "${compare[@]}" varies
says out '^  1 file: .*different from turn to turn also without Concilio$'
expect 0 "${compare[@]}" new-name
says out '^  3 files: .*did not write$'
rm -f data*

# A side that fails ends it, with the program's words and status.
expect 7 "${compare[@]}" fails-without
says err 'ended with status 7 without Concilio, so there is nothing to compare'
says err 'program ran'
says_not err '\[2/6\]'
expect 7 "${compare[@]}" fails-with
says err 'ended with status 7 with Concilio'
says_not err '\[3/6\]'

# What cannot be compared.
# A program that ends with 0 when it is told to stop has not been measured.
cat >ends_well <<'END'
#!/bin/sh
trap 'kill $sleeping; exit 0' TERM
sleep 20 &
sleeping=$!
wait
END
chmod +x ends_well
expect 143 timeout --preserve-status 2 "$concilio" run --compare --mpi "$mpi" ./ends_well
says err 'the program ended with status 143 without Concilio, so there is nothing to compare'
CONCILIO_DISABLE=1 expect 2 "${compare[@]}"
says err 'CONCILIO_DISABLE is set'
LD_PRELOAD=/somewhere/libconcilio-$mpi.so expect 2 "${compare[@]}"
says err 'LD_PRELOAD has Concilio in it'
expect 2 "${start[@]}" "${lasting[@]}" "$concilio" run --compare "$program" "$scratch/data"
says err 'put concilio run before the launcher'
expect 2 "$concilio" run --alternations 2 "${start[@]}" "$program" "$scratch/data"
says err '--compare'
CONCILIO_ONLY=nothing expect 0 "$concilio" run --compare --alternations 1 "${start[@]}" "$program" "$scratch/data"
says out 'files written by MPI-IO: none was seen'
says err "closed no file that --only (CONCILIO_ONLY) 'nothing' matches"
finish
