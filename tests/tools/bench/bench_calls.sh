#!/bin/bash
# Patterns of the figures in papers: the bytes that they move, also under Concilio. Arguments: CONCILIO MPI.
concilio=$1 mpi=$2
. "$(dirname "$0")/../common.sh"
let_ranks_rest
# moved PATTERN=BYTES...: the bytes of all ranks, according to the JSON, of each pattern.
moved() {
  local found
  found=$(/usr/bin/python3 -c 'import json
text = open("out").read()
for one in json.loads(text[text.index("{\n"):])["patterns"]:
    if one["verified"] is True: print(one["pattern"] + "=" + str(one["bytes"]))')
  [ "$found" = "$(printf '%s\n' "$@")" ] || fail "moved $found"
}
run() { expect 0 "$concilio" bench "$@" -n 2 --mpi "$mpi" --mib-per-rank 0.03125 --repetitions 2 --json ${under:+"$under"}; }
# The second rank has no data of timesteps:3:1/64.
bytes=(timesteps:4:10/16=$((65536 / 160 * 160 * 4)) timesteps:3:1/64=$((65536 * 3)) extent:1024/25=$((65536 / 4))
  extent:1000/3=$((2 * 32 * 30)) hpio:8/128:vector:100=1600 hpio:8/128:struct:100=1600 hpio:8/128:indexed:100=1600
  variables:3:2:64=$((2 * 6 * 256 * 64 * 2)) hacc:100:records=7600
  hacc:fpp=$((32768 / 38 * 38 * 2)) ior:1024:8192:random=65536 mpiiotest:8192=65536)
for under in "" --concilio; do
  run "${bytes[@]%=*}"
  moved "${bytes[@]}"
  [ "$(grep -c '"peak_growth_bytes": [0-9].*$' out)" -ge ${#bytes[@]} ] || fail 'no growth of memory'
  [ "$(grep -c '"nodes": \[' out)" = ${#bytes[@]} ] || fail 'no nodes'
  for calls in icollective iindependent; do
    run interleaved:64 ior:1024 --calls "$calls"; moved interleaved:64=65536 ior:1024=65536
    says out "\"calls\": \"$calls\""
  done
  run contiguous mpiiotest:64 --calls shared; moved contiguous=65536 mpiiotest:64=65536
  run interleaved:64 hacc:10:fpp mpiiotest:4096 --calls files
  moved interleaved:64=65536 hacc:10:fpp=760 mpiiotest:4096=65536
  run mpiiotest:4096 hacc:10:fpp --calls open; moved mpiiotest:4096=0 hacc:10:fpp=0
done
under=""
expect 0 "$concilio" bench contiguous --calls open -n 1 --mpi "$mpi"; says out 'write *[0-9.]* ms'
run timesteps:3:4/8 --overlap; says out '"overlap": [0-9.]*'
expect 0 "$concilio" bench mpiiotest:4 -n 1 --mpi "$mpi" --mib-per-rank 0.03125 --repetitions 1 --write-only --json
moved mpiiotest:4=16384; says out '"note": "4096 calls, 16384 of 32768 bytes a rank"'
refuse() { expect 2 "$concilio" bench "$1" -n 1 --mpi "$mpi"; says err "$2"; }
refuse extent:1024/0 'PERCENT a whole number from 1 to 100'
refuse timesteps:4:3 'STEPS, ELEMENTS and BYTES'
refuse timesteps:1000000:1000000/1000000 'more than 1 GiB'
refuse hpio:8/128:linear 'SIZE and COUNT'
refuse hacc:records:10 'comes last'
refuse variables:3:0 'VARIABLES, STEPS and BYTES'
refuse variables:3:1:64:1 'VARIABLES, STEPS and BYTES'
refuse variables:65536:65536 'more than 1048576 calls'
refuse hacc:0 'PARTICLES is a whole number'
refuse ior:1024:1000 'BLOCK a multiple of it'
refuse ior:random 'TRANSFER is a whole number'
refuse mpiiotest:8:8 'BLOCK is a whole number'
finish
