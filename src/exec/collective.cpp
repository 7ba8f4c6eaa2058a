#include "exec/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "base/exceptions.h"
#include "exec/agree.h"
#include "exec/enter.h"
#include "exec/independent.h"
#include "exec/two_phase/images.h"
#include "exec/two_phase/two_phase.h"
#include "exec/work_time.h"
#include "mpi/nodes/node_facts.h"
#include "plan/choose/next_method.h"
#include "plan/facts/digest.h"
#include "plan/facts/spans.h"
#include "plan/show/explain.h"

namespace concilio {
namespace {

// How a call ended on the ranks: the lowest rank with an error gives the error of all. And how long it took,
// planning left out.
struct Verdict {
  int64_t kind = 0, rank = INT64_MAX, system_errno = 0;
  WorkTime work;
};
Verdict combine(const Verdict& a, const Verdict& b) {
  Verdict both = a.rank <= b.rank ? a : b;
  both.work = combine(a.work, b.work);
  return both;
}

// What one rank says, empty on all others.
struct Saying {
  char text[512];
};
Saying combine(const Saying& a, const Saying& b) {
  return a.text[0] ? a : b;
}

// The failing rank's error, on every rank.
Error shared_error(Team& team, const Verdict& verdict, const Status& mine) {
  Saying saying{};
  if (team.rank() == verdict.rank)
    std::strncpy(saying.text, mine.error().message.c_str(), sizeof saying.text - 1);
  if (!team.allreduce(saying)) return team.failure().error();
  return error_with(static_cast<ErrorKind>(verdict.kind), static_cast<int>(verdict.system_errno),
                    [&] { return fmt::format("rank {}: {}", verdict.rank, saying.text); });
}

Verdict verdict_of(const Team& team, const Status& status) {
  if (status) return {};
  return {static_cast<int64_t>(status.error().kind), team.rank(), status.error().system_errno, {}};
}

// How the ranks fare that have made a new plan: what failed on any, and what memory they want.
struct Readiness {
  Verdict verdict;
  int64_t no_window = 0, short_of_memory = 0;  // ranks
};
Readiness combine(const Readiness& a, const Readiness& b) {
  return {combine(a.verdict, b.verdict), a.no_window + b.no_window, a.short_of_memory + b.short_of_memory};
}

// Whether a plan may move by `shift`. Where a border between realms inside a page or stripe costs nothing but
// a little time, that is less than planning anew.
bool serves(const Plan& plan, int64_t shift, const StorageFacts& storage) {
  bool indifferent = storage.kind == StorageFacts::Kind::local || storage.kind == StorageFacts::Kind::memory;
  return stays_aligned(plan, shift) || (indifferent && may_move(plan));
}

void do_without_two_phase(Wishes& wishes) {
  wishes.collective = Choice3::disable;
  wishes.no_independent = false;
  wishes.forced_method = -1;
}

// Whether the next call of the pattern takes the same method.
bool still_chosen(const Plan& plan, const Experience& experience) {
  return plan.wished || plan.candidates.empty() || experience.calls() == 0 ||
         next_method(plan.candidates, experience) == plan.method;
}

void learn(Plan& plan, double seconds, Experience& experience) {
  experience.add(plan.method, seconds);
  if (plan.candidates.empty()) return;
  Candidate& taken = plan.candidates[static_cast<size_t>(plan.method)];
  taken.calls = experience.calls(plan.method);
  taken.measured_seconds = *experience.seconds(plan.method);
}

// What a node tells the others of its part in a call.
struct NodeCard {
  int64_t free_bytes = 0, bytes = 0;
  int64_t spans = 0;
  Interval span[most_node_spans];
};

// Available memory in steps of an eighth: aggregators should not move from call to call because some node has
// a few pages more.
int64_t steady(int64_t bytes) {
  if (bytes < 8) return bytes;
  return align_down(bytes, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(bytes)) / 8));
}

NodeCard card_of(const Histogram& histogram) {
  NodeCard card;
  card.free_bytes = steady(free_memory_bytes());
  for (const Bucket& bucket : histogram.buckets) card.bytes += bucket.bytes;
  const std::vector<Interval> spans = tight_spans(histogram.buckets, most_node_spans);
  card.spans = static_cast<int64_t>(spans.size());
  std::copy(spans.begin(), spans.end(), card.span);
  return card;
}

}  // namespace

Digest digest_of(const Request& request) {
  Digest digest = digest_of(*request.file, *request.memory, request.position, request.bytes);
  digest.staging_bytes = request.staging_bytes;
  digest.more = request.more;
  return digest;
}

