// Memory that several processes of one node share. It never has a name in a file system: the processes that
// share it are passed a descriptor. So nothing is left behind, however the program ends.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/system/descriptor.h"

namespace concilio {

class PinnedSlices;

}  // namespace concilio

namespace concilio::mpi {

class SharedSegment {
 public:
  SharedSegment();
  // Memory of this process alone.
  static Result<SharedSegment> make_private(int64_t bytes);
  // Makes zero-filled memory; other processes attach it by `descriptor`. The space is reserved at once, so a
  // lack of memory is an error of kind no_memory here, and not a signal (SIGBUS) later.
  static Result<SharedSegment> create(int64_t bytes, Descriptor& descriptor);
  static Result<SharedSegment> attach(const Descriptor& descriptor, int64_t bytes);
  // A segment shared by all ranks of a communicator of one node. Collective; it succeeds on all ranks or on
  // none.
  static Result<SharedSegment> share(MPI_Comm node, int64_t bytes);

  SharedSegment(SharedSegment&& other) noexcept;
  SharedSegment& operator=(SharedSegment&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedSegment();

  // Leaves the memory mapped until the process ends, because MPI may still access it.
  void abandon();
  std::byte* data() const { return data_; }
  int64_t size() const { return bytes_; }
  // What of it this process has pinned for its GPUs, until it is unmapped or unpin() is called.
  PinnedSlices& pinned();
  void unpin();

 private:
  static Result<SharedSegment> map(int64_t bytes, int flags, int descriptor);
  void swap(SharedSegment& other);
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  std::unique_ptr<PinnedSlices> pinned_;  // null until it is asked for
};

}  // namespace concilio::mpi
