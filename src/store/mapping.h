// Bytes of a file as memory of this process, shared with everybody who reads or writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace concilio {

class Mapping {
 public:
  Mapping() = default;
  // Takes over a mapping of `mapped_bytes` from `base` on, whose byte `skip` is the first that was asked for.
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

  std::byte* data() const { return base_ + skip_; }  // of the first byte asked for

 private:
  std::byte* base_ = nullptr;
  size_t mapped_bytes_ = 0, skip_ = 0;
};

// Whether files of this kind (statfs's f_type) may be mapped to be read, or to be written: a page that was
// made ready for writing must not need new space, or it would be too late to say that there is none.
bool may_be_mapped(uint32_t file_system_magic, bool write);

// Whether this kernel can make pages present and report what is wrong with them (MADV_POPULATE_READ and
// _WRITE, since Linux 5.14).
bool pages_can_be_made_present();

// Maps [offset, offset + length) of an open file, of at least one byte, and makes its pages present. 0, or
// the errno of what failed; EFAULT: pages are not to be had, since the file ends before them or its storage
// failed.
int map_file(int fd, int64_t offset, int64_t length, bool write, Mapping& mapping);

}  // namespace concilio
