#include "mpi/nodes/shared_segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <utility>

#include "base/exceptions.h"
#include "base/gpu/pinned.h"
#include "base/system/reserve_in_steps.h"
#include "mpi/nodes/descriptor_passing.h"

namespace concilio::mpi {
namespace {

// Opens a file in memory without a name. It is made in /dev/shm, because the size of /dev/shm is the limit
// that the machine's administrator set for shared memory. If /dev/shm cannot hold such files at all, as in a
// container without it, memfd_create makes the file.
Descriptor nameless() {
  Descriptor made(open("/dev/shm", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600));
  return made || errno == ENOSPC ? std::move(made) : Descriptor(memfd_create("concilio", MFD_CLOEXEC));
}

}  // namespace

Result<SharedSegment> SharedSegment::map(int64_t bytes, int flags, int descriptor) {
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (data == MAP_FAILED) return Error::from_errno(errno, fmt::format("cannot map {} bytes", bytes));
  SharedSegment segment;
  segment.data_ = static_cast<std::byte*>(data);
  segment.bytes_ = bytes;
  return segment;
}

Result<SharedSegment> SharedSegment::make_private(int64_t bytes) {
  return map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
}

Result<SharedSegment> SharedSegment::create(int64_t bytes, Descriptor& descriptor) {
  descriptor = nameless();
  if (!descriptor) return Error::from_errno(errno, "cannot create shared memory");
  const int failed = reserve_in_steps(0, bytes, [&](int64_t offset, int64_t step_bytes) {
    return posix_fallocate(descriptor.number(), offset, step_bytes);
  });
  if (failed) {
    descriptor.close();
    return Error{ErrorKind::no_memory, failed,
                 fmt::format("cannot reserve {} bytes of shared memory (/dev/shm full?)", bytes)};
  }
  auto made = map(bytes, MAP_SHARED, descriptor.number());
  if (!made) descriptor.close();
  return made;
}

Result<SharedSegment> SharedSegment::attach(const Descriptor& descriptor, int64_t bytes) {
  if (!descriptor) {
    return Error{ErrorKind::no_memory, 0,
                 fmt::format("no {} bytes of shared memory came from the node's first rank", bytes)};
  }
  return map(bytes, MAP_SHARED, descriptor.number());
}

Result<SharedSegment> SharedSegment::share(MPI_Comm node, int64_t bytes) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(node, &rank);
  PMPI_Comm_size(node, &ranks);
  if (ranks == 1) return without_exceptions([&] { return make_private(bytes); });
  Descriptor memory;
  Result<SharedSegment> made = SharedSegment();
  if (rank == 0) made = without_exceptions([&] { return create(bytes, memory); });
  const Descriptor passed = pass_to_node(node, memory.number());
  if (rank != 0) made = without_exceptions([&] { return attach(passed, bytes); });
  int all = made.ok();
  PMPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, node);
  if (all || !made) return made;
  return error_with(ErrorKind::no_memory, 0, [] { return "another rank of the node got no shared memory"; });
}

SharedSegment::SharedSegment() = default;

SharedSegment::SharedSegment(SharedSegment&& other) noexcept {
  swap(other);
}

SharedSegment::~SharedSegment() {
  pinned_.reset();
  if (data_) munmap(data_, static_cast<size_t>(bytes_));
}

PinnedSlices& SharedSegment::pinned() {
  if (!pinned_) pinned_ = std::make_unique<PinnedSlices>(data_, bytes_);
  return *pinned_;
}

void SharedSegment::unpin() {
  pinned_.reset();
}

void SharedSegment::abandon() {
  pinned_.reset();
  data_ = nullptr;
  bytes_ = 0;
}

void SharedSegment::swap(SharedSegment& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(pinned_, other.pinned_);
}

}  // namespace concilio::mpi
