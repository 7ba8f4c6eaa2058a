// Bytes of a file, mapped into the memory of this process and shared with everybody who reads or writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace concilio::store {

class Mapping {
 public:
  Mapping() = default;
  // Takes over a mapping of `mapped_bytes` bytes from `base` on. The first byte that was asked for is its
  // byte `skip`.
  Mapping(std::byte* base, size_t mapped_bytes, size_t skip)
      : base_(base), mapped_bytes_(mapped_bytes), skip_(skip) {}
  Mapping(Mapping&& other) noexcept { *this = std::move(other); }
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(mapped_bytes_, other.mapped_bytes_);
    std::swap(skip_, other.skip_);
    return *this;
  }
  ~Mapping();

  std::byte* data() const { return base_ + skip_; }  // the first byte that was asked for

 private:
  std::byte* base_ = nullptr;
  size_t mapped_bytes_ = 0, skip_ = 0;
};

// Whether files on such a file system (`f_type` of statfs) may be mapped for reading, or for writing. For
// writing, a page that was made present must not need new space later, since it would then be too late to
// report that there is none.
bool may_be_mapped(uint32_t file_system_magic, bool write);

// Whether this kernel can make pages present and report errors (MADV_POPULATE_READ and _WRITE, since Linux
// 5.14).
bool pages_can_be_made_present();

// Maps [offset, offset + length) of an open file, at least one byte, and makes its pages present. Returns 0,
// or the errno of what failed. EFAULT means that pages cannot be had, since the file ends before them or its
// storage failed.
int map_file(int fd, int64_t offset, int64_t length, bool write, Mapping& mapping);

}  // namespace concilio::store
