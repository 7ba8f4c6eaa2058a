#include "scorpio/files/group.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/settings/config.h"
#include "scorpio/files/netcdf.h"
#include "scorpio/ranks/begin.h"
#include "scorpio/ranks/group_size.h"

namespace concilio::scorpio {
namespace {

Result<LayoutRef> layout_for(const Group& group, bool reads, int64_t bytes) {
  if (group.group_size > 0) return layout_of(group.comm, group.group_size, group.share_memory);
  const auto per_node = ranks_per_node(group.comm);
  if (!per_node) return per_node.error();
  int ranks = 1;
  MPI_Comm_size(group.comm, &ranks);
  return layout_of(group.comm, chosen_group_size(reads, ranks, *per_node, bytes), group.share_memory);
}

// Returns the file's size as rank 0 sees it; 0 if there is no file, which is an error only when it is opened.
int64_t size_of(const std::string& name, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  int64_t bytes = 0;
  struct stat found;
  if (rank == 0 && stat(name.c_str(), &found) == 0) bytes = found.st_size;
  MPI_Bcast(&bytes, 1, MPI_INT64_T, 0, comm);
  return bytes;
}

Result<hid_t> open_on_root(const File& file, file_mode_t mode) {
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!access.ok() || H5Pset_fapl_mpio(access, file.layout->io, MPI_INFO_NULL) < 0)
    return hdf5_error("could not prepare HDF5 for parallel access");
  // Objects that a program forgets to close must not keep the file open behind its back.
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  hid_t id = -1;
  const char* tried = "open";
  // These properties are closed after the error has been read, since closing them would clear HDF5's error
  // stack.
  Handle creation;
  if (mode == SCORPIO_FILE_READONLY) {
    id = H5Fopen(file.name.c_str(), H5F_ACC_RDONLY, access);
  } else if (mode == SCORPIO_FILE_READWRITE) {
    id = H5Fopen(file.name.c_str(), H5F_ACC_RDWR, access);
    tried = "open for writing";
  } else {
    creation = file.netcdf ? netcdf_file_creation() : Handle(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
    id = H5Fcreate(file.name.c_str(), H5F_ACC_TRUNC, creation, access);
    tried = "create";
  }
  if (id < 0) return hdf5_error(fmt::format("could not {} the file", tried));
  return id;
}

}  // namespace

// The environment may differ between nodes. So all ranks use the smallest buffer, and share memory only if
// every rank may.
Status take_settings(Group& group) {
  const Config config = Config::from_environment();
  int rank = 0;
  MPI_Comm_rank(group.comm, &rank);
  for (const std::string& complaint : config.complaints()) {
    if (rank == 0 && complaint.find("SCORPIO_") != std::string::npos)
      fmt::print(stderr, "concilio: {}\n", complaint);
  }
  int64_t mine[2] = {config.integer(Key::scorpio_buffer_bytes), config.integer(Key::scorpio_shared_memory)},
          all[2];
  if (Status status =
          mpi::checked_mpi(MPI_Allreduce(mine, all, 2, MPI_INT64_T, MPI_MIN, group.comm), "MPI_Allreduce");
      !status)
    return status;
  group.buffer_bytes = all[0];
  group.share_memory = all[1] != 0;
  return {};
}

Result<File*> Group::file(int handle) {
  if (handle < 0 || handle >= static_cast<int>(files.size()) || !files[static_cast<size_t>(handle)])
    return Error{ErrorKind::argument, 0,
                 fmt::format("{} is no handle of an open file of this I/O group", handle)};
  return files[static_cast<size_t>(handle)].get();
}

const LayoutRef& Group::layout_of_file(int handle) const {
  const bool had_file = handle >= 0 && handle < static_cast<int>(layouts.size());
  return had_file ? layouts[static_cast<size_t>(handle)] : layout;
}

std::string File::path_of(const std::string& name, bool in_open_group) const {
  std::string path = name;
  if (name.empty() || name.front() != '/') {
    const bool begins_there = in_group && !groups.empty() && (in_open_group || relative_names);
    const std::string base = begins_there ? groups.back().path : "";
    // Some programs repeat the open group's name in relative names, others do not.
    const bool repeats =
        relative_names && !base.empty() && ("/" + name).compare(0, base.size() + 1, base + "/") == 0;
    path = (repeats ? "" : base) + "/" + name;
  }
  std::string out;
  for (const char c : path) {
    if (c != '/' || out.empty() || out.back() != '/') out += c;
  }
  if (out.size() > 1 && out.back() == '/') out.pop_back();
  return out;
}

Result<std::unique_ptr<Group>> make_group(iogroup_conf_t& conf) {
  auto group = std::make_unique<Group>();
  const auto own = own_communicator(conf.commIncoming);
  if (!own) return own.error();
  group->comm = own->comm;
  group->number = own->groups;
  int ranks = 1;
  MPI_Comm_size(group->comm, &ranks);
  // Programs that give numIOgroups leave preferredGroupSize unset. It may then hold anything, and need not be
  // the same on all ranks.
  if (conf.numIOgroups > 0)
    conf.preferredGroupSize = conf.numIOgroups <= ranks ? ranks / conf.numIOgroups : ranks;
  group->group_size = std::clamp(conf.preferredGroupSize, 0, ranks);
  const std::string call = fmt::format("makes I/O groups of {} ranks", group->group_size);
  if (Status status = begin_together({group->comm, ""}, call, {}); !status) return status.error();
  if (Status status = take_settings(*group); !status) return status.error();
  auto layout = layout_for(*group, false, 0);
  if (!layout) return layout.error();
  group->layout = *layout;
  return group;
}

Status end_group(Group& group) {
  Status outcome;
  for (size_t handle = 0; handle < group.files.size(); ++handle) {
    // Roots may have closed a file while the other ranks still list it. So the roots' lists decide.
    const File* file = group.files[handle].get();
    if (!file || !file->is_root()) continue;
    const std::string name = file->name;
    const Status closed = close_file(group, static_cast<int>(handle));
    if (outcome && !closed)
      outcome = Error{closed.error().kind, 0, fmt::format("{}: {}", name, closed.error().message)};
  }
  for (const LayoutRef& layout : layouts_of(group.comm)) layout->notices.forget(layout->local, group.number);
  release_buffers(group.comm, nullptr);
  return agree(group.comm, outcome);
}

Result<int> open_file(Group& group, const std::string& name, file_mode_t mode) {
  auto file = std::make_unique<File>();
  file->name = name;
  file->writable = mode != SCORPIO_FILE_READONLY;
  file->netcdf = mode == SCORPIO_FILE_CREATE_NETCDF4;
  file->relative_names = group.relative_names;
  file->made = file->netcdf || mode == SCORPIO_FILE_CREATE;
  const bool reads = mode == SCORPIO_FILE_READONLY;
  const bool chooses = group.group_size == 0;
  // The size of a file to read is known. The size that the program has announced is that of the next file
  // that it makes, and of no other.
  int64_t bytes = 0;
  if (chooses) bytes = reads ? size_of(name, group.comm) : std::exchange(group.expected_bytes, 0);
  auto layout = layout_for(group, reads, bytes);
  if (!layout) return layout.error();
  file->layout = *layout;
  Status opened = at_roots(*file, [&]() -> Status {
    auto id = open_on_root(*file, mode);
    if (!id) return id.error();
    file->id = *id;
    if (mode == SCORPIO_FILE_READWRITE) file->netcdf = is_netcdf(file->id);
    if (reads) file->plain = plain_file(name);
    return {};
  });
  if (!opened) {
    if (file->id >= 0) (void)close_hdf5_file(file->id);
    return Error{opened.error().kind, 0, fmt::format("{}: {}", name, opened.error().message)};
  }
  group.layout = file->layout;
  iofile_t& shown = file->shown;
  shown.handle = static_cast<int>(group.files.size());
  name.copy(shown.filename, MAX_FILENAME - 1);
  shown.fid = file->id;
  shown.acc_tpl = shown.xfer_plist = shown.link_plist = shown.sid = shown.file_dataspace =
      shown.mem_dataspace = shown.dataset = shown.groupid = -1;
  group.shown.push_back(&file->shown);
  group.layouts.push_back(file->layout);
  group.files.push_back(std::move(file));
  return group.shown.back()->handle;
}

Status close_file(Group& group, int handle) {
  const std::unique_ptr<File> file = std::move(group.files[static_cast<size_t>(handle)]);
  forget_file(group, handle);
  return among_roots(*file, [&]() -> Status {
    for (const OpenGroup& open : file->groups) H5Gclose(open.handle);
    return close_hdf5_file(file->id);
  });
}

void forget_file(Group& group, int handle) {
  group.files[static_cast<size_t>(handle)].reset();
  group.shown[static_cast<size_t>(handle)] = nullptr;
}

void show(const Group& group, iogroup_t& shown) {
  const Layout& layout = *group.layout;
  shown.localrank = layout.local_rank;
  shown.globalrank = layout.rank;
  shown.localsize = layout.local_ranks;
  shown.globalsize = layout.ranks;
  shown.iogroupRank = layout.group;
  shown.iogroupSize = layout.local_ranks;
  shown.numIOgroups = layout.groups;
  shown.preferredGroupSize = layout.group_size;
  shown.localcomm = layout.local;
  shown.globalcomm = layout.global;
  shown.iocomm = layout.io;
  shown.numFiles = static_cast<int>(group.shown.size());
  shown.file = const_cast<iofile_t**>(group.shown.data());
}

}  // namespace concilio::scorpio
