#!/bin/bash
# Patterns of the figures in papers: the bytes that they move, also under Concilio. Arguments: CONCILIO MPI.
concilio=$1 mpi=$2
. "$(dirname "$0")/../common.sh"
let_ranks_yield
# moved PATTERN BYTES: the bytes of all ranks, according to the JSON.
moved() { says out "\"bytes\": $2,"; says out '"verified": true'; says out "\"pattern\": \"$1\""; }
for under in "" --concilio; do
  run() { expect 0 "$concilio" bench "$@" -n 2 --mpi "$mpi" --mib-per-rank 0.03125 --repetitions 2 --json ${under:+"$under"}; }
  run timesteps:4:10/16; moved timesteps:4:10/16 $((65536 / 160 * 160 * 4))
  # The second rank has no data.
  run timesteps:3:1/64; moved timesteps:3:1/64 $((65536 * 3))
  run extent:1024/25; moved extent:1024/25 $((65536 / 4))
  run extent:1000/3; moved extent:1000/3 $((2 * 32 * 30))
  for form in vector struct indexed; do run hpio:8/128:$form:100; moved hpio:8/128:$form:100 1600; done
  run hacc:100:records; moved hacc:100:records 7600
  run hacc:fpp; moved hacc:fpp $((32768 / 38 * 38 * 2))
  run ior:1024:8192:random; moved ior:1024:8192:random 65536
  run mpiiotest:8192; moved mpiiotest:8192 65536
  says out '"peak_growth_bytes": [0-9]'
  says out '"nodes": \['
  for calls in icollective iindependent; do
    run interleaved:64 ior:1024 --calls "$calls"; moved interleaved:64 65536; moved ior:1024 65536
    says out "\"calls\": \"$calls\""
  done
  run contiguous mpiiotest:64 --calls shared; moved contiguous 65536; moved mpiiotest:64 65536
  run mpiiotest:4096 hacc:10:fpp --calls open; moved mpiiotest:4096 0; moved hacc:10:fpp 0
done
expect 0 "$concilio" bench contiguous --calls open -n 1 --mpi "$mpi"; says out 'write *[0-9.]* ms'
run timesteps:3:4/8 --overlap; says out '"overlap": [0-9.]*'
expect 0 "$concilio" bench mpiiotest:4 -n 1 --mpi "$mpi" --mib-per-rank 0.03125 --repetitions 1 --write-only --json
moved mpiiotest:4 16384; says out '"note": "4096 calls, 16384 of 32768 bytes a rank"'
refuse() { expect 2 "$concilio" bench "$1" -n 1 --mpi "$mpi"; says err "$2"; }
refuse extent:1024/0 'PERCENT a whole number from 1 to 100'
refuse timesteps:4:3 'STEPS, ELEMENTS and BYTES'
refuse timesteps:1000000:1000000/1000000 'more than 1 GiB'
refuse hpio:8/128:linear 'SIZE and COUNT'
refuse hacc:records:10 'comes last'
refuse hacc:0 'PARTICLES is a whole number'
refuse ior:1024:1000 'BLOCK a multiple of it'
refuse ior:random 'TRANSFER is a whole number'
refuse mpiiotest:8:8 'BLOCK is a whole number'
finish
