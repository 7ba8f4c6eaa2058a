#!/bin/bash
# What recording for a report takes of each rank, with very many calls on a hundred open files: at most 1 MiB of memory, the
# file in memory that `concilio run` reads included, and at most 1 MiB of the file of records. Arguments: CONCILIO MPI
# LAUNCHER HOLDS_MEMORY [RANKS].
concilio=$1 mpi=$2 launcher=$3 program=$4 ranks=${5:-2}
. "$(dirname "$0")/../common.sh"
let_ranks_rest
start=("$launcher" -n "$ranks")
[[ $mpi == openmpi* ]] && start=("$launcher" --oversubscribe -n "$ranks")
most=$((1 << 20))

# held WHEN: what the program held at most then.
held() { sed -n "s/^$1 //p" out; }
expect 0 "$concilio" run "${start[@]}" "$program" "$scratch/data"
open=$(held open) closing=$(held closing)
rm -f data*
mkdir live
expect 0 env CONCILIO_LIVE="$scratch/live" CONCILIO_REPORT="$scratch/lines" "$concilio" run "${start[@]}" "$program" "$scratch/data"
shown=$(stat -c %s live/* | sort -n | tail -n 1)
open=$(($(held open) - open + shown)) closing=$(($(held closing) - closing + shown)) lines=$(stat -c %s lines)
echo "recording takes $open bytes of a rank while files are open, $closing while they are closed, and $((lines / ranks)) of the records"
[ "$open" -gt "$shown" ] || fail 'recording takes no memory, so nothing was recorded'
[ "$open" -le $most ] || fail "recording takes $open bytes of memory while files are open"
[ "$closing" -le $most ] || fail "recording takes $closing bytes of memory while files are closed"
[ "$lines" -le $((most * ranks)) ] || fail "the records of $ranks ranks have $lines bytes"
python3 -c '
import json
activities = [json.loads(line)["activity"] for line in open("lines")]
assert len(activities) == 100 and sum("time" in one for one in activities) == 56' || fail 'not 56 files of 100 have pictures'
finish
