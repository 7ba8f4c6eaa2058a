#include "plan/facts/prices.h"

#include <algorithm>
#include <cmath>

#include "plan/facts/logarithm.h"

namespace concilio::plan {
namespace {

// Measured on a 2-core machine with a warm page cache. A read of a few bytes takes 0.5 us. A write takes 0.7
// us on ext4, wherever it is, but 3.7 us where long writes before have made the page cache's folios large
// (the price lies between);
// and to lock a range and unlock it, 1.2 us. Long requests move 5e9 B/s, and reads into a window that stays
// in cache 10e9. One core copies 6e9 B/s, and a piece of a fused copy costs 4 ns besides its bytes. Buffered
// writers to one file take turns at its inode lock; readers do not. A futex round costs 3 us a rank, 15 us if
// ranks wait for cores. Small writes take 8 to 17 us with many under way at once (io_uring): each is handed
// to a thread of the kernel, and these take turns at the lock. Cached reads take as long either way. A page
// that one rank maps costs 0.2 us for reading. For writing it costs 2 to 6 us in a new file, as ext4 records
// it in its journal, and 0.5 us in a file that has the page. With several aggregators at once, a piece takes
// 6 us, and a window of 1 MiB that is in cache takes some 100 us to be read and written; the two costs are
// equal if pieces begin 64 KiB apart (`concilio study --only sieving`).
constexpr Prices local_prices() {
  Prices prices{};
  const Curve read = Curve::line(0.5e-6, 5e9), write = Curve::line(1.5e-6, 5e9);
  prices.read = {read, read, Curve::line(0.5e-6, 10e9), Curve::up_to(64), Curve::up_to(64), {1, 0}};
  prices.write = {write, write, write, Curve::up_to(1), Curve::up_to(1), {1, 7e-6}};
  prices.window_bytes_per_second = 20e9;
  prices.window_piece_seconds = 6e-6;
  prices.from_memory = true;
  prices.of_target = true;
  prices.lock_seconds = 1.2e-6;
  prices.copy = Curve::line(4e-9, 6e9);
  prices.map_seconds = 15e-6;
  prices.map_read_page_seconds = 0.2e-6;
  prices.map_write_page_seconds = 4e-6;
  prices.synchronise_seconds = 3e-6;
  prices.oversubscribed_seconds = 15e-6;
  // TCP between hosts of one rack, the least that any cluster has.
  prices.message = Curve::line(20e-6, 1e9);
  prices.network_bytes_per_second = 1e9;
  // The packing or unpacking of an MPI datatype of many small blocks.
  prices.datatype_piece_seconds = 20e-9;
  return prices;
}

// tmpfs maps page by page, and fills new ones with zeros first. A small write takes 0.7 us, and 1 us while
// another rank writes too.
constexpr Prices memory_prices() {
  Prices prices = local_prices();
  prices.write.adjoining = prices.write.scattered = prices.write.window = Curve::line(0.7e-6, 5e9);
  prices.map_read_page_seconds = 0.5e-6;
  prices.map_write_page_seconds = 2.6e-6;
  return prices;
}

// A request is a round trip to a server. Measured on a distributed file system under FUSE: 100-300 us a
// request, 340 MB/s of writes, and as long for a lock as for a request. Reads with many under way at once
// took a third to all of the time. Linux gives buffered writes to one file that do not complete at once to
// one thread, whatever the file system: they took as long with many under way as one after another.
constexpr Prices remote_prices(double request_seconds, double clients) {
  constexpr double bytes_per_second = 5e8;
  Prices prices = local_prices();
  const Curve request = Curve::line(request_seconds, bytes_per_second);
  prices.read = {request, request, request, Curve::up_to(clients), Curve::up_to(clients), {2, 5e-6}};
  prices.write = {request, request, request, Curve::up_to(clients), Curve::up_to(clients), {1, 10e-6}};
  prices.window_bytes_per_second = bytes_per_second;
  prices.window_piece_seconds = request_seconds;
  prices.lock_seconds = 300e-6;
  prices.from_memory = false;
  return prices;
}

// A local device without a page cache in between. Assumed: a rotating disk moves 200 MB/s, seeks for 8 ms and
// serves one request after another; a solid-state one moves 500 MB/s, takes 80 us and serves eight at once.
constexpr Prices device_prices(bool rotational) {
  Prices prices = remote_prices(rotational ? 8e-3 : 80e-6, rotational ? 1 : 8);
  const double bytes_per_second = rotational ? 2e8 : 5e8;
  const Curve adjoining = Curve::line(rotational ? 10e-6 : 80e-6, bytes_per_second);
  const Curve apart = Curve::line(rotational ? 8e-3 : 80e-6, bytes_per_second);
  for (RequestPrices* requests : {&prices.read, &prices.write}) {
    requests->adjoining = requests->window = adjoining;
    requests->scattered = apart;
    requests->clients_large = Curve::up_to(1);
  }
  prices.window_bytes_per_second = bytes_per_second;
  prices.lock_seconds = local_prices().lock_seconds;
  return prices;
}

// Assumed number of servers that a file is spread over, if the file system does not say.
constexpr double assumed_targets = 4;
// Assumed number of requests that one file server works on at once, and that one of several targets does.
constexpr double network_clients = 2, target_clients = 4;

double targets_of(const StorageFacts& storage) {
  return storage.stripe_targets > 0 ? static_cast<double>(storage.stripe_targets) : assumed_targets;
}

}  // namespace

double Curve::at(double x) const {
  if (points <= 0) return 0;
  if (points == 1 || x <= point[0].x) return point[0].y;
  int64_t i = 1;
  while (i < points - 1 && x > point[i].x) ++i;
  const Point &a = point[i - 1], &b = point[i];
  return std::max(0.0, a.y + (b.y - a.y) * (x - a.x) / (b.x - a.x));
}

bool Curve::valid() const {
  if (points < 1 || points > most_points) return false;
  for (int64_t i = 0; i < points; ++i) {
    if (!std::isfinite(point[i].x) || !std::isfinite(point[i].y) || point[i].x < 0 || point[i].y < 0)
      return false;
    if (i > 0 && point[i].x <= point[i - 1].x) return false;
  }
  return point[points - 1].y > 0;
}

const Prices& builtin_prices(const StorageFacts& storage) {
  // Computed by the compiler: a program's first collective call would take 10 us longer.
  static constexpr Prices disk = device_prices(true), solid = device_prices(false);
  static constexpr Prices
      local = local_prices(),
      memory = memory_prices(), network = remote_prices(300e-6, network_clients),
      // High enough that few large requests are chosen, whatever the storage turns out to be.
      unknown = remote_prices(50e-6, network_clients);
  switch (storage.kind) {
    case StorageFacts::Kind::local:
      if (storage.uncached != 0) return storage.rotational != 0 ? disk : solid;
      return local;
    case StorageFacts::Kind::memory:
      return memory;
    case StorageFacts::Kind::network:
      return network;
    case StorageFacts::Kind::parallel: {
      // Prices by the number of targets; beyond most_targets the number makes no difference.
      constexpr int most_targets = 64;
      static const auto parallel = [] {
        std::array<Prices, most_targets + 1> made;
        for (int i = 0; i <= most_targets; ++i)
          made[static_cast<size_t>(i)] = remote_prices(200e-6, i * target_clients);
        return made;
      }();
      return parallel[static_cast<size_t>(
          std::clamp(targets_of(storage), 1.0, static_cast<double>(most_targets)))];
    }
    case StorageFacts::Kind::unknown:
      break;
  }
  return unknown;
}

const Prices& prices_of(const Facts& facts) {
  return facts.prices ? *facts.prices : builtin_prices(facts.storage);
}

double speedup(const RequestPrices& prices, double clients, double request_bytes) {
  const double small = prices.clients_small.at(clients), large = prices.clients_large.at(clients);
  const double share = std::clamp(binary_logarithm(std::max(1.0, request_bytes) / small_request_bytes) /
                                      binary_logarithm(large_request_bytes / small_request_bytes),
                                  0.0, 1.0);
  return std::max(1e-3, small + (large - small) * share);
}

}  // namespace concilio::plan