Facts facts_alone(const Engine& engine, const Request& request, const Wishes& wishes) {
  Facts facts;
  facts.operation = request.operation;
  facts.collective = false;
  facts.locks_work = request.operation == Operation::read || engine.sieve_writes;
  facts.others_write = request.operation == Operation::write && !engine.rewriting.hopeful();
  facts.atomic = engine.atomic;
  facts.may_map = engine.may_map(request.operation);
  facts.cores_per_node = engine.team.cores();
  facts.digest = digest_of(request);
  facts.storage = engine.facts;
  facts.prices = engine.measured_prices;
  facts.wishes = wishes;
  facts.wishes.memory_limit_bytes -= request.staging_bytes;
  facts.nodes = {{1, INT64_MAX, {0}, {}, 0}};
  return facts;
}

Result<Digest> Collective::digest(const Request& request) {
  Digest digest = digest_of(request);
  auto operation = static_cast<size_t>(request.operation);
  Pattern now{request.file->hash(), request.memory->hash(), 0, request.bytes, digest.first};
  if (!request.file->empty()) now.phase = request.position % request.file->nest()->size();
  const Pattern& before = patterns_[operation];
  digest.repeats = plans_[operation] && now.bytes == before.bytes &&
                   (now.bytes == 0 ||
                    (now.file == before.file && now.memory == before.memory && now.phase == before.phase));
  if (digest.repeats && now.bytes > 0) digest.shift_min = digest.shift_max = now.first - before.first;
  patterns_[operation] = now;
  return digest;
}

Status Collective::begin_facts(const Engine& engine, const Request& request, const Wishes& wishes,
                               Facts& facts) {
  facts.operation = request.operation;
  facts.locks_work = engine.locks_work && engine.storage.can_read();
  facts.others_write = request.operation == Operation::write && !engine.may_rewrite();
  facts.atomic = engine.atomic;
  facts.may_map = engine.may_map(request.operation);
  facts.cores_per_node = engine.team.cores();
  facts.storage = engine.facts;
  facts.prices = engine.measured_prices;
  facts.experience = experiences_.of(request.operation, facts.digest);
  facts.wishes = wishes;
  facts.wishes.memory_limit_bytes -= staging_bytes_;
  if (calls_without_two_phase_ > 0) do_without_two_phase(facts.wishes);
  facts.fixed = fixed_;
  facts.given = given_;
  for (const Team::Node& node : engine.team.nodes())
    facts.nodes.push_back({node.ranks, node.free_bytes, node.candidates, {}, 0});
  for (size_t i = 0; !wishes.node_memory_bytes.empty() && i < facts.nodes.size(); ++i)
    facts.nodes[i].free_bytes = wishes.node_memory_bytes[i % wishes.node_memory_bytes.size()];
  return {};
}

namespace {

// How the bytes are spread: of all ranks, and of each node's. What one rank cannot do is the only thing that
// it leaves out; the facts are of use where no rank failed. Collective; if the team fails, it is soon back.
Status gather_spread(Engine& engine, const Request& request, Facts& facts, std::vector<NodeCard>& cards) {
  const Interval range{facts.digest.first, facts.digest.end};
  Histogram mine;
  Status status = without_exceptions([&]() -> Status {
    mine = histogram_of(*request.file, request.position, request.bytes, range);
    return {};
  });
  Histogram all = mine, of_node = mine;
  if (!engine.team.allreduce(all)) return engine.team.failure();
  NodeCard card;
  if (facts.nodes.size() > 1) {
    if (!engine.team.node_allreduce(of_node)) return engine.team.failure();
    const Status made = without_exceptions([&]() -> Status {
      card = card_of(of_node);
      return {};
    });
    if (status) status = made;
    if (!engine.team.gather_nodes(card, cards)) return engine.team.failure();
  }
  const Status taken = without_exceptions([&]() -> Status {
    facts.buckets.assign(all.buckets.begin(), all.buckets.end());
    for (size_t i = 0; i < cards.size(); ++i) {
      if (facts.wishes.node_memory_bytes.empty()) facts.nodes[i].free_bytes = cards[i].free_bytes;
      facts.nodes[i].bytes = cards[i].bytes;
      facts.nodes[i].spans.assign(cards[i].span, cards[i].span + cards[i].spans);
    }
    return {};
  });
  return status ? taken : status;
}

}  // namespace

Status Collective::prepare(Engine& engine, const Facts& facts, std::unique_ptr<Prepared>& made) {
  made = std::make_unique<Prepared>();
  made->plan = concilio::plan(facts);
  if (made->plan.method == Method::two_phase) made->gear.emplace(engine, made->plan, workspace_);
  return {};
}

