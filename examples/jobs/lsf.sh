#!/bin/bash
#BSUB -J with-concilio
#BSUB -n 128
#BSUB -R "span[ptile=32]"
#BSUB -W 60
# A job for LSF: PROGRAM="./your_program arguments" bsub < lsf.sh
# Concilio is in $HOME/concilio, a virtual environment or a prefix of `cmake --install`. With a module file, load that.
set -eu
export PATH=$HOME/concilio/bin:$PATH
read -ra words <<< "$PROGRAM"

# mpirun knows the hosts by itself if its MPI was built for LSF.
concilio run --summary --html "concilio-$LSB_JOBID.html" mpirun -n "$LSB_DJOB_NUMPROC" "${words[@]}"
