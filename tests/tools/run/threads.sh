#!/bin/bash
# concilio run --threads gives every program MPI_THREAD_MULTIPLE, however it initialises MPI, and changes nothing else.
# Arguments: CONCILIO LAUNCHER PROGRAM [FORTRAN_COMPILER].
concilio=$1 launcher=$2 program=$3 fortran=${4:-}
source=$(dirname "$(realpath "$0")")/thread_level.f90
. "$(dirname "$0")/../common.sh"

for how in MPI_Init PMPI_Init MPI_Init_thread PMPI_Init_thread multiple; do
  level=lower
  [ $how = multiple ] && level=multiple
  expect 0 "$concilio" run "$launcher" -n 1 "$program" $how
  says out "^$level level, told the truth"
  expect 0 "$concilio" run --threads "$launcher" -n 2 "$program" $how
  says out '^multiple level, told the truth'
  says_not err 'concilio'
done
CONCILIO_THREADS=0 expect 0 "$concilio" run "$launcher" -n 1 "$program"
says out '^lower level, told the truth'

if [ -n "$fortran" ] && command -v gfortran > /dev/null; then
  for binding in mpi mpi_f08; do
    sed "s/BINDING/$binding/" "$source" > "$binding.f90"
    expect 0 "$fortran" -o "thread_level_$binding" "$binding.f90"
    for how in MPI_Init MPI_Init_thread; do
      expect 0 "$concilio" run "$launcher" -n 1 "./thread_level_$binding" $how
      says out '^lower level, told the truth'
      expect 0 "$concilio" run --threads "$launcher" -n 2 "./thread_level_$binding" $how
      says out '^multiple level, told the truth'
    done
  done
fi
finish