// For what ranks stage, now and in later calls: windows that were made before may have all that the limit
// allows. On all ranks alike, in a call that all have entered and in which nothing has moved.
void Collective::leave_room(int64_t staging_bytes) {
  staging_bytes_ = staging_bytes;
  give_up_windows();
}

// And the plans that were prepared to work in them.
void Collective::give_up_windows() {
  plans_ = {};
  layout_ = nullptr;
  headers_bytes_ = 0;
  workspace_ = Workspace();
}

// What fails on one rank is told at the next agreement, of which there is one before each step that a rank
// can take only if what it did alone succeeded.
Status Collective::plan_call(Engine& engine, const Request& request, const Wishes& wishes, Facts& facts) {
  Stopwatch time(engine.counters, Counter::plan_ns);
  ++engine.counters[Counter::plans_made];
  const auto operation = static_cast<size_t>(request.operation);
  plans_[operation].reset();
  Team& team = engine.team;
  bool spread = false;
  std::vector<NodeCard> cards;
  Status mine = without_exceptions([&] {
    Status begun = begin_facts(engine, request, wishes, facts);
    spread = needs_buckets(facts);
    if (spread && facts.nodes.size() > 1) cards.resize(facts.nodes.size());
    return begun;
  });
  if (Status agreed = agree(team, mine); !agreed) return agreed;
  if (spread) mine = gather_spread(engine, request, facts, cards);
  if (mine && team.rank() == 0 && log_enabled(LogLevel::debug))
    if_there_is_memory([&] { log_line(LogLevel::debug, "planning by facts " + facts_line(facts)); });
  for (;;) {
    std::unique_ptr<Prepared> made;
    if (mine) mine = without_exceptions([&] { return prepare(engine, facts, made); });
    bool short_of_memory = false;
    Status room;
    if (mine && made->gear) {
      room = without_exceptions([&] { return workspace_.make_room(engine, made->plan, short_of_memory); });
    }
    Readiness ready{verdict_of(team, mine), !room.ok(), short_of_memory};
    if (!team.allreduce(ready)) return team.failure();
    // What the other operation's plan needs may be gone.
    if (ready.short_of_memory > 0) plans_[1 - operation].reset();
    if (ready.verdict.kind != 0) return shared_error(team, ready.verdict, mine);
    Plan& plan = made->plan;
    if (!plan.warning.empty() && team.rank() == 0) log_once(LogLevel::warning, plan.warning);
    if (made->gear && ready.no_window == 0) {
      layout_ = nullptr;
      headers_bytes_ = 0;
      room = workspace_.share(engine, plan);
      if (auto whole = team.failure(); !whole) return whole;
      if (room && plan.fixed) (plan.fixed->policy == RealmPolicy::user ? given_ : fixed_) = plan.fixed;
    } else if (made->gear && room) {
      room = error_with(ErrorKind::no_memory, 0, [] { return "another rank has no memory for its window"; });
    }
    if (room) {
      plans_[operation] = std::move(made);
      return {};
    }
    // No memory for windows, here or on another rank: on all ranks alike, the next best method.
    if_there_is_memory([&] {
      log_once(LogLevel::warning, room.error().message + "; going on without collective buffering");
    });
    constexpr int64_t calls_until_next_try = 100;
    calls_without_two_phase_ = calls_until_next_try;
    made.reset();
    give_up_windows();
    patterns_ = {};
    do_without_two_phase(facts.wishes);
  }
}

Status Collective::settle(Engine& engine) {
  if (!holds_back_) return {};
  Status mine = std::exchange(lost_alone_, {});
  Status ended = without_exceptions([&] { return behind_.end(engine); });
  if (mine) mine = std::move(ended);
  holds_back_ = false;
  held_for_ = nullptr;
  return agree(engine.team, mine);
}

Status Collective::settle_alone(Engine& engine) {
  Status flushed = without_exceptions([&] { return behind_.flush(engine); });
  if (lost_alone_) lost_alone_ = std::move(flushed);
  return lost_alone_;
}

// On this node; by one rank for all, while nobody uses the segment.
void Collective::zero_segment(const Engine& engine, int64_t bytes) {
  if (engine.team.local_rank() == 0 && bytes > 0)
    std::memset(workspace_.segment(), 0, static_cast<size_t>(bytes));
}

// Makes the segment the images'. False: the team has failed.
bool Collective::lay_out(const Engine& engine, Images& images) {
  images.lie_in(workspace_.segment());
  const auto& layout = images.layout();
  if (layout == layout_ || (layout && layout_ && *layout == *layout_)) return true;
  layout_ = layout;
  headers_bytes_ = images.headers_bytes();
  zero_segment(engine, images.bytes());
  return engine.team.node_barrier();
}

