// The calls that move no data: open, close, sizes, hints, file pointers.
#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "base/checked.h"
#include "base/exceptions.h"
#include "mpi/epoch.h"
#include "mpi/nodes/agree.h"
#include "mpiio/calls/raise.h"
#include "mpiio/file/call_record.h"
#include "mpiio/file/report.h"
#include "mpiio/settings/hints.h"
#include "mpiio/settings/process_config.h"
#include "store/wrappers/stack.h"

namespace concilio::mpiio {
namespace {

constexpr const char* different_arguments = "the ranks give different arguments";

Error argument(std::string message) {
  return {ErrorKind::argument, 0, std::move(message)};
}

Status check_not_sequential(const File& file) {
  if (!(file.amode() & MPI_MODE_SEQUENTIAL)) return {};
  return Error{ErrorKind::unsupported, 0, "the file was opened with MPI_MODE_SEQUENTIAL"};
}

Status check_size(const File& file, MPI_Offset size) {
  if (auto status = check_not_sequential(file); !status) return status;
  if (!file.writes()) return Error{ErrorKind::read_only, 0, "the file was opened with MPI_MODE_RDONLY"};
  if (size < 0) return argument(fmt::format("a size of {} bytes", size));
  return {};
}

// Rank 0 changes the size of the file for all ranks, which must want the same. It begins when all ranks have
// come, and no rank returns before it is done.
template <typename Change>
Status change_size(File& file, exec::CallKind kind, MPI_Offset size, const Change& change) {
  const auto prepare = [&](exec::Terms& terms) {
    terms.least = terms.most = size;
    return check_size(file, size);
  };
  return file.in_turn(kind, prepare, [&](const exec::Terms& all) -> Status {
    if (all.least != all.most)
      return error_with(ErrorKind::not_same, 0, [] { return std::string(different_arguments); });
    if (auto status = file.settle(); !status) return status;
    const bool changes = file.team().rank() == 0;
    if (!file.opened()->caches_differ()) return file.agree(changes ? without_exceptions(change) : Status());
    // What a client still keeps of earlier writes must not make the file longer again.
    if (auto status = file.agree(file.storage().flush()); !status) return status;
    Status changed = file.agree(without_exceptions([&]() -> Status {
      if (!changes) return {};
      const Status done = change();
      return done ? file.storage().flush() : done;
    }));
    file.storage().note_others_wrote();
    return changed;
  });
}

// A call that all ranks of the file make, and its line in the record of calls, where there is one.
template <typename Work>
Status recorded(File& file, const char* call, int64_t argument, const Work& work) {
  const CallRecord::Timing timing(file.record());
  Status status = work();
  if (file.record() && status) file.record()->changed(file, call, argument, timing);
  return status;
}

// The smallest position in the view, in etypes, that is behind the last byte of a file of `size` bytes.
int64_t end_of_view(const View& view, int64_t size) {
  const Shown& shown = view.shown();
  if (shown.access.empty()) return 0;
  return ceil_divide(shown.access.data_before(size), shown.etype_bytes);
}

}  // namespace

int open(MPI_Comm comm, const char* path, int amode, MPI_Info info, MPI_File* handle) {
  if (!handle) {
    return raise_without_file(path ? path : "", "MPI_File_open",
                              {ErrorKind::argument, 0, "no place for the file's handle"});
  }
  *handle = MPI_FILE_NULL;
  if (!path) return raise_without_file("", "MPI_File_open", {ErrorKind::bad_file, 0, "no file name"}, comm);
  path = plain_path(path);
  // MPI's own calls on such a communicator would call its error handler, which as a rule ends the program.
  int between_groups = 1;
  if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &between_groups);
  if (between_groups) {
    return raise_without_file(
        path, "MPI_File_open",
        {ErrorKind::communicator, 0, "a file needs the communicator of one group, and not MPI_COMM_NULL"});
  }
  auto file = File::open(comm, path, amode, info);
  if (!file) {
    report_failed_open(comm, path, file.error());
    return raise_without_file(path, "MPI_File_open", file.error(), comm);
  }
  *handle = (*file)->handle();
  return MPI_SUCCESS;
}

int close(MPI_File* handle, void (*forget)(MPI_File)) {
  File* open = find(*handle);
  const CallRecord::Timing timing(open->record());
  bool stays_open = false;
  const Status status = open->close(stays_open);
  if (stays_open) return raise(*open, "MPI_File_close", status);
  if (open->record()) open->record()->changed(*open, "close", -1, timing);
  // This must come before the file is deleted: from then on another thread's new file may get the same
  // handle. If there is no memory for the table of handles to forget, no entry of this file can be in it.
  if_there_is_memory([&] { forget(*handle); });
  const std::unique_ptr<File> file(open);
  *handle = MPI_FILE_NULL;
  return raise_closed(*file, "MPI_File_close", status);
}

