#!/bin/bash
#PBS -N with-concilio
#PBS -l select=4:ncpus=32:mpiprocs=32
#PBS -l walltime=01:00:00
# A job for PBS: qsub -v PROGRAM="./your_program arguments" pbs.sh
# Concilio is in $HOME/concilio, a virtual environment or a prefix of `cmake --install`. With a module file, load that.
set -eu
cd "$PBS_O_WORKDIR"
export PATH=$HOME/concilio/bin:$PATH
read -ra words <<< "$PROGRAM"

# One rank for each line of the list of hosts; mpirun knows the hosts by itself if its MPI was built for PBS.
ranks=$(wc -l < "$PBS_NODEFILE")
concilio run --summary --html "concilio-${PBS_JOBID%%.*}.html" mpirun -n "$ranks" "${words[@]}"