Outcome Collective::carry_out(Engine& engine, const Request& request, Prepared& prepared) {
  const Plan& plan = prepared.plan;
  if (prepared.gear) {
    if (!lay_out(engine, prepared.gear->images())) return engine.team.failure().error();
    return run_two_phase(engine, request, plan, workspace_, *prepared.gear);
  }
  // On one node ranks that sieve are announced; on several, all ranks know that all of them may be sieving.
  if (plan.method == Method::sieve && !engine.on_one_node()) engine.guard_writes = true;
  return without_exceptions([&] { return run_alone(engine, request, plan); });
}

Outcome Collective::run(Engine& engine, const Request& request, const Wishes& wishes, const Status& trouble) {
  Team& team = engine.team;
  auto operation = static_cast<size_t>(request.operation);
  if (auto whole = team.failure(); !whole) return whole.error();
  // Nobody uses the images between calls: the end of a call is a meeting of all.
  zero_segment(engine, headers_bytes_);
  Facts facts;
  const Pattern before = patterns_[operation];
  const Result<Digest> asked = without_exceptions([&] { return trouble ? digest(request) : Digest{}; });
  const Status unasked = asked ? Status() : asked.error();
  if (asked) facts.digest = *asked;
  const Status& mine = trouble ? unasked : trouble;
  if (!mine) {
    facts.digest.error_kind = static_cast<int64_t>(mine.error().kind);
    facts.digest.error_rank = team.rank();
  }
  {
    Stopwatch time(engine.counters, Counter::exchange_ns);
    const Status same =
        without_exceptions([&] { return enter(team, kind_of(request.operation), facts.digest); });
    if (!same) {
      if (same.error().kind == ErrorKind::not_yet)
        patterns_[operation] = before;
      else
        plans_ = {};  // not every rank knows what this one has just noted of its request
      return same.error();
    }
  }
  const Digest& digest = facts.digest;
  staged_ = digest.staging_bytes > 0;
  more_ = digest.more != 0;
  last_.reset();
  if (digest.error_kind != 0) {
    plans_[operation].reset();
    return shared_error(team, {digest.error_kind, digest.error_rank, 0, {}}, mine);
  }
  if (digest.bytes == 0) return 0;
  if (digest.staging_bytes > staging_bytes_) leave_room(digest.staging_bytes);
  if (calls_without_two_phase_ > 0 && --calls_without_two_phase_ == 0) plans_ = {};

  std::unique_ptr<Prepared>& prepared = plans_[operation];
  Experience& experience = experiences_.of(request.operation, digest);
  if (digest.repeats && prepared && digest.shift_min == digest.shift_max &&
      serves(prepared->plan, digest.shift_min, engine.facts) && still_chosen(prepared->plan, experience)) {
    ++engine.counters[Counter::plans_reused];
    if (digest.shift_min != 0) move(prepared->plan, digest.shift_min);
  } else {
    if (Status planned = plan_call(engine, request, wishes, facts); !planned) return planned.error();
  }
  last_ = operation;
  Plan& plan = prepared->plan;

  const bool behind = plan.behind_bytes > 0 && plan.fixed;
  if (!behind || plan.fixed != held_for_) {
    if (auto settled = settle(engine); !settled) return settled.error();
  }
  // What other calls held back is written, whatever method this one takes: that is not its time.
  const int64_t begin_ns = now_ns();
  engine.behind = behind ? &behind_ : nullptr;
  if (behind) {
    const bool aggregates = std::any_of(plan.realms.begin(), plan.realms.end(),
                                        [&](const Realm& realm) { return realm.aggregator == team.rank(); });
    // Without memory nothing is held back, which is all.
    if (aggregates)
      (void)without_exceptions([&] { return behind_.prepare(engine.budget, plan.behind_bytes); });
    held_for_ = plan.fixed;
    holds_back_ = true;
  }
  Outcome outcome = carry_out(engine, request, *prepared);
  if (auto whole = team.failure(); !whole) {
    // Messages may still be under way that work on what was prepared: it stays for ever.
    (void)prepared.release();
    last_.reset();
    return whole.error();
  }
  const Status ended = outcome ? Status() : Status(outcome.error());
  Verdict verdict = verdict_of(team, ended);
  verdict.work = {team.node(), begin_ns, now_ns()};
  {
    Stopwatch time(engine.counters, Counter::exchange_ns);
    if (!team.allreduce(verdict)) return team.failure().error();
  }
  if (verdict.kind != 0) return shared_error(team, verdict, ended);
  learn(plan, static_cast<double>(verdict.work.ns()) * 1e-9, experience);
  return outcome;
}

}  // namespace concilio
