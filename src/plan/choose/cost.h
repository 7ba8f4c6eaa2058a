// What methods cost, in seconds: sums of named terms, which follow from the facts, the plan and the prices.
// The functions here compute terms that several methods have in common.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "plan/choose/hole_filling.h"
#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio::plan {

// A predicted time as the sum of its named terms. It allocates no memory.
class Cost {
 public:
  struct Term {
    std::string_view name;  // static text
    double seconds = 0;
  };
  static constexpr size_t most_terms = 8;

  void add(std::string_view name, double seconds) { terms_.at(count_++) = {name, seconds}; }
  std::span<const Term> terms() const { return {terms_.data(), count_}; }
  double seconds() const;
  double seconds_of(std::string_view term) const;  // 0 if it has no such term
  // Makes these terms longer or shorter, all of them alike, so that they are so long together. Some of them
  // must be longer than 0.
  void take_together(std::span<const std::string_view> names, double seconds);
  // Whether no term is smaller than that of `other`.
  bool includes(const Cost& other) const;

 private:
  std::array<Term, most_terms> terms_{};
  size_t count_ = 0;
};

// The time to touch so much memory of a node for the first time.
double first_use_seconds(int64_t bytes);
double ranks_at_work(const Facts& facts);
// The number of cores that the ranks keep busy together.
double cores_at_work(const Facts& facts);
// How many ranks of the fullest node share a core; at least 1.
double ranks_per_core(const Facts& facts);
// How many times as fast as one client this many clients are together.
double together(const Facts& facts, double clients, double request_bytes, const Prices& prices);
// The same, but of the time for the bytes alone: a target works on several small requests at a time, but
// moves no more bytes for that.
double moving_together(const Facts& facts, double clients, double request_bytes, const Prices& prices);
// How many targets of striped storage serve the bytes of a request at the same time, on average.
double targets_of_request(const Facts& facts, double request_bytes);
double largest_piece_count(const Facts& facts);
// The time in which so many cores together move bytes, `seconds`, or less if what is read stays in the
// processor's cache.
double moving_seconds(const Facts& facts, double seconds, double bytes, double cores, const Prices& prices);
// The time to copy bytes in memory, in `pieces` pieces, by all ranks at the same time.
double copy_seconds(const Facts& facts, double bytes, double pieces, const Prices& prices);
// The time in which one aggregator puts so many bytes of other nodes into its windows, or takes them from
// there. It does so alone, with one core, and meanwhile asks nothing of storage.
double sorting_seconds(const Facts& facts, double bytes, const Prices& prices);
// The time to wake up every rank of the fullest node once.
double round_seconds(const Facts& facts, const Prices& prices);

// The time that a request takes whatever its length, and the time for its bytes.
struct RequestSeconds {
  double latency, of_bytes;
  RequestSeconds(const Curve& curve, double bytes);
};

// One stretch of the file whose pieces in memory have a mean length below this is packed in a buffer rather
// than transferred as a vector.
inline constexpr int64_t pack_below_bytes = 512;

// Adds the time in which all ranks of a collective call agree before it and after it.
void add_agreements(const Facts& facts, const Prices& prices, Cost& cost);
// The cost of one request for every piece of the file: that of all ranks' pieces together, but at least that
// of the rank with the most.
Cost cost_of_pieces(const Facts& facts, double pieces, double pieces_of_one, const Prices& prices);
// The cost of `windows` windows that are read or written through a buffer that stays in cache; `jumps` of
// them do not begin where the last one ended.
FlushCost transferred(double windows, double bytes, double jumps, const RequestPrices& requests);
// The cost of windows that are read, modified and written back.
FlushCost rewritten(double windows, double bytes, double jumps, const Prices& prices);

// How the images of a layout travel between nodes: as the user wishes, else in the cheaper way.
ExchangeStrategy choose_exchange(const Facts& facts, const Layout& layout, const Prices& prices);

}  // namespace concilio::plan
