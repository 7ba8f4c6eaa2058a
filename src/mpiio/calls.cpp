// The calls that move no data: open, close, sizes, hints, pointers.
#include <fmt/format.h>

#include <cstring>

#include "base/checked.h"
#include "mpiio/hints.h"
#include "mpiio/raise.h"
#include "store/stack.h"

namespace concilio::mpiio {
namespace {

Error argument(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

// A change that rank 0 makes to the file for all: every rank comes first, and none leaves before it is done.
template <typename F>
Status change_once(File& file, const Status& mine, F&& change) {
  if (auto status = file.agree(mine); !status) return status;
  return file.agree(file.team().rank() == 0 ? change() : Status());
}

Status check_size(File& file, MPI_Offset size) {
  if (!file.writes()) return Error{ErrorKind::read_only, 0, "the file was opened with MPI_MODE_RDONLY"};
  if (size < 0) return argument(fmt::format("a size of {} bytes", size));
  return {};
}

// The smallest position of the view, in etypes, behind the last byte of a file of `size` bytes.
int64_t end_of_view(const View& view, int64_t size) {
  if (view.access.empty()) return 0;
  return ceil_divide(view.access.data_before(size), view.etype_bytes);
}

}  // namespace

int open(MPI_Comm comm, const char* path, int amode, MPI_Info info, MPI_File* handle) {
  *handle = MPI_FILE_NULL;
  if (!path) return raise_without_file("", "MPI_File_open", {ErrorKind::bad_file, 0, "no file name"});
  std::string name = plain_path(path);
  auto file = File::open(comm, name, amode, info);
  if (!file) return raise_without_file(name, "MPI_File_open", file.error());
  *handle = (*file)->handle();
  return MPI_SUCCESS;
}

int close(MPI_File* handle) {
  std::unique_ptr<File> file(find(*handle));
  auto status = file->close();
  // The error handler is given the handle while it still means something to a user's function.
  int code = raise(*file, "MPI_File_close", status);
  *handle = MPI_FILE_NULL;
  return code;
}

int remove(const char* path, MPI_Info) {
  std::string name = path ? plain_path(path) : "";
  auto status = make_store(process_config())->remove(name);
  return status ? MPI_SUCCESS : raise_without_file(name, "MPI_File_delete", status.error());
}

int get_size(File& file, MPI_Offset* size) {
  std::lock_guard lock(file.mutex());
  auto bytes = file.storage().size();
  if (!bytes) return raise(file, "MPI_File_get_size", bytes.error());
  *size = *bytes;
  return MPI_SUCCESS;
}

int set_size(File& file, MPI_Offset size) {
  std::lock_guard lock(file.mutex());
  return raise(file, "MPI_File_set_size",
               change_once(file, check_size(file, size), [&] { return file.storage().resize(size); }));
}

int preallocate(File& file, MPI_Offset size) {
  std::lock_guard lock(file.mutex());
  return raise(file, "MPI_File_preallocate",
               change_once(file, check_size(file, size), [&] { return file.storage().preallocate(size); }));
}

int sync(File& file) {
  std::lock_guard lock(file.mutex());
  Status mine = file.writes() ? file.storage().sync() : Status();
  return raise(file, "MPI_File_sync", file.agree(mine));
}

int get_amode(File& file, int* amode) {
  *amode = file.amode();
  return MPI_SUCCESS;
}

int get_group(File& file, MPI_Group* group) {
  return PMPI_Comm_group(file.team().comm(), group);
}

int get_info(File& file, MPI_Info* info) {
  std::lock_guard lock(file.mutex());
  return make_info(file.config(), info);
}

int set_info(File& file, MPI_Info info) {
  std::lock_guard lock(file.mutex());
  file.adopt_hints(info);
  return MPI_SUCCESS;
}

int seek(File& file, MPI_Offset offset, int whence) {
  std::lock_guard lock(file.mutex());
  auto fail = [&](const Error& error) { return raise(file, "MPI_File_seek", error); };
  if (file.amode() & MPI_MODE_SEQUENTIAL) {
    return fail({ErrorKind::unsupported, 0, "the file was opened with MPI_MODE_SEQUENTIAL"});
  }
  int64_t from = 0;
  if (whence == MPI_SEEK_CUR) {
    from = file.position();
  } else if (whence == MPI_SEEK_END) {
    auto size = file.storage().size();
    if (!size) return fail(size.error());
    from = end_of_view(file.view(), *size);
  } else if (whence != MPI_SEEK_SET) {
    return fail(
        argument(fmt::format("whence is {}, none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END", whence)));
  }
  auto target = checked_add(from, offset);
  if (!target || *target < 0) return fail(argument(fmt::format("seek to {} etypes from {}", offset, from)));
  file.position() = *target;
  return MPI_SUCCESS;
}

int get_position(File& file, MPI_Offset* offset) {
  std::lock_guard lock(file.mutex());
  *offset = file.position();
  return MPI_SUCCESS;
}

int get_byte_offset(File& file, MPI_Offset offset, MPI_Offset* displacement) {
  std::lock_guard lock(file.mutex());
  const View& view = file.view();
  if (offset < 0)
    return raise(file, "MPI_File_get_byte_offset", argument(fmt::format("an offset of {}", offset)));
  auto position = checked_multiply(offset, view.etype_bytes);
  if (!position)
    return raise(file, "MPI_File_get_byte_offset", argument(fmt::format("an offset of {}", offset)));
  *displacement = view.access.empty() ? view.displacement : view.access.offset_of(*position);
  return MPI_SUCCESS;
}

int get_type_extent(File&, MPI_Datatype type, MPI_Count* extent) {
  MPI_Count lower_bound = 0;
  return PMPI_Type_get_extent_x(type, &lower_bound, extent);
}

int set_atomicity(File& file, int flag) {
  std::lock_guard lock(file.mutex());
  auto fail = [&](const Error& error) { return raise(file, "MPI_File_set_atomicity", error); };
  int both[2] = {flag != 0, flag == 0};
  PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MAX, file.team().comm());
  if (both[0] && both[1]) return fail({ErrorKind::not_same, 0, "the ranks give different flags"});
  if (flag && file.team().size() > 1 && !file.engine().locks_work) {
    return fail(
        {ErrorKind::unsupported, 0, "atomic mode needs locks, which do not work on this file system"});
  }
  file.atomic() = flag != 0;
  file.collective().forget();
  return MPI_SUCCESS;
}

int get_atomicity(File& file, int* flag) {
  *flag = file.atomic();
  return MPI_SUCCESS;
}

int unsupported(File& file, const char* function) {
  return raise(file, function,
               Error{ErrorKind::unsupported, 0,
                     "Concilio does not have this function yet; CONCILIO_ONLY or CONCILIO_DISABLE=1 leaves "
                     "the file to the MPI"});
}

}  // namespace concilio::mpiio
