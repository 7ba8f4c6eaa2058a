#include "plan/choose/hole_filling.h"

#include <algorithm>
#include <initializer_list>

#include "plan/facts/prices.h"

namespace concilio::plan {
namespace {

constexpr int64_t most_percent = 100;

Flush cheapest(std::initializer_list<Flush> ways, const WindowShape& window, double windows,
               const Prices& prices, int64_t writers) {
  return *std::min_element(ways.begin(), ways.end(), [&](Flush a, Flush b) {
    return cost_of_flush(a, window, windows, prices, writers).seconds() <
           cost_of_flush(b, window, windows, prices, writers).seconds();
  });
}

// How many times as long as alone a writer's requests of this size take among so many writers, each with
// `under_way` of them. What storage in memory costs was measured with several aggregators.
double delay(int64_t writers, double under_way, double request_bytes, const Prices& prices) {
  if (prices.from_memory || writers <= 1) return 1;
  const double requests = static_cast<double>(writers) * under_way;
  return std::max(1.0, requests / std::max(under_way, speedup(prices.write, requests, request_bytes)));
}

// Whether by the threshold the holes are to be read and written back.
bool sieves(const WindowShape& window, int64_t threshold) {
  if (threshold > most_percent) return window.extent_bytes() <= threshold;
  // In floating point, as a hundred times the bytes may not fit into an integer.
  return static_cast<double>(window.covered_bytes) * 100 >=
         static_cast<double>(window.range_bytes) * static_cast<double>(threshold);
}

}  // namespace

Flush choose_flush(const WindowShape& window, const FlushRules& rules, const Prices& prices) {
  const bool asks_rewrite = rules.asked == Flush::read_modify_write;
  if (rules.asked && (rules.may_rewrite || !asks_rewrite)) return *rules.asked;
  const bool by_price = rules.threshold <= 0;
  if (rules.may_rewrite && !by_price && sieves(window, rules.threshold)) return Flush::read_modify_write;
  if (!rules.may_rewrite || !by_price)
    return cheapest({Flush::list, Flush::batch}, window, 1, prices, rules.writers);
  return cheapest({Flush::read_modify_write, Flush::list, Flush::batch}, window, 1, prices, rules.writers);
}

FlushCost cost_of_flush(Flush how, const WindowShape& window, double windows, const Prices& prices,
                        int64_t writers) {
  const auto runs = static_cast<double>(window.runs);
  const double byte_seconds = delay(writers, 1, large_request_bytes, prices) / prices.window_bytes_per_second;
  const double covered_seconds = static_cast<double>(window.covered_bytes) * byte_seconds;
  const double small_delay = delay(writers, 1, small_request_bytes, prices);
  switch (how) {
    case Flush::read_modify_write:
      return {windows * (locking_seconds(prices) +
                         (prices.read.adjoining.at(0) + prices.write.adjoining.at(0)) * small_delay),
              2 * static_cast<double>(window.range_bytes) * byte_seconds};
    case Flush::list:
      return {runs * prices.window_piece_seconds * small_delay, covered_seconds};
    case Flush::batch: {
      const double under_way = served_at_once(Operation::write, runs / windows, prices);
      return {runs * seconds_at_once(Operation::write, runs / windows, prices) *
                  delay(writers, under_way, small_request_bytes, prices),
              covered_seconds};
    }
  }
  return {};
}

Flush cheapest_flush(const WindowShape& window, double windows, const Prices& prices, int64_t writers) {
  return cheapest({Flush::read_modify_write, Flush::list, Flush::batch}, window, windows, prices, writers);
}

double locking_seconds(const Prices& prices) {
  return prices.from_memory ? 0 : prices.lock_seconds;
}

int64_t gap_worth_reading(const Prices& prices) {
  const Curve& window = prices.read.window;
  const double byte_seconds = (window.at(large_request_bytes) - window.at(0)) / large_request_bytes;
  const double request_seconds = seconds_in_turn(Operation::read, prices);
  constexpr double most = 1 << 30;  // no window is longer
  return static_cast<int64_t>(byte_seconds * most > request_seconds ? request_seconds / byte_seconds : most);
}

double seconds_in_turn(Operation operation, const Prices& prices) {
  return prices.of(operation).scattered.at(0);
}

double served_at_once(Operation operation, double requests, const Prices& prices) {
  return std::max(1.0, std::min(prices.of(operation).at_once.served, requests));
}

double seconds_at_once(Operation operation, double requests, const Prices& prices) {
  return seconds_in_turn(operation, prices) / served_at_once(operation, requests, prices) +
         prices.of(operation).at_once.submit_seconds;
}

double seconds_of_one(Operation operation, double requests, const Prices& prices) {
  return std::min(seconds_in_turn(operation, prices), seconds_at_once(operation, requests, prices));
}

bool pays_at_once(Operation operation, int64_t requests, const Prices& prices) {
  const auto count = static_cast<double>(requests);
  return seconds_at_once(operation, count, prices) < seconds_in_turn(operation, prices);
}

}  // namespace concilio::plan
