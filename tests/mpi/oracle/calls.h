// The MPI calls that a case's openings and operations stand for.
#pragma once

#include <mpi.h>

#include <string>

#include "oracle_case.h"

namespace oracle {

// The communicator of this rank's openers among the ranks of `all`, which is `all` itself, MPI_COMM_SELF, or
// a new one.
MPI_Comm make_comm(MPI_Comm all, Openers openers);
void free_comm(MPI_Comm all, MPI_Comm* comm);

int open_file(MPI_Comm comm, const std::string& path, int amode, const Opening& opening, MPI_File* file);

// The forms of a data access call: blocking, nonblocking (whose request it makes), and split.
int blocking_call(MPI_File file, const Op& op, const Access& access, void* address, MPI_Datatype type,
                  MPI_Status* status);
int start_call(MPI_File file, const Op& op, const Access& access, void* address, MPI_Datatype type,
               MPI_Request* request);
int begin_call(MPI_File file, const Op& op, const Access& access, void* address, MPI_Datatype type);
int end_call(MPI_File file, const Op& op, void* address, MPI_Status* status);

}  // namespace oracle
