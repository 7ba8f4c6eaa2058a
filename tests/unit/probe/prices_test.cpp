// From measurements to predictions. A disk that serves one request after another is measured as the probe
// would do it, and methods on it get prices. The prices must agree with the time that the disk itself takes.
#include <gtest/gtest.h>

#include "plan/choose/cheapest_layout.h"
#include "plan/choose/method_table.h"
#include "plan/facts/spans.h"
#include "plan/layout/footprint.h"
#include "probe/derive/derive.h"
#include "unit/plan_facts.h"

namespace concilio::probe::prices_test {
namespace {

using Q = Quantity;

// A seek if a request does not begin where the last one ended, and then bytes at a constant rate.
class SerialDisk {
 public:
  SerialDisk(double seek_seconds, double bytes_per_second)
      : seek_seconds_(seek_seconds), bytes_per_second_(bytes_per_second) {}
  void move(int64_t offset, int64_t bytes) {
    seconds_ += (offset == position_ ? 0 : seek_seconds_) + static_cast<double>(bytes) / bytes_per_second_;
    position_ = offset + bytes;
  }
  double seconds() const { return seconds_; }

  // What `concilio probe` would find with so many clients.
  Measurements measured(int clients) const {
    Measurements found;
    found.throttled = true;  // by a device, not by memory
    const auto series = [&](double latency) {
      Series samples;
      for (const int64_t bytes : request_sizes)
        samples.push_back(
            {static_cast<double>(bytes), latency + static_cast<double>(bytes) / bytes_per_second_});
      return samples;
    };
    found[Q::read_adjoining] = found[Q::write_adjoining] = series(0);
    found[Q::read_window] = found[Q::write_window] = series(0);
    found[Q::read_scattered] = found[Q::write_scattered] = series(seek_seconds_);
    for (double depth = 1; depth <= 64; depth *= 2) {
      const double one = seek_seconds_ + 4096 / bytes_per_second_;
      for (const Q quantity : {Q::read_list, Q::write_list, Q::read_at_once, Q::write_at_once})
        found[quantity].push_back({depth, one});
    }
    for (int count = 1; count <= clients; count *= 2) {
      const auto rate = [&](double bytes) { return bytes / (seek_seconds_ + bytes / bytes_per_second_); };
      found[Q::read_clients_small].push_back({static_cast<double>(count), rate(plan::small_request_bytes)});
      found[Q::read_clients_large].push_back({static_cast<double>(count), rate(plan::large_request_bytes)});
    }
    found[Q::write_clients_small] = found[Q::read_clients_small];
    found[Q::write_clients_large] = found[Q::read_clients_large];
    found[Q::rewriting] = {{1, 1 / bytes_per_second_}};
    return found;
  }

 private:
  double seek_seconds_, bytes_per_second_, seconds_ = 0;
  int64_t position_ = -1;
};

struct Device {
  const char* name;
  double seek_seconds, bytes_per_second;
};
constexpr Device devices[] = {
    {"a disk", 8e-3, 200e6}, {"an SSD", 80e-6, 500e6}, {"a slow server", 1e-3, 20e6}};

plan::Prices prices_of(const SerialDisk& disk, int clients) {
  return derived_prices(disk.measured(clients),
                        plan::builtin_prices({.kind = plan::StorageFacts::Kind::local}));
}

// All ranks move over their spans at the same pace.
double seconds_of_sieve(const plan::Facts& facts, SerialDisk disk) {
  const int64_t ranks = facts.digest.ranks_with_data, span = facts.digest.span / ranks;
  const int64_t buffer = std::min(sieve_buffer_bytes(facts), span);
  for (int64_t begin = 0; begin < span; begin += buffer) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const int64_t bytes = std::min(buffer, span - begin), offset = rank * facts.digest.granule + begin;
      disk.move(offset, bytes);
      if (facts.operation == Operation::write) disk.move(offset, bytes);
    }
  }
  return disk.seconds();
}

// The aggregators' windows are written by turns. The file has no holes.
double seconds_of_two_phase(const plan::Facts& facts, const plan::Layout& layout, SerialDisk disk) {
  const auto realms = static_cast<int64_t>(layout.realms.size());
  const int64_t realm = facts.digest.end / realms;
  for (int64_t begin = 0; begin < realm; begin += layout.window_bytes) {
    for (int64_t i = 0; i < realms; ++i)
      disk.move(i * realm + begin, std::min(layout.window_bytes, realm - begin));
  }
  return disk.seconds();
}

TEST(ProbedSerialDisk, SievesAsLongAsPredicted) {
  for (const Device& device : devices) {
    const SerialDisk disk(device.seek_seconds, device.bytes_per_second);
    for (const Operation operation : {Operation::read, Operation::write}) {
      for (const int ranks : {2, 4, 8}) {
        const plan::Facts facts = test::interleaved(operation, ranks, 4096, 4 << 20);
        const double taken = seconds_of_sieve(facts, disk);
        const double predicted = cost_of_sieve(facts, {}, prices_of(disk, ranks)).seconds();
        EXPECT_NEAR(predicted / taken, 1, 0.25) << device.name << ", " << ranks << " ranks, "
                                                << (operation == Operation::read ? "read" : "write");
      }
    }
  }
}

TEST(ProbedSerialDisk, TwoPhaseTakesAsLongAsPredicted) {
  for (const Device& device : devices) {
    const SerialDisk disk(device.seek_seconds, device.bytes_per_second);
    for (const Operation operation : {Operation::read, Operation::write}) {
      for (const int ranks : {2, 4, 8}) {
        plan::Facts facts = test::interleaved(operation, ranks, 4096, 4 << 20);
        for (const int aggregators : {1, 2}) {
          facts.wishes.aggregators = aggregators;
          const plan::Prices prices = prices_of(disk, ranks);
          const plan::Layout layout = cheapest_layout(facts, file_spans(facts));
          ASSERT_FALSE(layout.realms.empty());
          const double taken = seconds_of_two_phase(facts, layout, disk);
          EXPECT_NEAR(cost_of_two_phase(facts, layout, prices).seconds() / taken, 1, 0.25)
              << device.name << ", " << ranks << " ranks, " << layout.realms.size() << " aggregators";
        }
      }
    }
  }
}

// Small pieces on a disk: the order of the methods matters most.
TEST(ProbedSerialDisk, ListPaysASeekForEveryPiece) {
  const SerialDisk disk(8e-3, 200e6);
  const plan::Facts facts = test::interleaved(Operation::write, 4, 4096, 1 << 20);
  const auto pieces = static_cast<double>(facts.digest.file_pieces);
  const double predicted = cost_of_list(facts, {}, prices_of(disk, 4)).seconds();
  EXPECT_NEAR(predicted / (pieces * (8e-3 + 4096 / 200e6)), 1, 0.25);
}

}  // namespace
}  // namespace concilio::probe::prices_test
