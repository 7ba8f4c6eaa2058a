#include "probe/derive/derive.h"

#include <algorithm>
#include <cmath>

#include "base/median.h"

namespace concilio::probe {

namespace {

// The next larger measured number of clients must raise the throughput by this factor to be worth having.
constexpr double worth_having = 1.1;
// This fraction of the best throughput is enough.
constexpr double enough = 0.9;
// An aggregator has two windows: one is filled while the other is on its way.
constexpr int64_t window_slots = 2;
// No device or server is faster than this. A faster request is answered from memory, by the work of a core.
constexpr double memory_request_seconds = 15e-6;

// Seconds by bytes. No request costs less than a smaller one. Beyond the largest measured size, the time
// grows in proportion to the bytes.
plan::Curve curve_of_seconds(const Series& series, const plan::Curve& otherwise) {
  if (series.empty()) return otherwise;
  plan::Curve curve;
  double least = 0;
  for (const Sample& sample : series) {
    if (curve.points == plan::Curve::most_points - 1) break;
    least = std::max(least, sample.y);
    curve.add({sample.x, least});
  }
  const plan::Curve::Point last = curve.point[curve.points - 1];
  curve.add({4 * last.x, 4 * last.y});
  return curve.valid() ? curve : otherwise;
}

// Throughput by clients, as a multiple of one client's. The multiple is at most the number of clients. Beyond
// the largest measured number of clients, it stays the same.
plan::Curve curve_of_clients(const Series& series, const plan::Curve& otherwise) {
  // A measurement with one rank says nothing about several.
  if (series.size() < 2 || series[0].y <= 0) return otherwise;
  plan::Curve curve;
  for (const Sample& sample : series) {
    if (curve.points == plan::Curve::most_points - 1) break;
    curve.add({sample.x, std::min(sample.x, sample.y / series[0].y)});
  }
  const plan::Curve::Point last = curve.point[curve.points - 1];
  curve.add({last.x + 1, last.y});
  return curve.valid() ? curve : otherwise;
}

// Fits seconds = in_turn / min(requests, served) + submit to the time that each of the requests took that
// were made at once. If they never took less time than requests in turn, served is 1.
plan::AtOnce fit_at_once(const Series& in_turn, const Series& at_once, plan::AtOnce otherwise) {
  if (in_turn.empty() || at_once.empty()) return otherwise;
  const double of_one = in_turn.back().y;
  plan::AtOnce best = otherwise;
  double least_error = INFINITY;
  for (const double served : {1, 2, 4, 8, 16, 32, 64}) {
    std::vector<double> submits;
    for (const Sample& sample : at_once)
      if (sample.x > 1) submits.push_back(sample.y - of_one / std::min(sample.x, served));
    if (submits.empty()) return otherwise;
    const double submit = std::max(0.0, median(submits));
    double error = 0;
    for (const Sample& sample : at_once) {
      if (sample.x <= 1) continue;
      const double predicted = of_one / std::min(sample.x, served) + submit;
      error += std::abs(std::log(predicted / std::max(sample.y, 1e-12)));
    }
    // A larger number must explain the samples clearly better.
    if (error < 0.95 * least_error) {
      least_error = error;
      best = {served, submit};
    }
  }
  return best;
}

double first_of(const Series& series, double otherwise) {
  return series.empty() ? otherwise : series[0].y;
}

plan::RequestPrices requests_of(const Measurements& found, Operation operation,
                                const plan::RequestPrices& otherwise) {
  const bool reads = operation == Operation::read;
  const auto of = [&](Quantity read, Quantity write) -> const Series& { return found[reads ? read : write]; };
  plan::RequestPrices prices;
  prices.adjoining =
      curve_of_seconds(of(Quantity::read_adjoining, Quantity::write_adjoining), otherwise.adjoining);
  prices.scattered =
      curve_of_seconds(of(Quantity::read_scattered, Quantity::write_scattered), otherwise.scattered);
  prices.window = curve_of_seconds(of(Quantity::read_window, Quantity::write_window), otherwise.window);
  prices.clients_small = curve_of_clients(of(Quantity::read_clients_small, Quantity::write_clients_small),
                                          otherwise.clients_small);
  prices.clients_large = curve_of_clients(of(Quantity::read_clients_large, Quantity::write_clients_large),
                                          otherwise.clients_large);
  prices.at_once = fit_at_once(of(Quantity::read_list, Quantity::write_list),
                               of(Quantity::read_at_once, Quantity::write_at_once), otherwise.at_once);
  return prices;
}

double window_bytes_per_second(const Measurements& found, double otherwise) {
  const double one = first_of(found[Quantity::rewriting], 0);
  return one > 0 ? 1 / one : otherwise;
}

bool answers_from_memory(const Measurements& found, bool otherwise) {
  if (found.throttled) return false;
  const double read = value_at(found[Quantity::read_scattered], 4096);
  const double write = value_at(found[Quantity::write_scattered], 4096);
  if (read <= 0 || write <= 0) return otherwise;
  return std::max(read, write) < memory_request_seconds;
}

void add_synchronise(const Measurements& found, plan::Prices& prices) {
  std::vector<double> with_cores, without;
  const auto cores = static_cast<double>(found.cores_per_node);
  for (const Sample& sample : found[Quantity::synchronise]) {
    if (sample.x < 2) continue;
    if (sample.x <= cores)
      with_cores.push_back(sample.y / sample.x);
    else  // sample.x ranks took turns on so many cores
      without.push_back(sample.y * cores / sample.x);
  }
  if (!with_cores.empty()) prices.synchronise_seconds = median(with_cores);
  if (!without.empty()) prices.oversubscribed_seconds = median(without);
}

// The price of a page that is populated in advance, as the library does if the kernel can, or else of one
// that is touched.
double page_seconds(const Series& touched, const Series& populated, double otherwise) {
  const double best = first_of(populated, first_of(touched, otherwise));
  return best > 0 ? best : otherwise;
}

// The smallest size at which the throughput is enough; 0 for an empty series.
double saturating_size(const std::vector<Sample>& rates) {
  double best = 0;
  for (const Sample& sample : rates) best = std::max(best, sample.y);
  for (const Sample& sample : rates) {
    if (sample.y > 0 && sample.y >= enough * best) return sample.x;
  }
  return 0;
}

// Turns the seconds of requests into bytes per second.
std::vector<Sample> rates_of(const Series& seconds) {
  std::vector<Sample> rates;
  for (const Sample& sample : seconds)
    if (sample.y > 0) rates.push_back({sample.x, sample.x / sample.y});
  return rates;
}

// The last number of clients that was worth having. Returns 0 if even the largest measured number was worth
// having, because then it is not known how many more would be.
int64_t last_worth_having(const Series& rates) {
  for (size_t i = 0; i + 1 < rates.size(); ++i) {
    if (rates[i + 1].y < worth_having * rates[i].y) return static_cast<int64_t>(rates[i].x);
  }
  return 0;
}

// What a request of an aggregator's window costs besides its bytes, which are priced like the window's.
double window_piece_seconds(const Series& pieces, double window_bytes_per_second, double otherwise) {
  if (pieces.empty()) return otherwise;
  const double all = pieces[0].y;
  return std::max(all - pieces[0].x / window_bytes_per_second, 0.1 * all);
}

}  // namespace

plan::Prices derived_prices(const Measurements& found, const plan::Prices& otherwise) {
  plan::Prices prices = otherwise;
  prices.of_target = false;
  prices.read = requests_of(found, Operation::read, otherwise.read);
  prices.write = requests_of(found, Operation::write, otherwise.write);
  prices.window_bytes_per_second = window_bytes_per_second(found, otherwise.window_bytes_per_second);
  prices.window_piece_seconds = window_piece_seconds(
      found[Quantity::write_window_piece], prices.window_bytes_per_second, otherwise.window_piece_seconds);
  prices.from_memory = answers_from_memory(found, otherwise.from_memory);
  prices.lock_seconds = first_of(found[Quantity::lock], otherwise.lock_seconds);
  prices.copy = curve_of_seconds(found[Quantity::copy], otherwise.copy);
  prices.map_seconds = first_of(found[Quantity::map], otherwise.map_seconds);
  prices.map_read_page_seconds =
      page_seconds(found[Quantity::map_read_page], found[Quantity::map_populate_read_page],
                   otherwise.map_read_page_seconds);
  prices.map_write_page_seconds =
      page_seconds(found[Quantity::map_write_page], found[Quantity::map_populate_write_page],
                   otherwise.map_write_page_seconds);
  add_synchronise(found, prices);
  prices.message = curve_of_seconds(found[Quantity::message], otherwise.message);
  prices.network_bytes_per_second =
      first_of(found[Quantity::message_stream], otherwise.network_bytes_per_second);
  prices.datatype_piece_seconds = first_of(found[Quantity::datatype], otherwise.datatype_piece_seconds);
  return prices;
}

// N_ah: "the optimal number of aggregators ... that can fully utilize the I/O bandwidth in one physical
// compute node". It is the number beyond which twice as many aggregators move less than 10 % more in requests
// of 1 MiB. Reads and writes share the number. The larger one counts, because an aggregator too many costs
// less than one too few.
int64_t aggregators_per_node(const Measurements& found) {
  const Series &read = found[Quantity::read_node_clients], &write = found[Quantity::write_node_clients];
  const int64_t of_reads = last_worth_having(read), of_writes = last_worth_having(write);
  return of_reads > 0 && of_writes > 0 ? std::max(of_reads, of_writes) : 0;
}

plan::Parameters derived_parameters(const Measurements& found) {
  plan::Parameters parameters;
  parameters.aggregators_per_node = aggregators_per_node(found);
  // Msg_ind: the "message size ... per aggregator". With less data than this, an aggregator does not reach 90
  // % of its bandwidth. Its requests use memory that is not in cache, like data that have only just arrived.
  const double read = saturating_size(rates_of(found[Quantity::read_adjoining]));
  const double write = saturating_size(rates_of(found[Quantity::write_adjoining]));
  parameters.domain_bytes = static_cast<int64_t>(std::max(read, write));
  // Msg_group: "the throughput from aggregators to the parallel file system is measured". It is the amount of
  // data that the aggregators of all nodes have under way together when they reach 90 % of their common
  // bandwidth.
  parameters.group_bytes = static_cast<int64_t>(
      std::max(saturating_size(found[Quantity::read_group]), saturating_size(found[Quantity::write_group])));
  // Mem_min: "the minimum memory consumption" with which that is reached. It is the memory of one
  // aggregator's windows, each of the smallest size that reaches 90 % of the bandwidth of windows.
  const double window = std::max(saturating_size(rates_of(found[Quantity::read_window])),
                                 saturating_size(rates_of(found[Quantity::write_window])));
  parameters.memory_min_bytes = window_slots * static_cast<int64_t>(window);
  return parameters;
}

}  // namespace concilio::probe
