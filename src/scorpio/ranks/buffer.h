// The root's buffer for transfers. The root shares this memory with the ranks on its node, so that they copy
// their parts of the data themselves.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/result.h"
#include "mpi/nodes/futex.h"
#include "mpi/nodes/shared_segment.h"

namespace concilio::scorpio {

class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  // Finds the ranks that share memory with rank 0 of `local`. If `share_memory` is false, no other rank does.
  // Collective over local.
  Status attach(MPI_Comm local, bool share_memory);
  void detach();  // collective

  // Bytes of the reserved memory that hold no data.
  static constexpr int64_t overhead_bytes = 128;
  // Reserves room for at least `bytes` bytes of data. Memory from before is kept only if it has no more than
  // `most_bytes`. What the buffer held is lost. Collective over local.
  Status reserve(int64_t bytes, int64_t most_bytes);
  // Gives the memory back. Collective over local.
  void release();

  bool shares() const { return sharers_ != MPI_COMM_NULL; }   // whether this rank does; the root always does
  const std::vector<int>& others() const { return others_; }  // local ranks that do not: they use messages
  std::byte* data() const { return data_; }                   // null on ranks that do not share
  int64_t bytes() const { return bytes_; }
  int64_t reserved_bytes() const { return bytes_ == 0 ? 0 : bytes_ + overhead_bytes; }

  // Returns when all ranks that share the buffer have called it; they then see what each of them wrote
  // before. Does nothing on other ranks. A rank that waits sleeps, so that on a full node the root has a
  // core.
  void meet();

 private:
  MPI_Comm local_ = MPI_COMM_NULL;
  MPI_Comm sharers_ = MPI_COMM_NULL;  // rank 0 is the root
  std::vector<int> others_;
  mpi::SharedSegment shared_;
  std::vector<std::byte> own_;  // if the root shares with nobody
  mpi::Gate* gate_ = nullptr;   // at the beginning of the shared memory
  uint32_t meetings_ = 0;
  uint32_t ranks_ = 1;  // that share the buffer
  int spins_ = 0, yields_ = 0;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace concilio::scorpio
