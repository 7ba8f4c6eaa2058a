#!/bin/bash
# The benchmark must notice a wrong byte anywhere. Arguments: CONCILIO SPOILING_LIBRARY_FOLDER MPI.
concilio=$1 mpi=$3
. "$(dirname "$0")/../common.sh"
let_ranks_rest
# Without this, Open MPI waits a second for the other ranks after one has failed.
export OMPI_MCA_odls_base_sigkill_timeout=0
export CONCILIO_LIBDIR=$2
small=(-n 2 --mpi "$mpi" --mib-per-rank 0.01 --repetitions 1)
bench=("$concilio" bench hpio:64/64 --concilio "${small[@]}")
expect 0 "${bench[@]}"
SPOIL='read' expect 1 "${bench[@]}"
says err 'pattern hpio:64/64: rank 1: read at file offset 386: expected 0x.., found 0x'
SPOIL='write' expect 1 "${bench[@]}"
says err 'pattern hpio:64/64: rank 1: read at file offset 133: expected'
SPOIL='write' expect 1 "${bench[@]}" --write-only
says err 'rank 1: the file at file offset 133: expected'
SPOIL='write' expect 1 "$concilio" bench timesteps:3:4/64 --concilio "${small[@]}"
says err 'pattern timesteps:3:4/64: rank 1: read at file offset [0-9]*: expected'
SPOIL=gap expect 1 "${bench[@]}"
says err 'rank 1: memory between the pieces, at buffer offset 64: expected 0x5a, found 0x5b'
SPOIL=error expect 1 "${bench[@]}"
says err 'rank 1: read failed'
SPOIL=hole expect 1 "${bench[@]}"
says err 'a hole of the file at file offset 100: expected 0x3c, found 0x00'

# It must notice it in one of several methods too. The other methods are measured.
methods=("$concilio" bench hpio:64/64 --warm-up 1 "${small[@]}" --methods)
expect 0 "${methods[@]}" auto,posix
SPOIL='read' expect 1 "${methods[@]}" auto,posix
says err 'pattern hpio:64/64: auto: rank 1: read at file offset 386: expected 0x.., found 0x'
says out 'read  *posix .* MiB/s'
SPOIL='write' expect 1 "${methods[@]}" auto,posix
says err 'pattern hpio:64/64: auto: rank 1: the file at file offset 133: expected'
says out 'write  *posix .* MiB/s'
SPOIL=error expect 1 "${methods[@]}" auto,posix
says err 'auto: rank 1: read failed'
# A method must not get credit for what another one wrote before.
SPOIL=lazy expect 1 "${methods[@]}" posix,auto
says err 'auto: rank 1: the file at file offset 128: expected'
finish
