// Notices tasks that Slurm started as ranks of one program, and that MPI did not bring together.
#pragma once

namespace concilio::bind {

// Warns, on the first task of a step of srun with several, if MPI has a world of one rank there: then srun
// and this MPI do not talk to each other (srun --mpi), each task believes that it is the whole program, and
// all of them write the same files.
void warn_of_lone_worlds();

}  // namespace concilio::bind
