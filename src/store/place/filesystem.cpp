#include "store/place/filesystem.h"

#include <fmt/format.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

#include "store/place/block_device.h"
#include "store/place/lustre_layout.h"

namespace concilio::store {

namespace {

using Kind = StorageLayout::Kind;

struct FileSystem {
  uint32_t magic;
  Kind kind;
  const char* name;
};

constexpr uint32_t fuse = 0x65735546;

// Assumed: a server of metadata opens 10 000 files a second.
constexpr int64_t assumed_open_ns = 100'000;
// Assumed of Lustre: the server asks the client that has the lock, which is one more round trip for each.
constexpr int64_t assumed_revoke_ns = 400'000;

constexpr FileSystem file_systems[] = {
    {0x0000EF53, Kind::local, "ext4"},      {0x58465342, Kind::local, "xfs"},
    {0x9123683E, Kind::local, "btrfs"},     {0x2FC12FC1, Kind::local, "zfs"},
    {0xF2F52010, Kind::local, "f2fs"},      {0xCA451A4E, Kind::local, "bcachefs"},
    {0x794C7630, Kind::local, "overlayfs"}, {0x3153464A, Kind::local, "jfs"},
    {0x52654973, Kind::local, "reiserfs"},  {0x00003434, Kind::local, "nilfs"},
    {0x00004D44, Kind::local, "vfat"},      {0x2011BAB0, Kind::local, "exfat"},
    {0x5346544E, Kind::local, "ntfs"},      {0x01021994, Kind::memory, "tmpfs"},
    {0x858458F6, Kind::memory, "ramfs"},    {0x958458F6, Kind::memory, "hugetlbfs"},
    {0x00006969, Kind::network, "nfs"},     {0x0000517B, Kind::network, "smb"},
    {0xFF534D42, Kind::network, "cifs"},    {0xFE534D42, Kind::network, "smb2"},
    {0x5346414F, Kind::network, "afs"},     {0x01021997, Kind::network, "9p"},
    {fuse, Kind::parallel, "fuse"},         {0x0BD00BD0, Kind::parallel, "lustre"},
    {0x47504653, Kind::parallel, "gpfs"},   {0x19830326, Kind::parallel, "beegfs"},
    {0x00C36400, Kind::parallel, "ceph"},   {0x20030528, Kind::parallel, "orangefs"},
    {0xAAD7AAEA, Kind::parallel, "panfs"},  {0x01161970, Kind::parallel, "gfs2"},
    {0x7461636F, Kind::parallel, "ocfs2"},
};

// With these file systems, hosts may number the inodes differently.
constexpr uint32_t own_inodes[] = {fuse, 0x0000517B, 0xFF534D42, 0xFE534D42, 0x01021997};

// Each device is asked once; it stays what it is as long as the process runs.
StorageLayout::Medium known_medium(uint64_t device) {
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<uint64_t, StorageLayout::Medium>;
  std::lock_guard lock(mutex);
  if (const auto place = known.find(device); place != known.end()) return place->second;
  return known.emplace(device, medium_of_device(major(device), minor(device))).first->second;
}

const FileSystem* known(uint32_t magic) {
  const auto* const found = std::ranges::find(file_systems, magic, &FileSystem::magic);
  return found == std::end(file_systems) ? nullptr : found;
}

}  // namespace

Kind kind_of_magic(uint32_t magic) {
  const FileSystem* const file_system = known(magic);
  return file_system ? file_system->kind : Kind::unknown;
}

ClientCache client_cache_of(uint32_t magic) {
  if (magic == fuse) return ClientCache::old_reads;
  return kind_of_magic(magic) == Kind::network ? ClientCache::whole_pages : ClientCache::coherent;
}

StorageLayout layout_of_magic(uint32_t magic, int64_t block_bytes) {
  StorageLayout layout;
  layout.block_bytes = block_bytes;
  layout.name = fmt::format("{:#x}", magic);
  layout.client_cache = client_cache_of(magic);
  if (const FileSystem* const file_system = known(magic)) {
    layout.kind = file_system->kind;
    if (layout.kind == Kind::network || layout.kind == Kind::parallel) layout.open_ns = assumed_open_ns;
    layout.name = file_system->name;
    layout.common_inodes =
        std::find(std::begin(own_inodes), std::end(own_inodes), magic) == std::end(own_inodes);
  }
  return layout;
}

void refine_layout(int fd, uint64_t device, StorageLayout& layout) {
  if (layout.kind == Kind::local) layout.medium = known_medium(device);
  if (layout.name != "lustre") return;
  if (const auto stripes = lustre_stripes_of(fd)) {
    layout.stripe_bytes = stripes->bytes;
    layout.stripe_targets = stripes->targets;
    layout.revoke_ns = assumed_revoke_ns;
  }
}

}  // namespace concilio::store
