// Measures requests that bypass the system's page cache (O_DIRECT), if the file system accepts them: they
// show what the device itself can do. They do not go through the store, which has no such mode. Therefore
// they are left out if the storage is throttled, because the throttle would not apply.
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "probe/measure/places.h"
#include "probe/measure/sampler.h"
#include "probe/measure/session.h"
#include "store/posix/at_once.h"

namespace concilio::probe {

namespace {

constexpr int64_t sizes[] = {4096, 65536, 1 << 20, 4 << 20};
constexpr int64_t depths[] = {1, 4, 16};
constexpr int64_t small_bytes = 4096;
constexpr size_t aligned_to = 4096;

struct File {
  explicit File(const std::string& path) : descriptor(open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC)) {}
  File(const File&) = delete;
  ~File() {
    if (descriptor >= 0) close(descriptor);
  }
  int descriptor;
};

struct Memory {
  explicit Memory(size_t bytes) : size(bytes) {
    if (posix_memalign(&data, aligned_to, bytes) != 0) data = nullptr;
    if (data) std::fill_n(static_cast<std::byte*>(data), bytes, std::byte{0x5a});
  }
  Memory(const Memory&) = delete;
  ~Memory() { free(data); }
  std::span<std::byte> bytes() { return {static_cast<std::byte*>(data), size}; }
  void* data = nullptr;
  size_t size;
};

Work requests_of(int descriptor, bool writes, Places& places) {
  return [=, &places](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      const store::Transfer transfer = places.next();
      const auto bytes = static_cast<size_t>(transfer.length);
      const ssize_t moved = writes ? pwrite(descriptor, transfer.data, bytes, transfer.offset)
                                   : pread(descriptor, transfer.data, bytes, transfer.offset);
      if (moved < 0 && errno == EINTR) continue;
      if (moved != transfer.length) return Error::from_errno(moved < 0 ? errno : EIO, "direct request");
    }
    return {};
  };
}

// Measures small requests in random places with several under way, which shows how many a device works on at
// the same time.
void measure_depths(Session& session, int descriptor, std::span<std::byte> memory, double seconds) {
  const auto ring = store::make_ring();
  if (!ring) return;
  for (const bool writes : {false, true}) {
    for (const int64_t depth : depths) {
      Places places(Places::Order::random, small_bytes, 0, session.file_bytes, memory);
      std::vector<store::Transfer> list(static_cast<size_t>(depth));
      const auto together = [&](int64_t count) -> Status {
        for (int64_t i = 0; i < count; ++i) {
          for (store::Transfer& transfer : list) transfer = places.next();
          const auto outcome =
              move_at_once(**ring, descriptor,
                           writes ? store::StoreOperation::write : store::StoreOperation::read, list, {});
          if (outcome.ring_broke || outcome.system_errno != 0 || outcome.done_bytes != depth * small_bytes)
            return Error::from_errno(outcome.system_errno ? outcome.system_errno : EIO, "direct requests");
        }
        return {};
      };
      const auto one = seconds_of_one(seconds / (2 * std::size(depths)), together);
      // The kernel or the file system refuses such requests.
      if (!one) return;
      session.found[writes ? Quantity::write_direct_at_once : Quantity::read_direct_at_once].push_back(
          {static_cast<double>(depth), *one / static_cast<double>(depth)});
    }
  }
}

}  // namespace

Status measure_direct(Session& session) {
  if (session.throttled) return {};
  const File file(session.data_path);
  Memory memory(16 << 20);
  if (file.descriptor < 0 || memory.data == nullptr) return {};
  using Order = Places::Order;
  struct Row {
    Quantity quantity;
    bool writes;
    Order order;
  };
  constexpr Row rows[] = {{Quantity::read_direct, false, Order::adjoining},
                          {Quantity::write_direct, true, Order::adjoining},
                          {Quantity::read_direct_scattered, false, Order::random},
                          {Quantity::write_direct_scattered, true, Order::random}};
  const double seconds = 0.8 * session.seconds / static_cast<double>(std::size(rows) * std::size(sizes));
  for (const Row& row : rows) {
    for (const int64_t bytes : sizes) {
      if (bytes > session.file_bytes) break;
      Places places(row.order, bytes, 0, session.file_bytes, memory.bytes());
      const auto one = seconds_of_one(seconds, requests_of(file.descriptor, row.writes, places));
      // Some file systems refuse only when a request is made, or refuse only some sizes.
      if (!one) break;
      session.found[row.quantity].push_back({static_cast<double>(bytes), *one});
    }
  }
  measure_depths(session, file.descriptor, memory.bytes(), 0.2 * session.seconds);
  return {};
}

}  // namespace concilio::probe
