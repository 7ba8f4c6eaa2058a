// One collective call from beginning to end. The ranks meet, gather the facts, make a plan or use one again
// that they have kept, carry it out, agree on the outcome, and remember how long it took.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "exec/apart.h"
#include "exec/call/running_call.h"
#include "exec/call/workspace.h"
#include "exec/kept_plans.h"
#include "exec/windows/write_behind.h"
#include "plan/choose/known_patterns.h"

namespace concilio::exec {

// What is kept from one call of a file to the next, so that a repeated access pattern is planned only once.
class Collective {
 public:
  // Collective over the file's team. `trouble` is an error that this rank found before the call could begin;
  // it becomes the error of all ranks. Every rank returns the bytes that it transferred, or all return the
  // same error.
  Outcome run(const OpenFile& opened, const Request& request, const plan::Wishes& wishes,
              const Status& trouble);

  // Aggregators write the data of earlier calls that they hold back; afterwards all ranks see these data.
  // Returns an error of these, or of an earlier call that was made apart. Collective over the team, after its
  // ranks have met, with the same outcome on all ranks.
  Status settle(const OpenFile& opened);
  // Does the same for this rank alone, while other ranks may do something else. An error is kept until
  // settle() reports it.
  Status settle_alone(const OpenFile& opened);
  // Whether some rank may hold data back. It changes only in collective calls. Thread-safe.
  bool holds_back() const { return holds_back_; }

  // Calls that the ranks make without meeting. A call that is one of them does not come to run(): each rank
  // carries out its request alone, by plan_alone().
  Apart& apart() { return apart_; }
  // This rank has made a call apart, with this outcome.
  void made_apart(const Status& mine) {
    apart_.made(mine);
    plans_of(apart_.operation()).take();
  }
  // The plan of the call that is expected next if that is what each rank does for itself, and if this request
  // of this rank repeats that call's; else nullptr. Until the ranks meet it stays as it is.
  std::shared_ptr<const plan::Plan> plan_alone(const Request& request) const;
  // Whether the call that is expected next passes each stretch of a rank on to storage, as one request.
  bool passed_on(Operation operation) const;
  // Whether a view that shows these bytes to reads, and those to writes, looks to this rank as the view of
  // the call that is expected next, of the operation that the ranks make apart.
  bool looks_as_before(const pattern::Access& reads, const pattern::Access& writes) const;

  // About the last request: whether any rank stages its data, and whether any rank makes another request for
  // the same call, so that all ranks must make one. The same on all ranks.
  bool staged() const { return staged_; }
  bool more() const { return more_; }

  // The plan that the last call carried out; nullptr where it needed none.
  const plan::Plan* last_plan() const {
    const Prepared* const prepared = last_ ? plans_of(*last_).last().prepared.get() : nullptr;
    return prepared ? &prepared->plan : nullptr;
  }
  // Called on all ranks when settings have changed: the plans are of no more use. File realms that the file
  // was promised to keep stay until somebody asks for others.
  void forget() {
    forget_plans();
    apart_.forget();
    experiences_.forget();
    calls_without_two_phase_ = 0;
  }
  // After the team has failed, messages may still be reading the buffers; these are therefore never freed.
  void abandon_buffers() { mpi::Team::abandon(std::move(workspace_)); }
  // Sets the user's file realms, in place of any before; nullptr means none. Called on all ranks alike.
  void give_realms(std::shared_ptr<const plan::FixedRealms> given) {
    given_ = std::move(given);
    forget_plans();
  }

