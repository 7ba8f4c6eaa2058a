#include "store/mapping.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace concilio::store {
namespace {

// These file systems write changed blocks to new places (btrfs, zfs, bcachefs, f2fs, nilfs), or lie on
// another one that may (overlayfs). So space that was reserved for a block does not serve a rewrite of it.
constexpr std::array<uint32_t, 6> moving_blocks = {0x9123683E, 0x2FC12FC1, 0xCA451A4E,
                                                   0xF2F52010, 0x00003434, 0x794C7630};
// These have pages of another size (hugetlbfs), or no storage in which space can be reserved (ramfs).
constexpr std::array<uint32_t, 2> odd_pages = {0x958458F6, 0x858458F6};

template <size_t n>
bool contains(const std::array<uint32_t, n>& all, uint32_t magic) {
  return std::find(all.begin(), all.end(), magic) != all.end();
}

int make_present(void* base, size_t bytes, bool write) {
  // EAGAIN means that memory is short, for a moment or for good.
  constexpr int most_tries = 4;
  for (int tries = 0; madvise(base, bytes, write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) != 0;) {
    if (errno == EAGAIN) ++tries;
    if (tries == most_tries || (errno != EINTR && errno != EAGAIN)) return errno;
  }
  return 0;
}

}  // namespace

Mapping::~Mapping() {
  if (base_) munmap(base_, mapped_bytes_);
}

bool may_be_mapped(uint32_t file_system_magic, bool write) {
  return !contains(odd_pages, file_system_magic) && !(write && contains(moving_blocks, file_system_magic));
}

bool pages_can_be_made_present() {
  static const bool can = [] {
    const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    void* page = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return false;
    const bool made = make_present(page, bytes, false) == 0 && make_present(page, bytes, true) == 0;
    munmap(page, bytes);
    return made;
  }();
  return can;
}

int map_file(int fd, int64_t offset, int64_t length, bool write, Mapping& mapping) {
  const int64_t skip = offset % sysconf(_SC_PAGESIZE);
  const auto bytes = static_cast<size_t>(skip + length);
  void* base =
      mmap(nullptr, bytes, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd, offset - skip);
  if (base == MAP_FAILED) return errno;
  mapping = Mapping(static_cast<std::byte*>(base), bytes, static_cast<size_t>(skip));
  return make_present(base, bytes, write);
}

}  // namespace concilio::store
