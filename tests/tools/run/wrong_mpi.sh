#!/bin/bash
# A program of one MPI under the launcher of the other. Arguments: CONCILIO PARTS OPENMPI_LAUNCHER MPICH_LAUNCHER.
concilio=$1 parts=$2 openmpi=$3 mpich=$4
. "$(dirname "$0")/../common.sh"
export CONCILIO_LIBDIR=$parts
expect 2 "$concilio" run "$openmpi" -n 2 "$parts/program_of_mpich"
says err 'is linked with MPICH .* starts programs of Open MPI'
says err 'mpirun.mpich'
expect 2 "$concilio" run "$mpich" -n 2 "$parts/program_of_openmpi"
says err 'is linked with Open MPI .* starts programs of MPICH'
expect 2 "$concilio" run "$openmpi" -n 1 "$parts/program_of_openmpi" : -n 1 "$parts/program_of_mpich"
says err 'program_of_mpich is linked with MPICH'
# Started inside a launcher of the other MPI.
OMPI_COMM_WORLD_RANK=0 expect 2 "$concilio" run "$parts/program_of_mpich"
says err 'was started by a launcher of Open MPI'
finish
