#include "trial.h"

#include <algorithm>

#include "common/random.h"

namespace adversary {
namespace {

using tests::Random;

std::string random_fault(Random& random, int ranks, bool errors) {
  static constexpr auto errors_of_transfers = {"EIO", "ENOSPC", "EDQUOT", "EIO"};
  std::string operation =
      random.pick({"write", "write", "write", "read", "read", "any", "open", "lock", "unlock", "sync", "size",
                   "resize", "preallocate", "layout", "map", "close"});
  std::string effect = random.pick(errors_of_transfers);
  if (!errors) {
    operation = random.pick({"write", "read"});
    effect = random.pick({"short", "eintr"});
  }
  const bool every_one = random.chance(errors ? 10 : 50);
  const int64_t number = random.chance(50) ? 1 : 1 + random.magnitude(operation == "any" ? 100 : 20);
  const std::string rank = random.chance(30) ? "" : "@" + std::to_string(random.between(0, ranks - 1));
  return operation + ":" + (every_one ? "*" : std::to_string(number)) + ":" + effect + rank;
}

Disturbance random_disturbance(Random& random, int ranks, int calls) {
  Disturbance made;
  // A message takes a few microseconds. Longer delays are rare, as who waits for a lock asks again and again.
  const int64_t longest = random.chance(4) ? 24 : 17;
  if (random.chance(75)) made.longest_delay_ns = int64_t{1} << random.between(8, longest);
  made.slowed_ns.assign(static_cast<size_t>(ranks), 0);
  if (random.chance(30)) {
    for (int64_t& ns : made.slowed_ns) ns = random.chance(20) ? int64_t{1} << random.between(8, longest) : 0;
  }
  const int64_t kind = random.between(1, 100);
  const bool errors = kind <= 35, transfers = kind > 35 && kind <= 50, memory = kind > 50 && kind <= 70;
  if (errors || transfers) {
    for (int64_t i = random.between(1, 2); i > 0; --i)
      made.faults += random_fault(random, ranks, errors) + ";";
    made.errors = errors;
  }
  if (memory) {
    made.errors = true;
    made.memory_rank = static_cast<int>(random.between(0, ranks - 1));
    made.memory_call = static_cast<int>(random.between(0, calls - 1));
    made.memory_most = random.pick({3, 20, 100, 400});
  }
  return made;
}

// Hints that matter between the calls of a file, which the oracle's cases leave out.
struct Habits {
  std::string agree, realms;
  int64_t write_behind = 0;  // bytes
  bool defers_opens, renames;

  explicit Habits(Random& random)
      : agree(random.pick({"always", "always", "auto", "seldom"})),
        defers_opens(random.chance(20)),
        renames(random.chance(30)) {
    if (random.chance(60)) return;
    realms = random.pick({"even", "aligned", "persistent", "cyclic", "balanced", "tree"});
    if ((realms == "persistent" || realms == "cyclic") && random.chance(60))
      write_behind = 1 + random.magnitude(20000);
  }

  void add_to(oracle::Opening& opening) const {
    auto& hints = opening.hints;
    hints.emplace_back("concilio_agree", agree);
    if (!realms.empty()) hints.emplace_back("concilio_realms", realms);
    if (defers_opens || write_behind > 0) hints.emplace_back("romio_no_indep_rw", "true");
    if (write_behind == 0) return;
    hints.emplace_back("concilio_method", "two_phase");
    hints.emplace_back("concilio_write_behind", std::to_string(write_behind));
  }
};

// Hints by which calls go through relays, drawn from numbers of their own.
void add_relays(oracle::Case& plan, Random random) {
  const auto combined = random.pick({2, 2, 3, 4}), on_node = random.pick({1, 1, 2});
  const auto domain = random.pick({100, 500, 2000}), window = random.pick({64, 500, 4096});
  for (oracle::Opening& opening : plan.openings) {
    for (const auto& [name, value] :
         {std::pair("concilio_combine_nodes", combined), std::pair("concilio_ranks_per_node", on_node),
          std::pair("concilio_domain_bytes", domain), std::pair("cb_buffer_size", window)})
      opening.hints.emplace_back(name, std::to_string(value));
    opening.hints.emplace_back("concilio_method", "two_phase");
  }
}

}  // namespace

Trial make_trial(const TrialOptions& options, int64_t number, int most_ranks) {
  Trial trial;
  trial.number = number;
  const uint64_t seed = tests::mix(options.seed, static_cast<uint64_t>(number));
  Random random(tests::mix(seed, 77));
  const int ranks = random.chance(20) ? most_ranks : static_cast<int>(1 + random.magnitude(most_ranks - 1));
  const Habits habits(random);
  // Held back is only what is written collectively.
  const oracle::CaseOptions of_case{.collective_only = habits.write_behind > 0 || random.chance(50),
                                    .most_opens = random.chance(70) ? 1 : 3,
                                    .by_turns = options.by_turns,
                                    .plain_types = true,
                                    .most_bytes = int64_t{1} << random.between(9, 13)};
  trial.plan = oracle::make_case(random.next(), ranks, of_case);
  for (oracle::Opening& opening : trial.plan.openings) habits.add_to(opening);
  if (options.relays) add_relays(trial.plan, Random(tests::mix(seed, 78)));
  trial.apart = habits.agree != "always";
  trial.holds_back = habits.write_behind > 0;
  trial.renames = habits.renames;
  for (const oracle::Op& op : trial.plan.ops) trial.renames &= op.kind != oracle::OpKind::reopen;
  const int calls = static_cast<int>(2 * trial.plan.ops.size() + 2 * trial.plan.openings.size());
  if (options.disturbed) trial.disturbance = random_disturbance(random, ranks, calls);
  trial.disturbance.slowed_ns.resize(static_cast<size_t>(ranks));
  trial.stages.resize(static_cast<size_t>(ranks));
  return trial;
}

std::string describe(const Trial& trial) {
  const Disturbance& disturbance = trial.disturbance;
  std::string text = "faults: " + (disturbance.faults.empty() ? "none" : disturbance.faults) +
                     ", delays of at most " + std::to_string(disturbance.longest_delay_ns) + " ns";
  for (size_t rank = 0; rank < disturbance.slowed_ns.size(); ++rank) {
    if (disturbance.slowed_ns[rank] > 0)
      text += ", rank " + std::to_string(rank) + " by " + std::to_string(disturbance.slowed_ns[rank]) + " ns";
  }
  if (disturbance.memory_rank >= 0) {
    text += ", one of the first " + std::to_string(disturbance.memory_most) + " allocations of call " +
            std::to_string(disturbance.memory_call) + " of rank " + std::to_string(disturbance.memory_rank) +
            " and later ones fails";
  }
  if (trial.renames) text += ", the file is renamed";
  return text + "\n" + oracle::describe(trial.plan);
}

uint64_t stream_of(const Trial& trial, size_t op, int rank) {
  return tests::mix(tests::mix(trial.plan.seed, op + 2), static_cast<uint64_t>(rank));
}

int group_of(oracle::Openers openers, int rank) {
  using oracle::Openers;
  if (openers == Openers::odd_and_even) return rank % 2;
  return openers == Openers::self || openers == Openers::copy_of_self ? rank : 0;
}

}  // namespace adversary
