// The MPI-IO calls of a pattern.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "patterns/pattern.h"
#include "sim/patterns/calls.h"

namespace concilio::bench {

using sim::Calls;
using Hints = std::vector<std::pair<std::string, std::string>>;

enum class Operation { write, read };
const char* name_of(Operation operation);

std::string message_of(int code, const char* call);

struct Opening {
  MPI_Comm users = MPI_COMM_WORLD;
  std::string path;
  bool write = true;
  Hints hints;
};
// If the file cannot be opened, `file` is MPI_FILE_NULL.
int open_file(const Opening& opening, MPI_File& file);
// Opens the file, and sets the view of this access unless it is null. Returns what failed, or an empty text.
std::string open_file(const Opening& opening, const Access* access, MPI_File& file);

int set_view(MPI_File file, const Access& access);

// MPI_File_write_at_all and similar functions.
struct CallKind {
  Operation operation = Operation::write;
  Calls calls = Calls::collective;  // any but open
};
// `kind` may be nonblocking, and is then also waited for. Shared file pointers are where they are.
int transfer(MPI_File file, CallKind kind, const Access& access, void* buffer, MPI_Status& status);
// Begins a nonblocking call.
int begin_transfer(MPI_File file, CallKind kind, const Access& access, void* buffer, MPI_Request& request);

// What the error code or the status says is wrong with a call.
std::string failure_of(int code, const Access& access, const MPI_Status& status, const char* what);

}  // namespace concilio::bench
