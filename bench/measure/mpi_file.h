// The MPI-IO calls of a pattern.
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "patterns/pattern.h"

namespace concilio::bench {

using Hints = std::vector<std::pair<std::string, std::string>>;

enum class Operation { write, read };
const char* name_of(Operation operation);

std::string message_of(int code, const char* call);

// Opens the file, and sets the view of `accesses` if there is only one. Returns what failed, or an empty
// text. If the file cannot be opened, `file` is MPI_FILE_NULL.
struct Opening {
  MPI_Comm users = MPI_COMM_WORLD;
  std::string path;
  bool write = true;
  Hints hints;
};
std::string open_file(const Opening& opening, const std::vector<Access>& accesses, MPI_File& file);

int set_view(MPI_File file, const Access& access);

// MPI_File_write_at_all and similar functions.
struct CallKind {
  Operation operation = Operation::write;
  bool collective = true;
};
int transfer(MPI_File file, CallKind kind, const Access& access, void* buffer, MPI_Status& status);

// What the error code or the status says is wrong with a call.
std::string failure_of(int code, const Access& access, const MPI_Status& status, const char* what);

}  // namespace concilio::bench
