#!/bin/bash
# situations.sh CONCILIO MPI LAUNCHER EXAMPLES [FORTRAN]: what the pages of docs/situations have a reader do: the
# summary says what is wrong with the slow h5py program and nothing of the other, and the Fortran program runs.
concilio=$1 mpi=$2 launcher=$3 examples=$4 fortran=${5:-}
. "$(dirname "$0")/../tools/common.sh"
export OMPI_MCA_btl_vader_single_copy_mechanism=none
start=("$launcher" -n 2)
if [[ $mpi == openmpi* ]]; then start+=(--oversubscribe); fi
let_ranks_rest
tried=0

# Debian's h5py for MPI is for Open MPI.
python=/usr/bin/python3
if [ "$mpi" = openmpi ] && "$python" -c 'import importlib.util as u, sys; sys.exit(not u.find_spec("h5py._debian_h5py_mpi"))' 2> /dev/null; then
  tried=1
  expect 0 "$concilio" run --summary "${start[@]}" "$python" "$examples/h5py_columns.py" independent.h5
  says err '511-byte independent writes, 327.. by 2 ranks: make them fewer and collective: .*with dset.collective:'
  expect 0 "$concilio" run --summary "${start[@]}" "$python" "$examples/h5py_columns.py" collective.h5 collective
  says err '2 collective writes'
  says_not err 'make them'
fi
if [ -n "$fortran" ]; then
  tried=1
  expect 0 "$fortran" "$examples/columns.f90" -o columns
  expect 0 "$concilio" run --summary "${start[@]}" ./columns columns.dat
  says err '2 collective writes, 2 collective reads by 2 ranks'
  [ "$(stat -c %s columns.dat)" = 524288 ] || fail "columns.dat has $(stat -c %s columns.dat) bytes"
fi
if [ $tried = 0 ]; then echo "skipped: neither a parallel h5py nor a Fortran compiler of this MPI is here"; exit 77; fi
finish
