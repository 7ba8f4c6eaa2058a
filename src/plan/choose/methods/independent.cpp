// Every rank's bytes are one stretch of the file: a request each.
#include "plan/choose/method_table.h"

namespace concilio::plan {

Phrase obstacle_to_independent(const Facts& facts) {
  if (facts.digest.max_rank_file_pieces <= 1) return {};
  return {"a rank's bytes lie in up to {} pieces of the file",
          {Quantity::number(facts.digest.max_rank_file_pieces)}};
}

Cost cost_of_independent(const Facts& facts, const Layout&, const Prices& prices) {
  return cost_of_pieces(facts, static_cast<double>(facts.digest.ranks_with_data), 1, prices);
}

Phrase merit_of_independent(const Facts&, const Layout&) {
  return {"each rank's bytes are one stretch of the file"};
}

}  // namespace concilio::plan
