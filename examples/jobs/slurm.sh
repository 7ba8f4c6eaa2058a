#!/bin/bash
#SBATCH --job-name=with-concilio
#SBATCH --nodes=4
#SBATCH --ntasks-per-node=32
#SBATCH --time=01:00:00
# A job for Slurm: sbatch slurm.sh ./your_program arguments
# Concilio is in $HOME/concilio, a virtual environment or a prefix of `cmake --install`. With a module file, load that.
set -eu
export PATH=$HOME/concilio/bin:$PATH

# The page is written at the end, also if the program fails, or if the time of the job runs out.
concilio run --summary --html "concilio-$SLURM_JOB_ID.html" srun "$@"
