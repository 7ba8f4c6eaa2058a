// The plans that are kept from one call of an operation to the next. A program may make several patterns by
// turns: one variable after another, each with a view of its own, and again in the next step. Each of them is
// planned once. After a pattern comes, as a rule, the one that came after it before; so all ranks know which
// to expect, and compare their requests with it before they meet.
//
// What is kept changes only in collective calls, and alike on all ranks, but for the requests themselves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "exec/memory_watch.h"
#include "exec/two_phase/two_phase.h"
#include "plan/plan.h"

namespace concilio::exec {

// Two requests with equal patterns repeat each other, except for where in the file they begin.
struct Pattern {
  uint64_t view = 0, look = 0;  // of the file: hash of the access, and look of the data
  uint64_t memory = 0;          // hash of the access
  int64_t bytes = -1, first = 0;
  // Tiles behind the first may be out of order where the first is not.
  int64_t monotone = 1;

  bool repeats(const Pattern& before) const {
    return bytes == before.bytes &&
           (bytes == 0 || (look == before.look && memory == before.memory && monotone == before.monotone));
  }
};

// A plan, and what this rank needs to carry it out.
struct Prepared {
  plan::Plan plan;
  std::optional<RoundGear> gear;  // two_phase only
  bool by_notice = false;         // the ranks carry it out under a RewriteNotice; the same on all of them
  bool any_small_pieces = false;  // it serves every call that is_of_small_pieces(); the same on all of them
  bool at_first_sight = false;    // when the pattern comes back, it is planned; the same on all of them
  MemoryWatch memory;             // on one rank of each node
};

class KeptPlans {
 public:
  struct Kept {
    std::shared_ptr<Prepared> prepared;  // null if there is no plan here
    Pattern pattern;                     // of this rank's request that it served last
    // How long the last call took, if the ranks have found that each may repeat its part of it alone.
    std::optional<double> alone_seconds;
    size_t next = 0;        // where the call after that was served
    int64_t last_call = 0;  // that it served, counted from 1

    bool serves(const Pattern& now) const { return prepared && now.repeats(pattern); }
  };

  // What should serve the next call.
  Kept& expected() { return kept_[kept_[last_].next]; }
  const Kept& expected() const { return kept_[kept_[last_].next]; }
  // What served the last call.
  const Kept& last() const { return kept_[last_]; }

  // The plans that serve this rank's request, one bit for each.
  int64_t serving(const Pattern& now) const {
    return bits_of([&](const Kept& kept) { return kept.serves(now); });
  }
  // Those that are there.
  int64_t all() const {
    return bits_of([](const Kept& kept) { return kept.prepared != nullptr; });
  }
  // Expects one of these plans, of which there is at least one, in place of another: the one used last.
  Kept& expect(int64_t bits) {
    size_t found = kept_.size();
    for (size_t i = 0; i < kept_.size(); ++i) {
      if ((bits >> i & 1) && (found == kept_.size() || kept_[i].last_call > kept_[found].last_call))
        found = i;
    }
    kept_[last_].next = found;
    return expected();
  }
  // Expects this plan, or one that is still to be made, in place of the one that has not been used for
  // longest. Until the ranks know better, they expect it to be repeated. The next call takes it.
  Kept& expect_new(std::shared_ptr<Prepared> prepared = {}) {
    size_t oldest = 0;
    for (size_t i = 0; i < kept_.size(); ++i) {
      if (kept_[i].last_call < kept_[oldest].last_call) oldest = i;
    }
    kept_[oldest] = {};
    kept_[oldest].prepared = std::move(prepared);
    kept_[oldest].next = oldest;
    kept_[last_].next = oldest;
    return expected();
  }
  // The expected one serves a call.
  Kept& take() {
    last_ = kept_[last_].next;
    kept_[last_].last_call = ++calls_;
    return kept_[last_];
  }

  // If the ranks may repeat the last call alone, and make the next ones so, whichever of the plans serve
  // them, one expected after the other: how long the longest of these calls took.
  std::optional<double> alone_seconds() const {
    if (!last().alone_seconds) return {};
    double longest = *last().alone_seconds;
    size_t at = last_;
    for (size_t i = 0; i < kept_.size(); ++i) {
      at = kept_[at].next;
      if (!kept_[at].prepared || !kept_[at].alone_seconds) return {};
      longest = std::max(longest, *kept_[at].alone_seconds);
      if (at == last_) break;
    }
    return longest;
  }

  template <typename F>
  void for_each(F&& f) const {
    for (const Kept& kept : kept_) {
      if (kept.prepared) f(kept);
    }
  }
  void forget_all_but_last() {
    for (Kept& kept : kept_) {
      if (&kept != &kept_[last_]) kept.prepared.reset();
    }
  }
  void forget() {
    for (Kept& kept : kept_) kept.prepared.reset();
  }

 private:
  // Calls look at those that have served one, which lie before all others: as a rule few.
  template <typename Is>
  int64_t bits_of(Is&& is) const {
    int64_t bits = 0;
    for (size_t i = 0; i < kept_.size() && kept_[i].last_call > 0; ++i)
      bits |= static_cast<int64_t>(is(kept_[i])) << i;
    return bits;
  }

  static constexpr size_t most = 32;
  std::array<Kept, most> kept_;
  size_t last_ = 0;
  int64_t calls_ = 0;
};

}  // namespace concilio::exec
