#include "exec/collective.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/exceptions.h"
#include "exec/alone/run_alone.h"
#include "exec/call/work_time.h"
#include "exec/enter.h"
#include "exec/gather_facts.h"
#include "exec/two_phase/two_phase.h"
#include "exec/windows/images.h"
#include "mpi/nodes/agree.h"
#include "plan/choose/cost.h"
#include "plan/choose/next_method.h"
#include "plan/show/explain.h"

namespace concilio::exec {
namespace {

// How a call ended on the ranks, and how long it took, planning left out.
struct Verdict {
  mpi::Failure failure;
  WorkTime work;
};
Verdict combine(const Verdict& a, const Verdict& b) {
  return {combine(a.failure, b.failure), combine(a.work, b.work)};
}

// How a new plan was prepared on the ranks: the first failure of any, how many ranks lack memory, and how
// many could not announce on their node that the call rewrites.
struct Readiness {
  mpi::Failure failure;
  int64_t no_window = 0, short_of_memory = 0, no_notice = 0;  // ranks
};
Readiness combine(const Readiness& a, const Readiness& b) {
  return {combine(a.failure, b.failure), a.no_window + b.no_window, a.short_of_memory + b.short_of_memory,
          a.no_notice + b.no_notice};
}

// Where the ranks' requests lie, compared with those before that the same plan served, and how many ranks
// find that it is outdated.
struct Place {
  int64_t shift_min = INT64_MAX, shift_max = INT64_MIN;
  int64_t outdated = 0;  // ranks
};
Place combine(const Place& a, const Place& b) {
  return {std::min(a.shift_min, b.shift_min), std::max(a.shift_max, b.shift_max), a.outdated + b.outdated};
}

// Whether nodes know what they need to of each other's requests: the first failure of any rank, and how many
// ranks cannot exchange as planned.
struct Knowledge {
  mpi::Failure failure;
  int64_t unfit = 0;  // ranks
};
Knowledge combine(const Knowledge& a, const Knowledge& b) {
  return {combine(a.failure, b.failure), a.unfit + b.unfit};
}

// Whether a plan is still good when it is moved by `shift` bytes. On local storage and in memory, a border
// between windows inside a page or stripe costs only a little time, less than planning anew.
bool is_good_after(const plan::Plan& plan, int64_t shift, const plan::StorageFacts& storage) {
  const bool indifferent =
      storage.kind == plan::StorageFacts::Kind::local || storage.kind == plan::StorageFacts::Kind::memory;
  return stays_aligned(plan, shift) || (indifferent && may_move(plan));
}

// Whether the ranks may carry out the plan only by a RewriteNotice.
bool needs_notice(const OpenFile& opened, const plan::Facts& facts, const plan::Plan& plan) {
  return opened.rewrites_by_notice() && plan.operation == Operation::write && method_rewrites(plan.method) &&
         !facts.others_write && (plan.method != plan::Method::two_phase || opened.may_rewrite_holes());
}

// Two nodes would undo each other's bytes in a page that both write.
void one_writes_for_all(plan::Facts& facts) {
  facts.wishes.collective = plan::Choice3::enable;
  facts.wishes.forced_method = -1;
  facts.wishes.aggregators = 1;
  facts.wishes.realms = plan::RealmPolicy::even;
  facts.fixed = facts.given = nullptr;
}

void do_without_two_phase(plan::Wishes& wishes) {
  wishes.collective = plan::Choice3::disable;
  wishes.no_independent = false;
  wishes.forced_method = -1;
}

// So many bytes of a rank, or of the file, take less time than a plan does, if there are few pieces of them.
constexpr int64_t few_bytes = 64 << 10, few_memory_pieces = 64;
// More pieces of a rank than this take longer than a plan, even if a profile says that they cost nothing.
constexpr int64_t most_unplanned_pieces = 256;

bool has_few_memory_pieces(const plan::Digest& digest) {
  return digest.memory_pieces / few_memory_pieces < digest.ranks_with_data;
}

// Whether each rank asks for one piece of the file at most, from few pieces of memory. Sizes then hardly
// matter, nor where the pieces lie: calls of a program whose records differ in size.
bool is_of_small_pieces(const plan::Digest& digest) {
  return digest.max_rank_bytes <= few_bytes && digest.file_pieces <= digest.ranks_with_data &&
         has_few_memory_pieces(digest) && digest.monotone && digest.staging_bytes == 0;
}

// Whether a plan would take longer than a small call: on one node, where storage answers from memory and
// nobody asks for another method.
bool may_go_unplanned(const OpenFile& opened, const plan::Wishes& wishes, const plan::Digest& digest) {
  const bool left_to_plan = wishes.forced_method < 0 && !wishes.no_independent &&
                            wishes.collective != plan::Choice3::enable &&
                            wishes.sieving != plan::Choice3::enable && wishes.write_behind_bytes == 0;
  return left_to_plan && opened.on_one_node() && opened.prices().from_memory && opened.exact_writes &&
         !opened.atomic && digest.more == 0 && digest.staging_bytes == 0;
}

// So long a plan takes. One for a rank that is alone is made sooner, as there is nobody to exchange with.
double seconds_of_plan(const OpenFile& opened) {
  return opened.team.size() > 1 ? 50e-6 : 8e-6;
}

// What a request for each of so many pieces takes, if one rank has so many of them.
double seconds_by_pieces(const OpenFile& opened, Operation operation, const plan::Digest& digest,
                         int64_t pieces, int64_t of_one_rank) {
  const plan::RequestPrices& prices = opened.prices().of(operation);
  const auto all = static_cast<double>(pieces);
  const double mean_bytes = static_cast<double>(digest.bytes) / std::max(1.0, all);
  const double at_once = speedup(prices, static_cast<double>(digest.ranks_with_data), mean_bytes);
  return std::max(all / at_once, static_cast<double>(of_one_rank)) * prices.scattered.at(mean_bytes);
}

// Whether other methods than a request for each piece would save less time than a plan takes: they cannot do
// better than one request for all bytes of a rank.
bool has_few_pieces(const OpenFile& opened, Operation operation, const plan::Digest& digest) {
  if (digest.max_rank_file_pieces > most_unplanned_pieces) return false;
  constexpr double much_longer = 4;  // where a call takes so much longer, a plan hardly counts
  const auto seconds_of = [&](int64_t pieces, int64_t of_one_rank) {
    return seconds_by_pieces(opened, operation, digest, pieces, of_one_rank);
  };
  const double by_pieces = seconds_of(digest.file_pieces, digest.max_rank_file_pieces);
  return by_pieces - seconds_of(digest.ranks_with_data, 1) <= seconds_of_plan(opened) &&
         by_pieces <= much_longer * seconds_of_plan(opened) && has_few_memory_pieces(digest);
}

// Whether one request for all that a single rank asks for, and for what lies between, takes no longer than a
// request for each piece and a plan do. The buffer is new, as a rule.
bool is_worth_sieving_alone(const OpenFile& opened, Operation operation, const plan::Digest& digest) {
  const plan::Prices& prices = opened.prices();
  const int64_t range = digest.end - digest.first;
  const auto bytes = static_cast<double>(range);
  double seconds = prices.of(operation).window.at(bytes) +
                   plan::first_use_seconds(std::min(range, plan::most_bytes_at_first_sight));
  if (operation == Operation::write) {
    if (!opened.may_rewrite()) return false;
    seconds += prices.read.window.at(bytes) + prices.lock_seconds;
  }
  return seconds <= seconds_of_plan(opened) + seconds_by_pieces(opened, operation, digest, digest.file_pieces,
                                                                digest.max_rank_file_pieces);
}

// How to read or write a pattern that is not known to come back, where that takes less time than a plan does:
// all that the ranks ask for, and what lies between, in one request if it is little, or few pieces by a
// request each. What lies between is rewritten only by a rank that alone has data: several would wait for
// each other.
std::optional<plan::Method> method_at_first_sight(const OpenFile& opened, Operation operation,
                                                  const plan::Wishes& wishes, const plan::Digest& digest) {
  if (digest.likeness >= plan::Digest::plan_outdated || !digest.monotone) return {};
  const int64_t range = digest.end - digest.first;
  const bool has_room = wishes.memory_limit_bytes / 16 >= range &&
                        (wishes.sieve_buffer_bytes <= 0 || wishes.sieve_buffer_bytes >= range);
  const bool may_sieve = has_room && wishes.sieving != plan::Choice3::disable;
  if (may_sieve && operation == Operation::read && range <= few_bytes) return plan::Method::sieve;
  if (has_few_pieces(opened, operation, digest)) return plan::Method::list;
  if (digest.ranks_with_data != 1 || !has_room) return {};
  // Nobody else has data, so there is nothing to exchange.
  if (digest.file_pieces == 1) return plan::Method::independent;
  if (may_sieve && is_worth_sieving_alone(opened, operation, digest)) return plan::Method::sieve;
  return {};
}

// Whether the next call of the pattern takes the same method.
bool still_chosen(const plan::Plan& plan, const plan::Experience& experience) {
  return plan.wished || plan.candidates.empty() || experience.calls() == 0 ||
         next_method(plan.candidates, experience) == plan.method;
}

// Whether the next call may be expected to be like one before, as this one is: it repeats one, or is a small
// piece again. In a view with holes, pieces that are small now may be many in the next call.
bool is_foreseen(const plan::Digest& digest) {
  if (digest.likeness == plan::Digest::pattern_repeats) return true;
  return digest.likeness == plan::Digest::plan_kept && digest.stretches && is_of_small_pieces(digest);
}

// The pattern of a request with this digest, of which `first` and `monotone` count.
Pattern pattern_of(const Request& request, const plan::Digest& digest) {
  return {request.file->hash(),   request.file->look(request.position, request.position + request.bytes),
          request.memory->hash(), request.bytes,
          digest.first,           digest.monotone};
}

void learn(plan::Plan& plan, double seconds, plan::Experience& experience) {
  experience.add(plan.method, seconds);
  if (plan.candidates.empty()) return;
  plan::Candidate& taken = plan.candidates[plan.method];
  taken.calls = experience.calls(plan.method);
  taken.measured_seconds = *experience.seconds(plan.method);
}

}  // namespace

plan::Digest Collective::note(const Request& request, Pattern& asked) {
  plan::Digest digest = digest_of(request);
  asked = pattern_of(request, digest);
  const KeptPlans& plans = plans_of(request.operation);
  const KeptPlans::Kept& expected = plans.expected();
  const bool same = expected.serves(asked);
  digest.stretches = request.file->is_contiguous();
  digest.likeness = same                                                       ? plan::Digest::pattern_repeats
                    : expected.prepared && expected.prepared->any_small_pieces ? plan::Digest::plan_kept
                                                                               : plan::Digest::nothing_kept;
  if (same && expected.prepared->memory.has_changed()) digest.likeness = plan::Digest::plan_outdated;
  if (same && asked.bytes > 0) digest.shift_min = digest.shift_max = asked.first - expected.pattern.first;
  digest.kept = plans.serving(asked);
  return digest;
}

std::shared_ptr<const plan::Plan> Collective::plan_alone(const Request& request) const {
  const KeptPlans::Kept& expected = plans_of(request.operation).expected();
  if (!expected.prepared || expected.prepared->gear) return nullptr;
  plan::Digest digest;
  digest.monotone = request.file->monotone_within(request.position + request.bytes);
  if (!expected.serves(pattern_of(request, digest))) return nullptr;
  return {expected.prepared, &expected.prepared->plan};
}

bool Collective::passed_on(Operation operation) const {
  const std::shared_ptr<Prepared>& prepared = plans_of(operation).expected().prepared;
  if (!prepared || prepared->plan.buffer_bytes > 0) return false;
  return prepared->plan.method == plan::Method::independent || prepared->plan.method == plan::Method::list;
}

bool Collective::looks_as_before(const pattern::Access& reads, const pattern::Access& writes) const {
  const Operation operation = apart_.operation();
  const Pattern& before = plans_of(operation).expected().pattern;
  return before.bytes == 0 || before.view == (operation == Operation::read ? reads : writes).hash();
}

// What this rank has written for itself may be asked for by another node now, on its behalf.
Status Collective::show_others(const OpenFile& opened, plan::Digest& digest) {
  if (!opened.caches_differ()) return {};
  wrote_alone_ |= opened.storage.take_wrote();  // until all ranks have heard of it
  digest.wrote_alone = wrote_alone_;
  return opened.storage.flush();
}

Status Collective::meet(const OpenFile& opened, const Request& request, const Status& trouble,
                        plan::Digest& digest, Pattern& asked, RewriteNotice& notice) {
  const KeptPlans& plans = plans_of(request.operation);
  Status mine = trouble;
  if (mine) {
    mine = without_exceptions([&]() -> Status {
      if (!spare_) spare_ = std::make_shared<Prepared>();
      digest = note(request, asked);
      return show_others(opened, digest);
    });
    // Without the notice the ranks must make another plan.
    const auto& prepared = plans.expected().prepared;
    if (prepared && prepared->by_notice && !notice.give(opened.team, opened.rewriting))
      digest.likeness = std::min<int64_t>(digest.likeness, plan::Digest::plan_outdated);
  }
  if (!mine) {
    digest.error_kind = static_cast<int64_t>(mine.error().kind);
    digest.error_rank = opened.team.rank();
  }
  {
    Stopwatch time(opened.counters, Counter::exchange_ns);
    Status same =
        without_exceptions([&] { return enter(opened.team, kind_of(request.operation), apart_, digest); });
    if (!same) return same;
  }
  staged_ = digest.staging_bytes > 0;
  more_ = digest.more != 0;
  wrote_alone_ = false;
  if (digest.wrote_alone) opened.storage.note_others_wrote();
  last_.reset();
  if (digest.error_kind == 0) return {};
  return shared_error(opened.team, {digest.error_rank, digest.error_kind, 0}, mine);
}

Status Collective::find_kept(const OpenFile& opened, Operation operation, const Pattern& asked,
                             plan::Digest& digest, RewriteNotice& notice) {
  KeptPlans& plans = plans_of(operation);
  const int64_t kept = digest.kept & plans.all();  // some may have been forgotten since
  if (kept == 0 || digest.likeness >= plan::Digest::plan_outdated) return {};
  const KeptPlans::Kept& found = plans.expect(kept);
  Place place;
  const bool anywhere = found.prepared->any_small_pieces && is_of_small_pieces(digest);
  if (!anywhere) {
    if (asked.bytes > 0) place.shift_min = place.shift_max = asked.first - found.pattern.first;
    place.outdated = found.prepared->memory.has_changed() ||
                     (found.prepared->by_notice && !notice.give(opened.team, opened.rewriting));
    Stopwatch time(opened.counters, Counter::exchange_ns);
    if (!opened.team.allreduce(place)) return opened.team.failure();
  }
  digest.likeness = place.outdated > 0 ? plan::Digest::plan_outdated : plan::Digest::pattern_repeats;
  digest.shift_min = place.shift_min;
  digest.shift_max = place.shift_max;
  return {};
}

bool Collective::reuse(const OpenFile& opened, Operation operation, const plan::Digest& digest,
                       const plan::Experience& experience) {
  const std::shared_ptr<Prepared>& prepared = plans_of(operation).expected().prepared;
  if (digest.likeness == plan::Digest::nothing_kept || digest.likeness == plan::Digest::plan_outdated ||
      !prepared)
    return false;
  const bool moves_along = digest.likeness == plan::Digest::pattern_repeats &&
                           digest.shift_min == digest.shift_max &&
                           is_good_after(prepared->plan, digest.shift_min, opened.facts);
  if (!moves_along && !(prepared->any_small_pieces && is_of_small_pieces(digest))) return false;
  if (prepared->at_first_sight) return false;
  if (!still_chosen(prepared->plan, experience)) return false;
  ++opened.counters[Counter::plans_reused];
  if (moves_along && digest.shift_min != 0) {
    move(prepared->plan, digest.shift_min);
    if (prepared->gear) prepared->gear->move(digest.shift_min);
  }
  return true;
}

Status Collective::gather_facts(const OpenFile& opened, const Request& request, const plan::Wishes& wishes,
                                int64_t held_bytes, plan::Facts& facts, Status& mine) {
  bool spread = false;
  std::vector<NodeCard> cards;
  const Status begun = without_exceptions([&]() -> Status {
    const plan::Digest digest = facts.digest;
    facts = facts_of_team(opened, request.operation, wishes);
    facts.digest = digest;
    facts.experience = experiences_.of(request.operation, digest);
    facts.wishes.memory_limit_bytes -= staging_bytes_;
    if (calls_without_two_phase_ > 0) do_without_two_phase(facts.wishes);
    facts.fixed = fixed_;
    facts.given = given_;
    if (!opened.exact_writes && request.operation == Operation::write) one_writes_for_all(facts);
    spread = needs_buckets(facts);
    if (spread && facts.nodes.size() > 1) cards.resize(facts.nodes.size());
    return {};
  });
  // A rank that has failed does not know whether the others need buckets, unless there are no holes.
  mine = begun;
  if (!opened.on_one_node() || !leaves_no_holes(request.operation, facts.digest)) {
    if (mine = agree(opened.team, begun); !mine) return mine;
  }
  if (mine && spread) mine = gather_spread(opened, request, facts, held_bytes, cards);
  if (mine && opened.team.rank() == 0 && log_enabled(LogLevel::debug))
    if_there_is_memory([&] { log_line(LogLevel::debug, "planning by facts " + facts_line(facts)); });
  return {};
}

Status Collective::prepare(const OpenFile& opened, const plan::Facts& facts,
                           std::shared_ptr<Prepared>& made) {
  made = std::make_shared<Prepared>();
  made->plan = plan::plan(facts);
  made->any_small_pieces = is_of_small_pieces(facts.digest) && !method_is_together(made->plan.method) &&
                           !method_rewrites(made->plan.method);
  if (made->plan.method != plan::Method::two_phase) return {};
  made->gear.emplace(opened, facts, made->plan, workspace_);
  // Where the plan did not ask the nodes for their memory, it would not see that it has changed.
  if (!opened.on_one_node() && opened.team.local_rank() == 0 && !facts.buckets.empty())
    made->memory = MemoryWatch(facts, made->plan, opened.team.node());
  return {};
}

void Collective::take_known_plan(const OpenFile& opened, const plan::Plan& plan, Operation operation,
                                 const plan::Digest& digest, KeptPlans::Kept& kept) {
  ++opened.counters[Counter::plans_made];
  spare_->plan = plan;
  spare_->plan.operation = operation;
  spare_->plan.file_pieces = digest.file_pieces;
  kept.prepared = std::move(spare_);
}

void Collective::leave_room_beside(const plan::Plan& plan, int64_t limit_bytes) {
  // Of the others only what they keep is there while a plan is carried out.
  int64_t peak_bytes = plan.peak_bytes - plan.told_bytes, told_bytes = plan.told_bytes;
  for (const KeptPlans& plans : plans_) {
    plans.for_each([&](const KeptPlans::Kept& kept) {
      const plan::Plan& its = kept.prepared->plan;
      peak_bytes = std::max(peak_bytes, its.peak_bytes - its.told_bytes);
      told_bytes += its.told_bytes;
    });
  }
  if (peak_bytes + told_bytes <= limit_bytes) return;
  for (KeptPlans& plans : plans_) plans.forget_all_but_last();
}

// Leaves room for what ranks stage, now and in later calls: windows that were allocated before may take all
// that the memory limit allows. Called on all ranks alike, in a call that all have entered and in which no
// data have moved.
void Collective::leave_room(int64_t staging_bytes) {
  staging_bytes_ = staging_bytes;
  give_up_windows();
}

// Frees the windows, and the plans that were prepared to work in them.
void Collective::give_up_windows() {
  forget_plans();
  layout_ = nullptr;
  headers_bytes_ = 0;
  workspace_ = Workspace();
}

// An error of one rank is told at the next agreement. There is one before each step that a rank can take only
// if its own preparations succeeded.
Status Collective::plan_call(const OpenFile& opened, const Request& request, const plan::Wishes& wishes,
                             plan::Facts& facts, KeptPlans::Kept& kept, RewriteNotice& notice) {
  Stopwatch time(opened.counters, Counter::plan_ns);
  ++opened.counters[Counter::plans_made];
  int64_t held_bytes = 0;  // the plans share their buffers
  for (const KeptPlans& plans : plans_) {
    plans.for_each([&](const KeptPlans::Kept& other) {
      held_bytes = std::max(held_bytes, other.prepared->memory.held_bytes());
    });
  }
  kept.prepared.reset();
  mpi::Team& team = opened.team;
  Status mine;
  if (Status gathered = gather_facts(opened, request, wishes, held_bytes, facts, mine); !gathered)
    return gathered;
  for (;;) {
    std::shared_ptr<Prepared> made;
    if (mine) mine = without_exceptions([&] { return prepare(opened, facts, made); });
    bool short_of_memory = false;
    Status room;
    if (mine && made->gear) {
      const int64_t limit_bytes = opened.budget.limit_bytes() - staging_bytes_;
      room = without_exceptions(
          [&] { return workspace_.make_room(opened, made->plan, limit_bytes, short_of_memory); });
    }
    const bool by_notice = mine && needs_notice(opened, facts, made->plan);
    const bool given = !by_notice || notice.give(team, opened.rewriting);
    Readiness ready{failure_of(team, mine), !room.ok(), short_of_memory, !given};
    if (!team.allreduce(ready)) return team.failure();
    // The buffers that other plans need may be gone.
    if (ready.short_of_memory > 0) forget_plans();
    if (ready.failure) return shared_error(team, ready.failure, mine);
    if (ready.no_notice > 0) {
      facts.others_write = true;
      continue;
    }
    made->by_notice = by_notice;
    plan::Plan& plan = made->plan;
    if (!plan.warning.empty() && team.rank() == 0) log_once(LogLevel::warning, plan.warning);
    if (made->gear && ready.no_window == 0) {
      layout_ = nullptr;
      headers_bytes_ = 0;
      room = workspace_.share(opened, plan);
      if (auto whole = team.failure(); !whole) return whole;
      if (room && plan.fixed) {
        auto& promised = plan.fixed->policy == plan::RealmPolicy::user ? given_ : fixed_;
        if (promised && promised != plan.fixed) forget_plans();
        promised = plan.fixed;
      }
    } else if (made->gear && room) {
      room = error_with(ErrorKind::no_memory, 0,
                        [] { return "another rank has no memory for its collective buffer"; });
    }
    if (room) {
      bool fit = true;
      if (Status known = tell_requests(opened, request, *made, fit); !known) {
        if (!team.failure()) mpi::Team::abandon(std::move(made));  // messages may still use it
        return known;
      }
      if (fit) {
        leave_room_beside(made->plan, facts.wishes.memory_limit_bytes);
        kept.prepared = std::move(made);
        return {};
      }
      // What does not fit the buffers of relays may do without them.
      if (plan.combined_nodes > 1) {
        facts.wishes.combine_nodes = 1;
      } else {
        facts.wishes.exchange = plan::ExchangeWish::images;
      }
      continue;
    }
    // This rank or another has no memory for windows: all ranks alike take the next best method.
    if_there_is_memory([&] {
      log_once(LogLevel::warning, room.error().message + "; continuing without collective buffering");
    });
    constexpr int64_t calls_until_next_try = 100;
    calls_without_two_phase_ = calls_until_next_try;
    made.reset();
    give_up_windows();
    do_without_two_phase(facts.wishes);
  }
}

// The nodes tell each other what they must know of their ranks' requests. `fit` is set to false if they
// cannot. Collective over the team.
Status Collective::tell_requests(const OpenFile& opened, const Request& request, Prepared& prepared,
                                 bool& fit) {
  if (!prepared.gear || opened.on_one_node()) return {};
  layout_ = nullptr;  // what is told overwrites the images
  headers_bytes_ = 0;
  Status mine = prepared.gear->tell_requests(opened, request, prepared.plan, workspace_.segment(), fit);
  if (Status whole = opened.team.failure(); !whole) return whole;
  Knowledge all{failure_of(opened.team, mine), fit ? 0 : 1};
  if (!opened.team.allreduce(all)) return opened.team.failure();
  if (all.failure) return shared_error(opened.team, all.failure, mine);
  fit = all.unfit == 0;
  return {};
}

Status Collective::settle(const OpenFile& opened) {
  Status told = apart_.tell(opened.team);
  Status settled = settle_held(opened);
  return told ? settled : told;
}

Status Collective::settle_held(const OpenFile& opened) {
  if (!holds_back_) return {};
  Status mine = std::exchange(lost_alone_, {});
  Status ended = without_exceptions([&] { return behind_.end({opened}); });
  if (mine) mine = std::move(ended);
  holds_back_ = false;
  held_for_ = nullptr;
  Status all = agree(opened.team, mine);
  if (opened.caches_differ()) opened.storage.note_others_wrote();
  return all;
}

Status Collective::settle_alone(const OpenFile& opened) {
  Status flushed = without_exceptions([&] { return behind_.flush({opened}); });
  if (lost_alone_) lost_alone_ = std::move(flushed);
  return lost_alone_;
}

// Places the images in the segment. One rank of each node clears them for all. False: the team has failed.
bool Collective::lay_out(const OpenFile& opened, Images& images) {
  images.lie_in(workspace_.segment());
  const auto& layout = images.layout();
  if (layout == layout_ || (layout && layout_ && *layout == *layout_)) return true;
  layout_ = layout;
  headers_bytes_ = images.headers_bytes();
  if (opened.team.local_rank() == 0) images.clear();
  return opened.team.node_barrier();
}

// Whatever method this call takes, data that are held back for other realms are written to the file first.
// Then makes room for what this call may hold back.
Status Collective::begin_holding_back(RunningCall& call, const plan::Plan& plan) {
  const bool behind = plan.behind_bytes > 0 && plan.fixed;
  if (!behind || plan.fixed != held_for_) {
    if (Status settled = settle_held(call.opened); !settled) return settled;
  }
  if (!behind) return {};
  const int rank = call.opened.team.rank();
  const bool aggregates = std::any_of(plan.realms.begin(), plan.realms.end(),
                                      [&](const plan::Realm& realm) { return realm.aggregator == rank; });
  // Without memory nothing is held back, and the call goes on all the same.
  if (aggregates)
    (void)without_exceptions([&] { return behind_.prepare(call.opened.budget, plan.behind_bytes); });
  call.behind = &behind_;
  held_for_ = plan.fixed;
  holds_back_ = true;
  return {};
}

Outcome Collective::carry_out(RunningCall& call, const Request& request, Prepared& prepared) {
  const plan::Plan& plan = prepared.plan;
  if (prepared.by_notice) call.guard = WriteGuard::noticed;
  if (prepared.gear) {
    if (!lay_out(call.opened, prepared.gear->images())) return call.opened.team.failure().error();
    return run_two_phase(call, request, plan, workspace_, *prepared.gear);
  }
  // On one node ranks that rewrite are announced; on several nodes every rank knows that all ranks may be
  // rewriting.
  if (method_rewrites(plan.method) && !call.opened.on_one_node()) call.guard = WriteGuard::locked;
  return without_exceptions([&] { return run_alone(call, request, plan); });
}

// Rewriting is left to calls that all ranks have entered and leave together, and so is what must not be seen
// half done.
bool Collective::is_alone(const OpenFile& opened, const plan::Digest& digest, const plan::Plan& plan) const {
  const bool rewrites = plan.operation == Operation::write && method_rewrites(plan.method);
  return opened.meetings != Meetings::always && is_foreseen(digest) && digest.staging_bytes == 0 &&
         digest.more == 0 && !method_is_together(plan.method) && !rewrites && !opened.atomic && !holds_back_;
}

Outcome Collective::conclude(const OpenFile& opened, Outcome outcome, int64_t begin_ns,
                             const plan::Digest& digest, KeptPlans::Kept& kept,
                             plan::Experience& experience) {
  plan::Plan& plan = kept.prepared->plan;
  mpi::Team& team = opened.team;
  const Status ended = outcome ? Status() : Status(outcome.error());
  Verdict verdict{failure_of(team, ended), {team.node(), begin_ns, now_ns()}};
  {
    Stopwatch time(opened.counters, Counter::exchange_ns);
    if (!team.allreduce(verdict)) return team.failure().error();
  }
  if (verdict.failure) return shared_error(team, verdict.failure, ended);
  if (Status told = apart_.tell(team); !told) return told.error();
  const double seconds = static_cast<double>(verdict.work.ns()) * 1e-9;
  experience.pass(static_cast<double>(apart_.take_calls_passed(plan.operation)) * seconds);
  learn(plan, seconds, experience);
  // Whether the ranks would only repeat what each of them has just done for itself.
  const bool nothing_new = is_alone(opened, digest, plan) && still_chosen(plan, experience);
  kept.alone_seconds = nothing_new ? std::optional(seconds) : std::nullopt;
  // A meeting costs more than its messages, since all ranks wait for the slowest; so long calls are made
  // apart too, as long as ranks hear of each other's errors soon.
  constexpr double heard_of_seconds = 0.5;
  const double longest_run =
      opened.meetings == Meetings::seldom ? std::numeric_limits<double>::infinity() : heard_of_seconds;
  apart_.part(plan.operation, plans_of(plan.operation).alone_seconds(), longest_run);
  return outcome;
}

Outcome Collective::run(const OpenFile& opened, const Request& request, const plan::Wishes& wishes,
                        const Status& trouble) {
  if (auto whole = opened.team.failure(); !whole) return whole.error();
  if (apart_.take_disagreed()) plans_ = {};
  // Nobody uses the images between calls, since all ranks meet at the end of a call.
  if (opened.team.local_rank() == 0 && headers_bytes_ > 0)
    std::memset(workspace_.segment(), 0, static_cast<size_t>(headers_bytes_));

  plan::Facts facts;
  const plan::Digest& digest = facts.digest;
  Pattern asked;
  RewriteNotice notice;  // stays until all ranks have agreed on the outcome
  if (Status met = meet(opened, request, trouble, facts.digest, asked, notice); !met) return met.error();
  if (digest.bytes == 0) {
    if (Status told = apart_.tell(opened.team); !told) return told.error();
    return 0;
  }
  if (digest.staging_bytes > staging_bytes_) leave_room(digest.staging_bytes);
  if (calls_without_two_phase_ > 0 && --calls_without_two_phase_ == 0) forget_plans();

  KeptPlans& plans = plans_of(request.operation);
  if (Status met = find_kept(opened, request.operation, asked, facts.digest, notice); !met)
    return met.error();
  plan::Experience& experience = experiences_.of(request.operation, digest);
  const bool again = reuse(opened, request.operation, digest, experience);
  if (digest.likeness < plan::Digest::plan_outdated) {
    // Small pieces in views with holes may come by turns too, and share their plan.
    if (!again)
      plans.expect_new();
    else if (!digest.stretches)
      plans.expect_new(plans.expected().prepared);
  }
  KeptPlans::Kept& kept = plans.take();
  kept.pattern = asked;
  if (!again) kept.alone_seconds.reset();
  const bool unplanned = !again && may_go_unplanned(opened, wishes, digest);
  if (unplanned && is_of_small_pieces(digest)) {
    take_known_plan(opened, plan::plan_of_small_pieces(), request.operation, digest, kept);
    kept.prepared->any_small_pieces = true;
  } else if (const auto method = unplanned ? method_at_first_sight(opened, request.operation, wishes, digest)
                                           : std::nullopt) {
    take_known_plan(opened, plan::plan_at_first_sight(*method, request.operation, digest), request.operation,
                    digest, kept);
    kept.prepared->at_first_sight = true;
  } else if (!again) {
    if (Status planned = plan_call(opened, request, wishes, facts, kept, notice); !planned)
      return planned.error();
  }
  last_ = request.operation;
  std::shared_ptr<Prepared>& prepared = kept.prepared;

  RunningCall call{opened};
  if (Status begun = begin_holding_back(call, prepared->plan); !begun) return begun.error();
  const int64_t begin_ns = now_ns();  // the writing of earlier calls' data does not count as this call's time
  const bool others_write = opened.caches_differ() && prepared->gear && request.operation == Operation::write;
  Outcome outcome = carry_out(call, request, *prepared);
  if (auto whole = opened.team.failure(); !whole) {
    // Messages may still be under way that use what was prepared: it is never freed.
    mpi::Team::abandon(std::move(prepared));
    last_.reset();
    return whole.error();
  }
  if (again && apart_.may_end(request.operation) && is_alone(opened, digest, prepared->plan) &&
      plans.alone_seconds()) {
    apart_.end(request.operation, outcome ? Status() : Status(outcome.error()));
    return outcome;
  }
  Outcome all = conclude(opened, std::move(outcome), begin_ns, digest, kept, experience);
  if (others_write) opened.storage.note_others_wrote();  // now they have
  return all;
}

}  // namespace concilio::exec
