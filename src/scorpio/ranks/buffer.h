// The root's buffer for transfers: memory that the ranks on its node share, so that they copy their part
// themselves.
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

  // Finds who shares memory with rank 0 of `local`: nobody else, if not `share_memory`. Collective over
  // local.
  Status attach(MPI_Comm local, bool share_memory);
  void detach();  // collective

  // Of the memory that is reserved, bytes that are no data.
  static constexpr int64_t overhead_bytes = 128;
  // At least so many bytes of data, and no more than `most_bytes` kept from before. What was in there is
  // lost. Collective over local.
  Status reserve(int64_t bytes, int64_t most_bytes);
  // Gives the memory back. Collective over local.
  void release();

  bool shares() const { return sharers_ != MPI_COMM_NULL; }   // whether this rank does; the root always
  const std::vector<int>& others() const { return others_; }  // local ranks that do not, to be sent messages
  std::byte* data() const { return data_; }                   // null on ranks that do not share
  int64_t bytes() const { return bytes_; }
  int64_t reserved_bytes() const { return bytes_ == 0 ? 0 : bytes_ + overhead_bytes; }

  // All who share have come here, and see what the others wrote before. Nothing on other ranks. Who waits
  // sleeps, so that on a full node the root has a core.
  void meet();

 private:
  MPI_Comm local_ = MPI_COMM_NULL;
  MPI_Comm sharers_ = MPI_COMM_NULL;  // rank 0 is the root
  std::vector<int> others_;
  SharedSegment shared_;
  std::vector<std::byte> own_;  // where nothing can be shared
  Gate* gate_ = nullptr;        // at the beginning of what is shared
  uint32_t meetings_ = 0;
  uint32_t ranks_ = 1;  // that share
  int spins_ = 0;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace concilio::scorpio
