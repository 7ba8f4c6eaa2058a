#!/bin/bash
# concilio run with a real mpi4py: the library it needs is found, and MPI.File works. Arguments: CONCILIO MPI LAUNCHER
# PYTHON.
concilio=$1 mpi=$2 launcher=$3 python=$4
script=$(realpath "$(dirname "$0")/../../mpi/mpi4py_file.py")
. "$(dirname "$0")/../common.sh"
"$python" -c 'import mpi4py' 2> /dev/null || { echo "skipped: $python has no mpi4py"; exit 77; }
more=
[[ $mpi == openmpi* ]] && more=--oversubscribe
export CONCILIO_TEST_DIR=$scratch

for ranks in 1 3; do
  expect 0 "$concilio" run --report report.json "$launcher" $more -n $ranks "$python" "$script"
  says out ': 0 faults'
  grep -q "\"mpi\": \"$mpi\"" report.json || fail "no report by the library for $mpi"
done
# Without a launcher, and with a script that names its interpreter.
expect 0 "$concilio" run --report report.json "$python" "$script"
says out ': 0 faults'
{ echo "#!$python"; cat "$script"; } > program
chmod +x program
expect 0 "$concilio" run --report report.json "$launcher" $more -n 2 ./program
grep -q "\"mpi\": \"$mpi\"" report.json || fail "no report by the library for $mpi"
finish
