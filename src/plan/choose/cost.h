// What methods cost, in seconds: sums of named terms, which follow from the facts, the plan and the prices.
// The functions here compute terms that several methods have in common.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "plan/choose/hole_filling.h"
#include "plan/facts/prices.h"
#include "plan/layout/layout.h"

namespace concilio {

// A predicted time as the sum of its named terms. It allocates no memory.
class Cost {
 public:
  struct Term {
    const char* name = "";  // static text
    double seconds = 0;
  };
  static constexpr size_t most_terms = 8;

  void add(const char* name, double seconds) { terms_.at(count_++) = {name, seconds}; }
  std::span<const Term> terms() const { return {terms_.data(), count_}; }
  double seconds() const;

 private:
  std::array<Term, most_terms> terms_{};
  size_t count_ = 0;
};

double ranks_at_work(const Facts& facts);
// Cores that the ranks keep busy together.
double cores_at_work(const Facts& facts);
// How many times as fast as one `clients` are together.
double together(const Facts& facts, double clients, double request_bytes, const Prices& prices);
double largest_piece_count(const Facts& facts);
// Bytes copied in memory, in `pieces` pieces, by all ranks side by side.
double copy_seconds(const Facts& facts, double bytes, double pieces, const Prices& prices);
// One wake-up of every rank of the fullest node.
double round_seconds(const Facts& facts, const Prices& prices);

// What a request takes for its own sake, and for its bytes.
struct RequestSeconds {
  double latency, of_bytes;
  RequestSeconds(const Curve& curve, double bytes);
};

// All ranks of a collective call agree before it and after it.
void add_agreements(const Facts& facts, const Prices& prices, Cost& cost);
// Every piece of the file a request of its own: what all ask for together, but no less than the largest rank
// takes.
Cost cost_of_pieces(const Facts& facts, double pieces, double pieces_of_one, const Prices& prices);
// `windows` read or written by way of a buffer that stays in cache, `jumps` of them not where the last ended.
FlushCost transferred(double windows, double bytes, double jumps, const RequestPrices& requests);
// Windows read, modified and written.
FlushCost rewritten(double windows, double bytes, double jumps, const Prices& prices);

// How the images of a layout travel between nodes: as is wished, else the cheaper way.
ExchangeStrategy choose_exchange(const Facts& facts, const Layout& layout, const Prices& prices);

}  // namespace concilio
