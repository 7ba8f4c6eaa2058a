#!/bin/bash
# concilio bench --device: buffers of a GPU that is not there. Arguments: CONCILIO MPI FOLDER_OF_THE_STAND-IN.
concilio=$1 mpi=$2 stand_in=$3
. "$(dirname "$0")/../common.sh"
let_ranks_rest
small=(-n 2 --mpi "$mpi" --mib-per-rank 0.25 --repetitions 2)

# The CPU cannot touch the buffers, so that this ends the program unless the driver copies them.
LD_LIBRARY_PATH=$stand_in expect 0 "$concilio" bench contiguous interleaved:64 block3d hpio:8/128:vector:100 "${small[@]}" --device cuda --concilio --json
[ "$(grep -c '"verified": true' out)" = 4 ] || fail 'not every pattern is verified'
says out '"device": "cuda"'
LD_LIBRARY_PATH=$stand_in expect 0 "$concilio" bench interleaved:64 "${small[@]}" --device cuda --concilio --overlap

# There is no driver: what is in its place is no library.
mkdir broken && : >broken/libcuda.so.1
LD_LIBRARY_PATH=$PWD/broken expect 1 "$concilio" bench contiguous "${small[@]}" --device cuda
says err 'there is no driver: .*libcuda.so.1'
says err "install NVIDIA's driver"
expect 2 "$concilio" bench contiguous "${small[@]}" --device levitating
says err 'device'
expect 2 "$concilio" bench contiguous "${small[@]}" --device cuda --methods auto
finish
