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

std::string open_file(const Opening& opening, const std::vector<Access>& accesses, MPI_File& file) {
  MPI_Info info = MPI_INFO_NULL;
  if (!opening.hints.empty()) MPI_Info_create(&info);
  for (const auto& [name, value] : opening.hints) MPI_Info_set(info, name.c_str(), value.c_str());
  const int mode = opening.write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
  int code = MPI_File_open(opening.users, opening.path.c_str(), mode, info, &file);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  if (code != MPI_SUCCESS) {
    file = MPI_FILE_NULL;
    return message_of(code, "MPI_File_open");
  }
  if (accesses.size() > 1) return {};
  code = set_view(file, accesses[0]);
  return code == MPI_SUCCESS ? "" : message_of(code, "MPI_File_set_view");
}

int set_view(MPI_File file, const Access& access) {
  return MPI_File_set_view(file, access.displacement, access.etype, access.filetype.get(), "native",
                           MPI_INFO_NULL);
}

int transfer(MPI_File file, CallKind kind, const Access& access, void* buffer, MPI_Status& status) {
  const MPI_Datatype type = access.memory.get();
  if (kind.operation == Operation::write) {
    return kind.collective ? MPI_File_write_at_all(file, 0, buffer, access.count, type, &status)
                           : MPI_File_write_at(file, 0, buffer, access.count, type, &status);
  }
  return kind.collective ? MPI_File_read_at_all(file, 0, buffer, access.count, type, &status)
                         : MPI_File_read_at(file, 0, buffer, access.count, type, &status);
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
