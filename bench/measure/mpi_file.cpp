#include "measure/mpi_file.h"

#include <fmt/format.h>

namespace concilio::bench {

const char* name_of(Operation operation) {
  return operation == Operation::write ? "write" : "read";
}

std::string message_of(int code, const char* call) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fmt::format("{} failed: {}", call, text);
}

int open_file(const Opening& opening, MPI_File& file) {
  MPI_Info info = MPI_INFO_NULL;
  if (!opening.hints.empty()) MPI_Info_create(&info);
  for (const auto& [name, value] : opening.hints) MPI_Info_set(info, name.c_str(), value.c_str());
  const int mode = opening.write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
  const int code = MPI_File_open(opening.users, opening.path.c_str(), mode, info, &file);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (code != MPI_SUCCESS) file = MPI_FILE_NULL;
  return code;
}

std::string open_file(const Opening& opening, const Access* access, MPI_File& file) {
  int code = open_file(opening, file);
  if (code != MPI_SUCCESS) return message_of(code, "MPI_File_open");
  if (!access) return {};
  code = set_view(file, *access);
  return code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_set_view");
}

int set_view(MPI_File file, const Access& access) {
  return MPI_File_set_view(file, access.displacement, access.etype, access.filetype.get(), "native",
                           MPI_INFO_NULL);
}

int transfer(MPI_File file, CallKind kind, const Access& access, void* buffer, MPI_Status& status) {
  const MPI_Datatype type = access.memory.get();
  const bool writes = kind.operation == Operation::write;
  switch (kind.calls) {
    case Calls::collective:
    case Calls::files:
      return writes ? MPI_File_write_at_all(file, access.offset, buffer, access.count, type, &status)
                    : MPI_File_read_at_all(file, access.offset, buffer, access.count, type, &status);
    case Calls::independent:
      return writes ? MPI_File_write_at(file, access.offset, buffer, access.count, type, &status)
                    : MPI_File_read_at(file, access.offset, buffer, access.count, type, &status);
    case Calls::shared:
      return writes ? MPI_File_write_shared(file, buffer, access.count, type, &status)
                    : MPI_File_read_shared(file, buffer, access.count, type, &status);
    case Calls::icollective:
    case Calls::iindependent: {
      MPI_Request request;
      const int code = begin_transfer(file, kind, access, buffer, request);
      return code == MPI_SUCCESS ? MPI_Wait(&request, &status) : code;
    }
    case Calls::open:
      break;
  }
  return MPI_ERR_ARG;
}

int begin_transfer(MPI_File file, CallKind kind, const Access& access, void* buffer, MPI_Request& request) {
  const MPI_Datatype type = access.memory.get();
  if (kind.operation == Operation::write) {
    return is_collective(kind.calls)
               ? MPI_File_iwrite_at_all(file, access.offset, buffer, access.count, type, &request)
               : MPI_File_iwrite_at(file, access.offset, buffer, access.count, type, &request);
  }
  return is_collective(kind.calls)
             ? MPI_File_iread_at_all(file, access.offset, buffer, access.count, type, &request)
             : MPI_File_iread_at(file, access.offset, buffer, access.count, type, &request);
}

std::string failure_of(int code, const Access& access, const MPI_Status& status, const char* what) {
  if (code != MPI_SUCCESS) return message_of(code, what);
  if (access.count == 0) return {};
  int count = 0;
  MPI_Get_count(&status, access.memory.get(), &count);
  if (count == access.count) return {};
  return fmt::format("{}: the status says {} of {} items", what, count, access.count);
}

}  // namespace concilio::bench
