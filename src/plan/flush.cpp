#include "plan/flush.h"

#include <algorithm>
#include <initializer_list>

#include "plan/price.h"

namespace concilio {
namespace {

constexpr int64_t most_percent = 100;

Flush cheapest(std::initializer_list<Flush> ways, const WindowShape& window, double windows,
               const Prices& prices) {
  return *std::min_element(ways.begin(), ways.end(), [&](Flush a, Flush b) {
    return cost_of_flush(a, window, windows, prices).seconds(prices) <
           cost_of_flush(b, window, windows, prices).seconds(prices);
  });
}

// Whether the threshold wants the holes read and written back.
bool sieves(const WindowShape& window, int64_t threshold) {
  if (threshold > most_percent) return window.extent_bytes() <= threshold;
  // Floating-point: a hundred times the bytes may not fit.
  return static_cast<double>(window.covered_bytes) * 100 >=
         static_cast<double>(window.range_bytes) * static_cast<double>(threshold);
}

}  // namespace

Flush choose_flush(const WindowShape& window, const FlushRules& rules, const Prices& prices) {
  const bool asks_rewrite = rules.asked == Flush::read_modify_write;
  if (rules.asked && (rules.may_rewrite || !asks_rewrite)) return *rules.asked;
  const bool by_price = rules.threshold <= 0;
  if (rules.may_rewrite && !by_price && sieves(window, rules.threshold)) return Flush::read_modify_write;
  if (!rules.may_rewrite || !by_price) return cheapest({Flush::list, Flush::batch}, window, 1, prices);
  return cheapest({Flush::read_modify_write, Flush::list, Flush::batch}, window, 1, prices);
}

double FlushCost::seconds(const Prices& prices) const {
  return request_seconds + bytes / prices.window_bytes_per_second;
}

FlushCost cost_of_flush(Flush how, const WindowShape& window, double windows, const Prices& prices) {
  const auto runs = static_cast<double>(window.runs);
  const auto covered_bytes = static_cast<double>(window.covered_bytes);
  switch (how) {
    case Flush::read_modify_write:
      return {2 * windows * prices.request_seconds, 2 * static_cast<double>(window.range_bytes)};
    case Flush::list:
      return {runs * prices.window_piece_seconds, covered_bytes};
    case Flush::batch:
      return {runs * seconds_at_once(Operation::write, runs / windows, prices), covered_bytes};
  }
  return {};
}

FlushCost cheapest_flush(const WindowShape& window, double windows, const Prices& prices) {
  const Flush how = cheapest({Flush::read_modify_write, Flush::list, Flush::batch}, window, windows, prices);
  return cost_of_flush(how, window, windows, prices);
}

double seconds_in_turn(Operation operation, double requests, const Prices& prices) {
  const bool scattered = operation == Operation::write && requests > 1;
  return scattered ? prices.scattered_write_seconds : prices.request_seconds;
}

double seconds_at_once(Operation operation, double requests, const Prices& prices) {
  const AtOnce& at_once = operation == Operation::read ? prices.reads_at_once : prices.writes_at_once;
  const double served = std::max(1.0, std::min(at_once.served, requests));
  return seconds_in_turn(operation, requests, prices) / served + at_once.submit_seconds;
}

double seconds_of_one(Operation operation, double requests, const Prices& prices) {
  return std::min(seconds_in_turn(operation, requests, prices), seconds_at_once(operation, requests, prices));
}

bool pays_at_once(Operation operation, int64_t requests, const Prices& prices) {
  const auto count = static_cast<double>(requests);
  return seconds_at_once(operation, count, prices) < seconds_in_turn(operation, count, prices);
}

}  // namespace concilio
