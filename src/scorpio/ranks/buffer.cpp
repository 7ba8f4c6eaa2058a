#include "scorpio/ranks/buffer.h"

#include <fmt/format.h>
#include <sched.h>

#include <new>

#include "mpi/progress.h"
#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {
namespace {

int cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

void make_progress(void* comm) {
  mpi::make_progress(*static_cast<MPI_Comm*>(comm));
}

}  // namespace

Status Buffer::attach(MPI_Comm local, bool share_memory) {
  local_ = local;
  int rank = 0, size = 1;
  MPI_Comm_rank(local, &rank);
  MPI_Comm_size(local, &size);
  MPI_Comm node = MPI_COMM_NULL;
  // If memory is not to be shared, every rank is alone in its communicator, and the root shares only with
  // itself.
  const int code = share_memory ? MPI_Comm_split_type(local, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node)
                                : MPI_Comm_split(local, rank, rank, &node);
  if (Status status = mpi::checked_mpi(code, "finding the ranks of a node"); !status) return status;
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node);
  const bool with_root = first == 0;
  if (with_root) {
    sharers_ = node;
    MPI_Comm_set_errhandler(sharers_, MPI_ERRORS_RETURN);
  } else {
    MPI_Comm_free(&node);
  }
  std::vector<char> shares(static_cast<size_t>(size));
  const char mine = with_root ? 1 : 0;
  if (Status status = mpi::checked_mpi(MPI_Allgather(&mine, 1, MPI_CHAR, shares.data(), 1, MPI_CHAR, local),
                                       "MPI_Allgather");
      !status)
    return status;
  others_.clear();
  for (int other = 0; other < size; ++other) {
    if (!shares[static_cast<size_t>(other)]) others_.push_back(other);
  }
  return {};
}

void Buffer::detach() {
  release();
  if (sharers_ != MPI_COMM_NULL) MPI_Comm_free(&sharers_);
}

void Buffer::release() {
  shared_ = mpi::SharedSegment();
  own_ = std::vector<std::byte>();  // an empty list would leave the vector its memory
  gate_ = nullptr;
  data_ = nullptr;
  bytes_ = 0;
}

Status Buffer::reserve(int64_t bytes, int64_t most_bytes) {
  if (!shares() || (bytes <= bytes_ && bytes_ <= most_bytes)) return {};
  release();
  int size = 1;
  MPI_Comm_size(sharers_, &size);
  if (size == 1) {
    try {
      own_.resize(static_cast<size_t>(bytes));
    } catch (const std::bad_alloc&) {
      return Error{ErrorKind::no_memory, 0, fmt::format("no memory for a buffer of {} bytes", bytes)};
    }
    data_ = own_.data();
    bytes_ = bytes;
    return {};
  }
  // The ranks of the group know quicker ways than MPI's to meet, if all of them are on this node.
  const bool all_share = others_.empty();
  auto made = all_share ? shared_memory(local_, bytes + overhead_bytes)
                        : mpi::SharedSegment::share(sharers_, bytes + overhead_bytes);
  if (!made) return made.error();
  shared_ = std::move(*made);
  // If ranks are bound to cores, the rank with the fewest cores decides.
  int64_t fewest_cores = -cores();
  if (all_share) {
    if (Status status = largest(local_, &fewest_cores, 1); !status) return status;
  } else {
    MPI_Allreduce(MPI_IN_PLACE, &fewest_cores, 1, MPI_INT64_T, MPI_MAX, sharers_);
  }
  static_assert(sizeof(mpi::Gate) <= overhead_bytes);
  gate_ = reinterpret_cast<mpi::Gate*>(shared_.data());
  meetings_ = 0;
  ranks_ = static_cast<uint32_t>(size);
  const bool has_own_core = size <= -fewest_cores;  // every rank of the node
  spins_ = has_own_core ? mpi::spins_with_own_core : 0;
  yields_ = has_own_core ? 0 : mpi::yields_on_shared_core;
  data_ = shared_.data() + overhead_bytes;
  bytes_ = bytes;
  return {};
}

void Buffer::meet() {
  if (!gate_) return;
  ++meetings_;
  if (gate_->arrive(ranks_)) {
    gate_->open();
  } else {
    mpi::WaitPolicy policy{spins_, make_progress, &local_};
    policy.yields = yields_;
    gate_->passed.wait_for(meetings_, policy);
  }
}

}  // namespace concilio::scorpio
