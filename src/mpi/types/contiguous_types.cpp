#include "mpi/types/contiguous_types.h"

#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "mpi/epoch.h"

namespace concilio::mpi {
namespace {

// A datatype has the place that its handle gives. Whichever comes first keeps the place until it goes away.
// While somebody looks for a datatype it does not go away, so what is read of it belongs together.
struct Noted {
  std::atomic<uint64_t> handle{0};  // 0: free
  std::atomic<uint64_t> epoch{0};   // of the handle
  std::atomic<int64_t> bytes{0};
  std::atomic<bool> permanent{false};
};
constinit std::array<Noted, 256> all_noted{};
constinit std::mutex noting;

// MPIs have numbers or addresses as handles.
uint64_t number_of(MPI_Datatype type) {
  uint64_t number = 0;
  static_assert(sizeof(MPI_Datatype) <= sizeof(uint64_t));
  std::memcpy(&number, &type, sizeof(MPI_Datatype));
  return number;
}

Noted& place_of_type(uint64_t number) {
  // The upper bits of a product with 2^64 divided by the golden ratio, which depend on all bits.
  return all_noted[number * 0x9E3779B97F4A7C15u >> 56];
}

// What is noted of a datatype; nullptr if nothing is.
const Noted* find(MPI_Datatype type) {
  const uint64_t number = number_of(type);
  const Noted& noted = place_of_type(number);
  const bool known = noted.handle.load(std::memory_order_acquire) == number &&
                     noted.epoch.load(std::memory_order_relaxed) == epoch();
  return known ? &noted : nullptr;
}

}  // namespace

int64_t contiguous_bytes(MPI_Datatype type) {
  const Noted* noted = find(type);
  return noted ? noted->bytes.load(std::memory_order_relaxed) : 0;
}

bool known_permanent(MPI_Datatype type) {
  const Noted* noted = find(type);
  return noted && noted->permanent.load(std::memory_order_relaxed);
}

void note_contiguous(MPI_Datatype type, int64_t bytes, bool permanent) {
  const uint64_t number = number_of(type);
  Noted& noted = place_of_type(number);
  std::lock_guard lock(noting);
  if (noted.handle.load(std::memory_order_relaxed) != 0 &&
      noted.epoch.load(std::memory_order_relaxed) == epoch())
    return;
  noted.handle.store(0, std::memory_order_relaxed);
  noted.epoch.store(epoch(), std::memory_order_relaxed);
  noted.bytes.store(bytes, std::memory_order_relaxed);
  noted.permanent.store(permanent, std::memory_order_relaxed);
  noted.handle.store(number, std::memory_order_release);
}

void forget_contiguous(MPI_Datatype type) {
  uint64_t number = number_of(type);
  place_of_type(number).handle.compare_exchange_strong(number, 0);
}

}  // namespace concilio::mpi
