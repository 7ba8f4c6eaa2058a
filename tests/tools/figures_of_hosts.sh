#!/bin/bash
# bench/figures/hosts: two small comparisons on three hosts, and the table of them. Arguments: CONCILIO ROOT.
concilio=$1
hosts=$2/bench/figures/hosts
. "$(dirname "$0")/common.sh"
expect 2 "$hosts" --mpi lam
says err 'no MPI lam; there are openmpi, openmpi-romio, mpich5'
expect 2 "$hosts" --output made.json contiguous
says err 'a run of other patterns needs other files, by --output and --markdown'
expect 1 "$hosts" --report-only --output none.json --markdown page.md
says err 'nothing is kept in none.json'
printf '<!-- hosts: written by bench/figures/hosts -->\nold\n<!-- hosts: end -->\n' >page.md
timeout 200 "$hosts" --mpi openmpi --mib-per-rank 0.1 --repetitions 1 --alternations 1 --concilio "$concilio" \
  --output made.json --markdown page.md contiguous interleaved:64 >out 2>err
status=$?
[ $status != 77 ] || exit 77
[ $status = 0 ] || fail "exit status $status: $(cat err)"
says_not page.md '^old$'
for pattern in contiguous '64 B interleaved'; do
  says page.md "^| Open MPI, OMPIO | $pattern | [0-9][0-9]* / [0-9][0-9]* | [1-9][0-9]* / [1-9][0-9]* | "
done
# Ranks of several hosts: three nodes, of which no two share memory.
grep -q '"ranks": 6' made.json || fail 'not six ranks'
echo 'no place' >page.md
expect 1 "$hosts" --report-only --output made.json --markdown page.md
says err 'page.md has no place for hosts'
finish
