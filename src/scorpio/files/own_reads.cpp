#include "scorpio/files/own_reads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/system/cached_file.h"
#include "scorpio/cells/pieces.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {
namespace {

// A rank that reads shorter pieces spends more time on requests than it saves.
constexpr int64_t least_piece_bytes = 8 << 10;

// File systems of one node: opening a file costs little, and all ranks read from one page cache.
constexpr std::array<uint32_t, 6> local_file_systems = {EXT4_SUPER_MAGIC,  XFS_SUPER_MAGIC,
                                                        BTRFS_SUPER_MAGIC, F2FS_SUPER_MAGIC,
                                                        TMPFS_MAGIC,       OVERLAYFS_SUPER_MAGIC};

FileIdentity identity_of(const struct stat& found) {
  return {static_cast<int64_t>(found.st_dev), static_cast<int64_t>(found.st_ino)};
}

std::string name_of_file(hid_t object) {
  const ssize_t length = H5Fget_name(object, nullptr, 0);
  if (length <= 0) return {};
  std::string name(static_cast<size_t>(length), '\0');
  H5Fget_name(object, name.data(), name.size() + 1);
  return name;
}

// Whether the dataset's elements are one series of bytes, which is all there.
bool is_contiguous(hid_t dataset) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  H5D_space_status_t space = H5D_SPACE_STATUS_ERROR;
  return creation.ok() && H5Pget_layout(creation) == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0 &&
         H5Dget_space_status(dataset, &space) >= 0 && space == H5D_SPACE_STATUS_ALLOCATED;
}

// Reads as HDF5 does, which gives zeros for what is behind the file's end.
Status read_at(int file, int64_t offset, std::byte* data, int64_t bytes) {
  while (bytes > 0) {
    const ssize_t got = move_cached(file, Operation::read, data, bytes, offset);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      return Error{ErrorKind::io, errno,
                   fmt::format("could not read {} bytes at {}: {}", bytes, offset, std::strerror(errno))};
    if (got == 0) {
      std::memset(data, 0, static_cast<size_t>(bytes));
      return {};
    }
    offset += got;
    data += got;
    bytes -= got;
  }
  return {};
}

}  // namespace

FileIdentity plain_file(const std::string& name) {
  struct stat found;
  struct statfs system;
  if (statfs(name.c_str(), &system) != 0 || stat(name.c_str(), &found) != 0) return {};
  const auto kind = static_cast<uint32_t>(system.f_type);
  const bool local =
      std::find(local_file_systems.begin(), local_file_systems.end(), kind) != local_file_systems.end();
  return local && S_ISREG(found.st_mode) ? identity_of(found) : FileIdentity();
}

PlainDataset plain_dataset(const File& file, hid_t dataset, hid_t type) {
  if (file.plain == FileIdentity()) return {};
  const Handle stored(H5Dget_type(dataset), H5Tclose);
  // The dataset may be one of another file, to which a link leads.
  if (!stored.ok() || H5Tequal(stored, type) <= 0 || !is_contiguous(dataset) ||
      name_of_file(dataset) != name_of_file(file.id))
    return {};
  const haddr_t offset = H5Dget_offset(dataset);  // none if the elements lie in external files
  if (offset > static_cast<haddr_t>(INT64_MAX)) return {};
  return {static_cast<int64_t>(offset), file.plain};
}

OwnRead OwnRead::prepare(const std::string& name, const PlainDataset& dataset, const Box& block,
                         const std::vector<int64_t>& extents, int64_t cell_bytes) {
  OwnRead read;
  if (dataset.offset < 0 || block.empty()) return read;
  read.whole_ = Box::whole(extents);
  int64_t piece_bytes = cell_bytes;
  for (size_t d = block.ndims() - dimensions_in_one_piece(block, read.whole_); d < block.ndims(); ++d)
    piece_bytes *= block.count[d];
  if (piece_bytes < least_piece_bytes) return read;
  // This name may lead elsewhere here than on the root, or elsewhere than when the root opened the file.
  Descriptor file(open(name.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found;
  if (!file || fstat(file.number(), &found) != 0 || identity_of(found) != dataset.file) return read;
  read.file_ = std::move(file);
  read.offset_ = dataset.offset;
  read.cell_bytes_ = cell_bytes;
  read.block_ = block;
  return read;
}

Status OwnRead::run(std::byte* data) const {
  Status status;
  for_each_piece(block_, whole_, block_, cell_bytes_, [&](int64_t source, int64_t target, int64_t bytes) {
    status = read_at(file_.number(), offset_ + source, data + target, bytes);
    return static_cast<bool>(status);
  });
  return status;
}

}  // namespace concilio::scorpio