int remove(const char* path, MPI_Info) {
  const std::string name = path ? plain_path(path) : "";
  CallRecord* const record = CallRecord::of_process();
  const CallRecord::Timing timing(record);
  auto status = store::make_store(process_config(), mpi::rank_in_job())->remove(name);
  if (record && status) record->removed(name, timing);
  return status ? MPI_SUCCESS : raise_without_file(name, "MPI_File_delete", status.error());
}

int get_size(File& file, MPI_Offset* size) {
  auto bytes = file.storage().size();
  if (!bytes) return raise(file, "MPI_File_get_size", bytes.error());
  *size = *bytes;
  return MPI_SUCCESS;
}

int set_size(File& file, MPI_Offset size) {
  return raise(file, "MPI_File_set_size", recorded(file, "set_size", size, [&] {
                 return change_size(file, exec::CallKind::set_size, size,
                                    [&] { return file.storage().resize(size); });
               }));
}

int preallocate(File& file, MPI_Offset size) {
  return raise(file, "MPI_File_preallocate", recorded(file, "preallocate", size, [&] {
                 return change_size(file, exec::CallKind::preallocate, size, [&]() -> Status {
                   // Where space cannot be reserved, a byte is written behind the end of the file, which must
                   // not be an old one.
                   if (file.opened()->cached_by_client()) {
                     if (Status fresh = file.storage().refresh(); !fresh) return fresh;
                   }
                   return file.storage().preallocate(size);
                 });
               }));
}

int sync(File& file) {
  const auto sync_all = [&] {
    const Status settled = file.settle();
    Status synced =
        file.agree(without_exceptions([&] { return file.writes() ? file.storage().sync() : Status(); }));
    // Now the storage has what all ranks have written, and other opens before their syncs. But this rank may
    // still have older pages in its cache.
    if (synced && file.opened()->cached_by_client())
      synced = file.agree(without_exceptions([&] { return file.storage().refresh(); }));
    return settled ? synced : settled;
  };
  return raise(file, "MPI_File_sync",
               recorded(file, "sync", -1, [&] { return file.in_turn(exec::CallKind::sync, sync_all); }));
}

int get_amode(File& file, int* amode) {
  *amode = file.amode();
  return MPI_SUCCESS;
}

int refuse_null(File& file, const char* function) {
  return raise(file, function, {ErrorKind::argument, 0, "no place for the result"});
}

int get_group(File& file, MPI_Group* group) {
  return PMPI_Comm_group(file.team().comm(), group);
}

// Which kinds of memory MPI supports is a matter of the world or session, not of a file.
int get_info(File& file, MPI_Info* info) {
  constexpr const char* kinds_of_memory = "mpi_memory_alloc_kinds";
  const int code = make_info(*file.config(), info);
  MPI_Info of_comm;
  if (code != MPI_SUCCESS || PMPI_Comm_get_info(file.team().comm(), &of_comm) != MPI_SUCCESS) return code;
  char kinds[MPI_MAX_INFO_VAL + 1] = "";
  int known = 0;
  PMPI_Info_get(of_comm, kinds_of_memory, MPI_MAX_INFO_VAL, kinds, &known);
  if (known) PMPI_Info_set(*info, kinds_of_memory, kinds);
  PMPI_Info_free(&of_comm);
  return code;
}

int set_info(File& file, MPI_Info info) {
  return raise(file, "MPI_File_set_info", file.in_turn(exec::CallKind::set_info, [&]() -> Status {
    Status settled = file.settle();
    if (auto adopted = file.adopt_hints(info); !adopted) return adopted;
    return settled;
  }));
}

namespace {

// The byte of the file at an offset in the view. Returns an error if it is beyond what 64 bits can hold.
Result<int64_t> byte_at(const View& view, int64_t etypes) {
  const Shown& shown = view.shown();
  const auto position = etypes < 0 ? std::nullopt : checked_multiply(etypes, shown.etype_bytes);
  if (position && shown.access.empty()) return view.displacement;
  const auto byte = position ? shown.access.exact_offset_of(*position) : std::nullopt;
  if (!byte)
    return argument(fmt::format("an offset of {} etypes lies outside the bytes of the file", etypes));
  return *byte;
}

// The position that a seek leads to; current() returns where the pointer is.
Result<int64_t> target_of(File& file, MPI_Offset offset, int whence,
                          const std::function<Result<int64_t>()>& current) {
  if (auto status = check_not_sequential(file); !status) return status.error();
  int64_t from = 0;
  if (whence == MPI_SEEK_CUR) {
    auto position = current();
    if (!position) return position;
    from = *position;
  } else if (whence == MPI_SEEK_END) {
    auto size = file.storage().size();
    if (!size) return size;
    from = end_of_view(*file.view(), *size);
  } else if (whence != MPI_SEEK_SET) {
    return argument(
        fmt::format("whence is {}, which is not MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END", whence));
  }
  auto target = checked_add(from, offset);
  if (!target || !byte_at(*file.view(), *target))
    return argument(fmt::format("seek to {} etypes from {}", offset, from));
  return *target;
}

}  // namespace

