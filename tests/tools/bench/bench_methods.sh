#!/bin/bash
# concilio bench --methods: the methods of each pattern, what is printed of them, and what is left out. Arguments:
# CONCILIO MPI.
concilio=$1 mpi=$2
. "$(dirname "$0")/../common.sh"
let_ranks_rest
unset CONCILIO_METHOD CONCILIO_THROTTLE
small=(-n 2 --mpi "$mpi" --mib-per-rank 0.02 --repetitions 2)
all=(--skip-slower-than 1000000)
measured() { grep -cE "^  $1 .* MiB/s" out; }

expect 0 "$concilio" bench interleaved:64 block3d timesteps:3:4/64 "${small[@]}" --methods list,auto,sieve,two_phase,posix "${all[@]}"
[ "$(measured write)" = 15 ] || fail 'not every method wrote every pattern'
[ "$(measured read)" = 15 ] || fail 'not every method read every pattern'
[ "$(grep -cE '^  (write|read) .* ms +[0-9.]+-[0-9.]+ ms' out)" = 30 ] || fail 'not every method has its spread'
for method in list sieve two_phase; do says out "  write  *$method .* $method\$"; done
[ "$(grep -c 'regret of auto: write [1-9][0-9.]*?\{0,1\}, read [1-9]' out)" = 3 ] || fail 'not a regret for each pattern'

# The program's own exchange among ranks of a row.
expect 0 "$concilio" bench block3d block4d block4d:7 "${small[@]}" --methods rows,posix --sync
[ "$(measured '[a-z]*  *rows')" = 6 ] || fail 'not every array went by rows'
expect 1 "$concilio" bench contiguous "${small[@]}" --methods rows
says err 'rows: the blocks of the pattern are not in rows'

# Every rank has its own file.
expect 0 "$concilio" bench hacc:fpp hacc:records "${small[@]}" --methods auto,two_phase,posix "${all[@]}"
[ "$(measured read)" = 6 ] || fail 'not every method read every pattern'

# Independent calls cannot use collective methods, and say so. The method list is not used for contiguous data.
expect 0 "$concilio" bench contiguous interleaved:64 "${small[@]}" --methods independent,two_phase,sieve --independent --warm-up 0 \
  --json
says out '"failure": "the library took [a-z]*"'
says out '"taken": "independent"'
says out '"taken": "sieve"'
says out '"warm_up": 0'
says out '"collective": false'

expect 0 "$concilio" bench hpio:64/64 "${small[@]}" --methods mpi,posix --sync
says out '  write  *mpi .* -$'
says_not out regret
expect 0 "$concilio" bench hpio:64/64 "${small[@]}" --methods posix,auto "${all[@]}" --read-only
says_not out '^  write'
[ "$(measured read)" = 2 ] || fail 'not both were read'
expect 0 "$concilio" bench hpio:64/64 "${small[@]}" --methods posix,auto "${all[@]}" --write-only
says_not out '^  read'

# Each method has a file of its own, so that what lies between the pieces may be rewritten.
requests() { /usr/bin/python3 -c 'import json,sys
print(*(json.loads(line)["counters"]["storage_writes"] for line in open("report") if f".{sys.argv[1]}\"" in line))' "$1"; }
CONCILIO_REPORT=$PWD/report expect 0 "$concilio" bench hpio:64/64 "${small[@]}" --methods list,sieve,two_phase "${all[@]}" --write-only
[ "$(requests list)" -gt 1000 ] || fail "the method list wrote by $(requests list) requests"
for method in sieve two_phase; do
  [ "$(requests $method)" -lt 100 ] || fail "the method $method wrote piece by piece, by $(requests $method) requests"
done
rm report

# Ranks that do not end by themselves leave their files to the command.
expect 124 "$concilio" bench interleaved:64 -n 2 --mpi "$mpi" --mib-per-rank 0.02 --methods list,posix "${all[@]}" --repetitions 100000 \
  --method-timeout 1000 --timeout 2 --file ended
compgen -G 'ended*' && fail 'a file is left'

# Short calls are repeated until they have taken long enough, or ten times as often as asked for.
times() { /usr/bin/python3 -c 'import json,sys
text = open("out").read()
written = json.loads(text[text.index("{\n"):])["patterns"][0]["operations"]["write"]
print(len(written[sys.argv[1]]["seconds"]))' "$1"; }
expect 0 "$concilio" bench interleaved:64 "${small[@]}" --methods posix,auto "${all[@]}" --write-only --measure-for 1000 --json
[ "$(times auto)" = 20 ] || fail "$(times auto) calls and not ten times two"
expect 0 "$concilio" bench interleaved:64 "${small[@]}" --methods posix,auto "${all[@]}" --write-only --measure-for 0 --json
[ "$(times auto)" = 2 ] || fail "$(times auto) calls and not two"

# Each piece is a request to slow storage, by the program as well as by the library.
export CONCILIO_THROTTLE="request=2"
expect 0 "$concilio" bench interleaved:1024 "${small[@]}" --methods auto,posix "${all[@]}" --method-timeout 0.02
says out 'posix  *left out: one call took'
expect 0 "$concilio" bench interleaved:1024 "${small[@]}" --methods auto,posix "${all[@]}" --method-timeout 100
says out '  write  *posix  *[0-9][0-9][0-9.]* ms'
expect 0 "$concilio" bench interleaved:1024 "${small[@]}" --methods auto,posix,list --skip-slower-than 2
says out 'posix  *left out: predicted .* times the cheapest'
says out 'list  *left out: predicted .* times the cheapest'
unset CONCILIO_THROTTLE

refuse() { expect 2 "$concilio" bench contiguous "${small[@]}" "${@:2}"; says err "$1"; }
refuse "there is no method 'fast'" --methods auto,fast
refuse "there is no method ''" --methods auto,,list
refuse 'names list twice' --methods list,list
refuse 'without Concilio' --methods mpi,auto
refuse 'runs under Concilio' --methods mpi --concilio
refuse 'requires --methods' --warm-up 1
refuse 'requires --methods' --measure-for 1
refuse 'excludes' --methods auto --overlap
refuse 'excludes' --methods auto --compare
leaves_only
finish
