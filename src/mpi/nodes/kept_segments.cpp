#include "mpi/nodes/kept_segments.h"

#include <sys/statvfs.h>

#include <atomic>

#include "mpi/nodes/node_facts.h"

namespace concilio::mpi {
namespace {

// Of segments that teams keep of which this process is the first rank on its node.
std::atomic<int64_t> counted_in_all{0};

// What is left where the segment lies. The size of /dev/shm is often a few MiB in containers, and the MPI
// needs it too. Anonymous files have no limit of their own.
int64_t room_beside(const Descriptor& memory) {
  struct statvfs system {};
  if (!memory || fstatvfs(memory.number(), &system) != 0 || system.f_blocks == 0) return INT64_MAX;
  return static_cast<int64_t>(system.f_bavail) * static_cast<int64_t>(system.f_frsize);
}

}  // namespace

KeptSegment::KeptSegment(int64_t bytes, int ranks, const Descriptor& memory) {
  constexpr int64_t small_bytes = 64 << 10;
  constexpr int64_t most_bytes_of_rank = 4 << 20;
  constexpr int64_t part_of_memory = 64, part_of_room = 8;
  kept_ = bytes <= small_bytes;
  if (kept_ || bytes > free_memory_bytes() / part_of_memory || bytes > room_beside(memory) / part_of_room)
    return;
  kept_ = counted_in_all.fetch_add(bytes) + bytes <= most_bytes_of_rank * ranks;
  if (kept_)
    counted_bytes_ = bytes;
  else
    counted_in_all -= bytes;
}

KeptSegment::~KeptSegment() {
  counted_in_all -= counted_bytes_;
}

}  // namespace concilio::mpi
