// Every contiguous piece a request of its own.
#include "plan/choose/method_table.h"
#include "plan/facts/digest.h"

namespace concilio::plan {

// What is asked for rather than list goes before it, but not before what is asked for by name.
Phrase obstacle_to_list(const Facts& facts) {
  const bool sieves = facts.wishes.sieving == Choice3::enable && obstacle_to_sieve(facts).empty();
  if (!sieves || facts.wishes.forced_method == static_cast<int32_t>(Method::list)) return {};
  return {facts.operation == Operation::read ? "romio_ds_read=enable asks for sieving in its place"
                                             : "romio_ds_write=enable asks for sieving in its place"};
}

Cost cost_of_list(const Facts& facts, const Layout&, const Prices& prices) {
  return cost_of_pieces(facts, static_cast<double>(facts.digest.file_pieces),
                        static_cast<double>(facts.digest.max_rank_file_pieces), prices);
}

Phrase merit_of_list(const Facts& facts, const Layout&) {
  const Digest& digest = facts.digest;
  return {"{} of about {} are worth a request each",
          {Quantity::pieces(pieces_of(digest)), Quantity::bytes(mean_piece_bytes(digest))}};
}

}  // namespace concilio::plan