 private:
  KeptPlans& plans_of(Operation operation) { return plans_[static_cast<size_t>(operation)]; }
  const KeptPlans& plans_of(Operation operation) const { return plans_[static_cast<size_t>(operation)]; }
  void forget_plans() {
    for (KeptPlans& plans : plans_) plans.forget();
  }
  // The steps of a call.
  //
  // All ranks meet here. Afterwards each knows what they ask for together, or which of them cannot take part.
  // If the expected plan is carried out by notice, the notice is given before. Collective, with the same
  // outcome on all ranks; so are find_kept, gather_facts and plan_call. `asked` is set to the pattern of this
  // rank's request.
  Status meet(const OpenFile& opened, const Request& request, const Status& trouble, plan::Digest& digest,
              Pattern& asked, RewriteNotice& notice);
  // What this rank asks for, and which plans are kept for that.
  plan::Digest note(const Request& request, Pattern& asked);
  Status show_others(const OpenFile& opened, plan::Digest& digest);
  // If all ranks have kept another plan for what they ask for than the expected one, that is expected from
  // here on, and the digest says how the call is like the one that it served last.
  Status find_kept(const OpenFile& opened, Operation operation, const Pattern& asked, plan::Digest& digest,
                   RewriteNotice& notice);
  // Whether the expected plan serves this call, once it is moved to this call's place in the file.
  bool reuse(const OpenFile& opened, Operation operation, const plan::Digest& digest,
             const plan::Experience& experience);
  // Makes the plan of the call in `kept`.
  Status plan_call(const OpenFile& opened, const Request& request, const plan::Wishes& wishes,
                   plan::Facts& facts, KeptPlans::Kept& kept, RewriteNotice& notice);
  // `mine` becomes the error of this rank, which it tells the others at the next agreement.
  Status gather_facts(const OpenFile& opened, const Request& request, const plan::Wishes& wishes,
                      int64_t held_bytes, plan::Facts& facts, Status& mine);
  // Before a new plan is kept, forgets all but those of the last calls if what ranks keep of each other's
  // requests for all of them might not stay within the memory limit. The same on all ranks.
  void leave_room_beside(const plan::Plan& plan, int64_t limit_bytes);
  // Takes a plan that needs neither memory nor other ranks.
  void take_known_plan(const OpenFile& opened, const plan::Plan& plan, Operation operation,
                       const plan::Digest& digest, KeptPlans::Kept& kept);
  // This rank's own part of making a plan.
  Status prepare(const OpenFile& opened, const plan::Facts& facts, std::shared_ptr<Prepared>& made);
  Status tell_requests(const OpenFile& opened, const Request& request, Prepared& prepared, bool& fit);
  Status begin_holding_back(RunningCall& call, const plan::Plan& plan);
  Outcome carry_out(RunningCall& call, const Request& request, Prepared& prepared);
  // Agrees on the outcome, records how long the call took, and decides whether the next ones are made apart.
  Outcome conclude(const OpenFile& opened, Outcome outcome, int64_t begin_ns, const plan::Digest& digest,
                   KeptPlans::Kept& kept, plan::Experience& experience);
  // Whether each rank only carries out its own request, and needs no other for it.
  bool is_alone(const OpenFile& opened, const plan::Digest& digest, const plan::Plan& plan) const;
  // The part of settle() that is about data held back.
  Status settle_held(const OpenFile& opened);

  void leave_room(int64_t staging_bytes);
  void give_up_windows();
  bool lay_out(const OpenFile& opened, Images& images);

  std::array<KeptPlans, 2> plans_;   // by operation
  std::shared_ptr<Prepared> spare_;  // after each meeting there is one
  // How long calls took; the methods of later calls are chosen by it.
  plan::Experiences experiences_;
  Apart apart_;
  std::optional<Operation> last_;
  bool staged_ = false, more_ = false;
  bool wrote_alone_ = false;  // this rank, since the last meeting
  // The most that any call has staged; plans leave this much of the memory limit free.
  int64_t staging_bytes_ = 0;
  // After some rank had no memory for windows, this many calls do without two-phase I/O before it is tried
  // again.
  int64_t calls_without_two_phase_ = 0;
  Workspace workspace_;
  // The layout of this node's shared segment, null if it has none, and the bytes of its headers.
  std::shared_ptr<const Images::Layout> layout_;
  int64_t headers_bytes_ = 0;
  // Facts describes them.
  std::shared_ptr<const plan::FixedRealms> fixed_, given_;
  WriteBehind behind_;
  std::atomic<bool> holds_back_ = false;
  Status lost_alone_;                                  // what settle_alone could not write
  std::shared_ptr<const plan::FixedRealms> held_for_;  // the file realms whose aggregators hold data back
};

}  // namespace concilio::exec