int seek(File& file, MPI_Offset offset, int whence) {
  auto target = target_of(file, offset, whence, [&]() -> Result<int64_t> { return file.position(); });
  if (!target) return raise(file, "MPI_File_seek", target.error());
  file.set_position(*target);
  return MPI_SUCCESS;
}

int get_position(File& file, MPI_Offset* offset) {
  if (auto status = check_not_sequential(file); !status) return raise(file, "MPI_File_get_position", status);
  *offset = file.position();
  return MPI_SUCCESS;
}

// Collective: rank 0 moves the pointer for all ranks, after all have asked for the same position.
int seek_shared(File& file, MPI_Offset offset, int whence) {
  auto status = file.in_turn(exec::CallKind::seek_shared, [&]() -> Status {
    if (auto same = agree_on(file.team(), {offset, int64_t{whence}}, different_arguments); !same) return same;
    return file.agree(without_exceptions([&]() -> Status {
      if (file.team().rank() != 0) return {};
      auto target = target_of(file, offset, whence, [&] { return file.shared_pointer().get(); });
      if (target) target = file.shared_pointer().set(*target);
      if (!target) return target.error();
      return {};
    }));
  });
  return raise(file, "MPI_File_seek_shared", status);
}

int get_position_shared(File& file, MPI_Offset* offset) {
  auto fail = [&](const Error& error) { return raise(file, "MPI_File_get_position_shared", error); };
  if (auto status = check_not_sequential(file); !status) return fail(status.error());
  auto position = file.shared_pointer().get();
  if (!position) return fail(position.error());
  *offset = *position;
  return MPI_SUCCESS;
}

int get_byte_offset(File& file, MPI_Offset offset, MPI_Offset* displacement) {
  auto byte = byte_at(*file.view(), offset);
  if (!byte) return raise(file, "MPI_File_get_byte_offset", byte.error());
  *displacement = *byte;
  return MPI_SUCCESS;
}

// The extent of `type` in the file, where elements of the type lie one behind another.
int get_type_extent(File& file, MPI_Datatype type, MPI_Count* extent) {
  auto fail = [&](const Error& error) { return raise(file, "MPI_File_get_type_extent", error); };
  // MPI's own function would call the error handler of a communicator.
  if (type == MPI_DATATYPE_NULL) return fail({ErrorKind::datatype, 0, "the datatype is MPI_DATATYPE_NULL"});
  auto view = file.view();
  if (!view->representation) {
    MPI_Count lower_bound = 0;
    return PMPI_Type_get_extent_x(type, &lower_bound, extent);
  }
  auto form = decode(type, *view->representation, file.descriptions());
  if (!form) return fail(form.error());
  *extent = (*form)->layout.extent;
  return MPI_SUCCESS;
}

int register_datarep(const mpi::UserRepresentation& wanted) {
  auto status = register_representation(wanted);
  return status ? MPI_SUCCESS : raise_without_file("", "MPI_Register_datarep", status.error());
}

int set_atomicity(File& file, int flag) {
  const auto set = [&]() -> Status {
    if (auto same = agree_on(file.team(), {flag != 0}, different_arguments); !same) return same;
    const auto opened = file.opened();
    if (flag && !opened->locks_work && (file.team().size() > 1 || opened->concurrent)) {
      return Error{ErrorKind::unsupported, 0,
                   "atomic mode needs locks, which do not work on this file system"};
    }
    if (auto settled = file.settle(); !settled) return settled;
    if (auto changed = file.set_atomic(flag != 0); !changed) return changed;
    file.collective().forget();
    return {};
  };
  return raise(file, "MPI_File_set_atomicity", recorded(file, "set_atomicity", flag != 0, [&] {
                 return file.in_turn(exec::CallKind::set_atomicity, set);
               }));
}

int get_atomicity(File& file, int* flag) {
  *flag = file.opened()->atomic;
  return MPI_SUCCESS;
}

}  // namespace concilio::mpiio
