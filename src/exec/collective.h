// One collective call from beginning to end: meet, gather facts, plan or take the last plan again, carry it
// out, agree on the outcome, learn from it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "exec/running_call.h"
#include "exec/two_phase/two_phase.h"
#include "exec/two_phase/write_behind.h"
#include "exec/workspace.h"
#include "plan/choose/known_patterns.h"

namespace concilio {

// What is kept from call to call of one file, so that a repeated pattern is planned once.
class Collective {
 public:
  // Collective over the file's team. `trouble`: an error of this rank found before the call could begin; it
  // becomes the error of all. Every rank returns: bytes transferred, or the same error.
  Outcome run(const OpenFile& opened, const Request& request, const Wishes& wishes, const Status& trouble);

  // Aggregators write what they hold back of earlier calls; then all ranks see it. Collective over the team;
  // the same outcome on all ranks.
  Status settle(const OpenFile& opened);
  // The same for this rank alone, at a time when others may do something else: its error stays, for settle.
  Status settle_alone(const OpenFile& opened);
  // Whether some rank may hold bytes back; changes with collective calls only. Thread-safe.
  bool holds_back() const { return holds_back_; }

  // Of the last request: whether any rank stages its data, and whether any makes another for the same call,
  // so that all must. The same on all ranks.
  bool staged() const { return staged_; }
  bool more() const { return more_; }

  // The plan that the last call carried out; nullptr where it needed none.
  const Plan* last_plan() const { return last_ && plans_[*last_] ? &plans_[*last_]->plan : nullptr; }
  // Settings have changed: what was planned is of no more use. On all ranks alike. Realms that the file was
  // promised to keep stay, as long as nobody asks for others.
  void forget() {
    plans_ = {};
    experiences_.forget();
    calls_without_two_phase_ = 0;
  }
  // Buffers that messages of a failed team may still be reading stay for ever.
  void abandon_buffers() { Team::abandon(std::move(workspace_)); }
  // The user's realms from now on, in place of any before; nullptr: none. On all ranks alike.
  void give_realms(std::shared_ptr<const FixedRealms> given) {
    given_ = std::move(given);
    plans_ = {};
  }

 private:
  // What makes a request the repetition of another, but for where in the file it begins.
  struct Pattern {
    uint64_t file = 0, memory = 0;
    int64_t phase = 0, bytes = -1, first = 0;
  };
  // A plan, and what it takes to carry it out on this rank.
  struct Prepared {
    Plan plan;
    std::optional<RoundGear> gear;  // two_phase only
  };
  // The steps of a call.
  //
  // All ranks come, and know what they ask together, or which of them cannot take part. Collective, and the
  // same outcome on all ranks; so are gather_facts and plan_call.
  Status meet(const OpenFile& opened, const Request& request, const Status& trouble, Digest& digest);
  // What this rank asks, and whether it is what it asked before.
  Digest note(const Request& request);
  // Whether the last plan serves this call too, moved to where it is.
  bool reuse(const OpenFile& opened, Operation operation, const Digest& digest, const Experience& experience);
  Status plan_call(const OpenFile& opened, const Request& request, const Wishes& wishes, Facts& facts);
  // `mine`: what this rank could not do, to be told at the next agreement.
  Status gather_facts(const OpenFile& opened, const Request& request, const Wishes& wishes, Facts& facts,
                      Status& mine);
  // This rank's own part of making a plan.
  Status prepare(const OpenFile& opened, const Facts& facts, std::unique_ptr<Prepared>& made);
  Status begin_holding_back(RunningCall& call, const Plan& plan);
  Outcome carry_out(RunningCall& call, const Request& request, Prepared& prepared);
  // Agrees on the outcome, and learns how long it took.
  Outcome conclude(const OpenFile& opened, Outcome outcome, int64_t begin_ns, Plan& plan,
                   Experience& experience);

  void leave_room(int64_t staging_bytes);
  void give_up_windows();
  bool lay_out(const OpenFile& opened, Images& images);
  void zero_segment(const OpenFile& opened, int64_t bytes);

  // By operation.
  std::array<Pattern, 2> patterns_;
  std::array<std::unique_ptr<Prepared>, 2> plans_;
  // What calls took, so that the next ones are chosen by it.
  Experiences experiences_;
  std::optional<size_t> last_;
  bool staged_ = false, more_ = false;
  int64_t staging_bytes_ = 0;  // the most that any call has staged; plans leave room for it
  // Windows found no memory on some rank: so many calls do without, before it is tried again.
  int64_t calls_without_two_phase_ = 0;
  Workspace workspace_;
  // The layout that this node's segment has now, null if none, and the bytes of its headers.
  std::shared_ptr<const Images::Layout> layout_;
  int64_t headers_bytes_ = 0;
  // See Facts.
  std::shared_ptr<const FixedRealms> fixed_, given_;
  WriteBehind behind_;
  std::atomic<bool> holds_back_ = false;
  Status lost_alone_;                            // what settle_alone could not write
  std::shared_ptr<const FixedRealms> held_for_;  // the realms whose aggregators hold it
};

}  // namespace concilio
