#include "plan/choose/method_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plan/choose/next_method.h"

namespace concilio {
namespace {

const char* direction(const Facts& facts) {
  return facts.operation == Operation::read ? "read" : "write";
}

std::string obstacle_to_independent(const Facts& facts) {
  if (facts.digest.max_rank_file_pieces <= 1) return "";
  return fmt::format("a rank's bytes lie in up to {} pieces of the file", facts.digest.max_rank_file_pieces);
}

std::string obstacle_to_sieve(const Facts& facts) {
  if (facts.wishes.sieving == Choice3::disable) return fmt::format("romio_ds_{}=disable", direction(facts));
  if (!facts.digest.monotone) return "the bytes are not asked for in ascending order";
  if (facts.operation == Operation::write && !facts.locks_work) return "locks do not work on this storage";
  if (facts.operation == Operation::write && facts.others_write)
    return "somebody else may be writing between the bytes, such as another open of the file";
  return "";
}

// What is asked for rather than list goes before it, but not before what is asked for by name.
std::string obstacle_to_list(const Facts& facts) {
  const bool sieves = facts.wishes.sieving == Choice3::enable && obstacle_to_sieve(facts).empty();
  if (!sieves || facts.wishes.forced_method == static_cast<int32_t>(Method::list)) return "";
  return fmt::format("romio_ds_{}=enable asks for sieving in its place", direction(facts));
}

std::string obstacle_to_two_phase(const Facts& facts) {
  if (!facts.collective) return "the call is not collective";
  if (facts.wishes.collective == Choice3::disable)
    return fmt::format("romio_cb_{}=disable", direction(facts));
  if (facts.atomic) return "the file is in atomic mode";
  if (!facts.digest.monotone) return "the bytes are not asked for in ascending order";
  for (const NodeFacts& node : facts.nodes) {
    if (!node.candidates.empty()) return "";
  }
  return "no rank may aggregate";
}

// Less than half of the stretches that ranks' bytes lie in, which are given space as a whole.
bool is_sparse(const Digest& digest) {
  return digest.bytes < std::min(digest.span, digest.end - digest.first) / 2;
}

std::string obstacle_to_mapped(const Facts& facts) {
  using Kind = StorageFacts::Kind;
  if (facts.storage.kind != Kind::local && facts.storage.kind != Kind::memory)
    return "the file lies on no storage of this node alone";
  // Measured: a disk's file system enters every page that is made writable in its books, which took from half
  // to twenty times as long as writing it, with nothing to tell beforehand which.
  if (facts.operation == Operation::write && facts.storage.kind != Kind::memory)
    return "a page of a disk's file costs more to map for writing than to write";
  if (facts.nodes.size() > 1) return "the ranks are on several nodes";
  if (!facts.may_map) return "the file cannot be mapped";
  if (facts.atomic) return "the file is in atomic mode";
  if (!facts.digest.monotone) return "the bytes are not asked for in ascending order";
  if (facts.operation == Operation::write && is_sparse(facts.digest))
    return "holes would be given space, more than the bytes need";
  return "";
}

constexpr std::array<MethodRow, method_count> method_table = {{
    {Method::independent, obstacle_to_independent, cost_of_independent},
    {Method::list, obstacle_to_list, cost_of_list},
    {Method::sieve, obstacle_to_sieve, cost_of_sieve},
    {Method::two_phase, obstacle_to_two_phase, cost_of_two_phase},
    {Method::mapped, obstacle_to_mapped, cost_of_mapped},
}};

const Candidate& candidate(std::span<const Candidate> candidates, Method method) {
  return candidates[static_cast<size_t>(method)];
}

Choice choose_unforced(const Facts& facts, std::span<const Candidate> candidates) {
  if (candidate(candidates, Method::two_phase).legal) {
    if (facts.wishes.collective == Choice3::enable) {
      return {Method::two_phase, fmt::format("romio_cb_{}=enable asks for it", direction(facts)), true};
    }
    if (facts.wishes.no_independent) return {Method::two_phase, "romio_no_indep_rw asks for it", true};
  }
  const Method best = next_method(candidates, facts.experience);
  const Candidate& list = candidate(candidates, Method::list);
  return {best, best == Method::sieve && !list.legal ? list.why : "", false};
}

}  // namespace

std::span<const MethodRow> method_rows() {
  return method_table;
}

const MethodRow& method_row(Method method) {
  return method_table[static_cast<size_t>(method)];
}

Choice choose_method(const Facts& facts, std::span<const Candidate> candidates) {
  const int32_t forced = facts.wishes.forced_method;
  if (forced < 0 || forced >= static_cast<int32_t>(method_table.size()))
    return choose_unforced(facts, candidates);
  const Candidate& asked = candidates[static_cast<size_t>(forced)];
  if (asked.legal) {
    return {asked.method, fmt::format("concilio_method={} asks for it", method_name(asked.method)), true};
  }
  Choice choice = choose_unforced(facts, candidates);
  const std::string obstacle =
      fmt::format("concilio_method={} is not possible here ({})", method_name(asked.method), asked.why);
  choice.because = choice.because.empty() ? obstacle : obstacle + "; " + choice.because;
  return choice;
}

}  // namespace concilio
