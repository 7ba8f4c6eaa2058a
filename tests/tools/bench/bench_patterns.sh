#!/bin/bash
# Every pattern, tiny, under the MPI's own MPI-IO. Arguments: CONCILIO MPI RANKS.
concilio=$1 mpi=$2 ranks=$3
. "$(dirname "$0")/../common.sh"
let_ranks_rest
all=(contiguous interleaved:64 interleaved:7 interleaved:4096 hpio:64/64 hpio:24/8 hpio:8/0 hpio:64/64:contigmem
  block3d block4d block4d:1 btio unstruc unstruc:12 hpio:24/8:struct hpio:24/8:indexed hpio:8/24:contigmem:struct:37 extent:256/25
  extent:7/100 timesteps:3 timesteps:1:2/5 timesteps:5:7/3)
expect 0 "$concilio" bench "${all[@]}" -n "$ranks" --mpi "$mpi" --mib-per-rank 0.05 --repetitions 2
[ "$(grep -c 'write .* read ' out)" = 22 ] || fail 'not every pattern was measured'
[ "$ranks" = 3 ] && says out 'btio needs a square number of ranks: 1 of 3 have data'
several_calls=(hacc hacc:30:records hacc:fpp variables variables:3:2:7 ior:10000 ior:9000:18000:random mpiiotest:20000)
expect 0 "$concilio" bench "${several_calls[@]}" -n "$ranks" --mpi "$mpi" --mib-per-rank 0.05 --repetitions 1
[ "$(grep -c 'write .* read ' out)" = 8 ] || fail 'not every pattern of several calls was measured'
expect 0 "$concilio" bench "${all[@]}" -n "$ranks" --mpi "$mpi" --mib-per-rank 0.001 --repetitions 1 --independent
expect 0 "$concilio" bench hpio:64/64 block3d hacc:fpp -n "$ranks" --mpi "$mpi" --mib-per-rank 0.02 --repetitions 1 --read-only
says_not out write
expect 0 "$concilio" bench hpio:64/64 block3d -n "$ranks" --mpi "$mpi" --mib-per-rank 0.02 --repetitions 1 --write-only \
  --hint romio_cb_write=enable
says_not out 'read '
leaves_only
finish
