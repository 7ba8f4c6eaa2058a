// Memory that several processes of one node share. It never has a name: those who shall have it are given a
// descriptor, so that nothing stays behind, however and whenever the program ends.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "base/descriptor.h"
#include "base/result.h"

namespace concilio {

class SharedSegment {
 public:
  SharedSegment() = default;
  // Memory of this process alone.
  static Result<SharedSegment> make_private(int64_t bytes);
  // Zero-filled memory, and in `descriptor` what others can attach it by. The space is reserved: kind
  // no_memory now, not a signal later.
  static Result<SharedSegment> create(int64_t bytes, Descriptor& descriptor);
  static Result<SharedSegment> attach(const Descriptor& descriptor, int64_t bytes);
  // One that all ranks of a communicator of one node have. Collective; all succeed or all fail.
  static Result<SharedSegment> share(MPI_Comm node, int64_t bytes);

  SharedSegment(SharedSegment&& other) noexcept { swap(other); }
  SharedSegment& operator=(SharedSegment&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedSegment();

  // The memory stays mapped until the process ends, for somebody who may still use it.
  void abandon();
  std::byte* data() const { return data_; }
  int64_t size() const { return bytes_; }

 private:
  static Result<SharedSegment> map(int64_t bytes, int flags, int descriptor);
  void swap(SharedSegment& other);
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace concilio
