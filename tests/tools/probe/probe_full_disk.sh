#!/bin/bash
# concilio probe on a disk that is full, and on one that nearly is. Arguments: CONCILIO MPI.
concilio=$1 mpi=$2
. "$(dirname "$0")/../common.sh"
let_ranks_rest
mkdir full small
if ! mount -t tmpfs -o size=2m none full 2>/dev/null; then
  echo 'cannot mount a small file system here'
  exit 77
fi
trap 'umount -l "$scratch/full" "$scratch/small" 2>/dev/null; rm -rf "$scratch"' EXIT
mount -t tmpfs -o size=16m none small || exit 1

expect 1 "$concilio" probe full -n 2 --quick --mpi "$mpi" --output profile.json
says err 'No space left on device'
[ -z "$(ls -A full)" ] || fail "left behind: $(ls -A full)"
[ ! -e profile.json ] || fail 'a profile was written'
expect 0 "$concilio" probe small -n 1 --quick --mpi "$mpi" --output profile.json
says err 'space is free'
[ -z "$(ls -A small)" ] || fail "left behind: $(ls -A small)"
finish
