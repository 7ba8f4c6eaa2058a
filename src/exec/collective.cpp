#include "exec/collective.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/checked.h"
#include "exec/enter.h"
#include "exec/images.h"
#include "exec/independent.h"
#include "exec/two_phase.h"
#include "exec/work_time.h"
#include "mpi/node_facts.h"
#include "plan/digest.h"
#include "plan/spans.h"

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
  return {static_cast<ErrorKind>(verdict.kind), static_cast<int>(verdict.system_errno),
          fmt::format("rank {}: {}", verdict.rank, saying.text)};
}

Verdict verdict_of(const Team& team, const Status& status) {
  if (status) return {};
  return {static_cast<int64_t>(status.error().kind), team.rank(), status.error().system_errno, {}};
}

// The images in the segment of one node.
std::vector<int64_t> layout_of(const Plan& plan, int node) {
  const int group = plan.group_of_node[static_cast<size_t>(node)];
  if (group < 0) return {};
  std::vector<int64_t> layout{plan.slots};
  for (const Realm& realm : plan.realms) {
    if (realm.group != group) continue;
    layout.push_back(realm.image_bytes);
    layout.push_back(realm.map_bytes);
  }
  return layout;
}
int64_t headers_in(const std::vector<int64_t>& layout) {
  return layout.empty() ? 0 : layout[0] * (static_cast<int64_t>(layout.size()) / 2);
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
  return digest_of(*request.file, *request.memory, request.position, request.bytes);
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
  facts.nodes = {{1, INT64_MAX, {0}, {}, 0}};
  return facts;
}

Digest Collective::digest(const Engine& engine, const Request& request, const Status& trouble) {
  Digest digest = trouble ? digest_of(request) : Digest{};
  if (!trouble) {
    digest.error_kind = static_cast<int64_t>(trouble.error().kind);
    digest.error_rank = engine.team.rank();
    return digest;
  }
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

void Collective::make_plan(Engine& engine, const Request& request, Facts& facts, Plan& plan) {
  Stopwatch time(engine.counters, Counter::plan_ns);
  ++engine.counters[Counter::plans_made];
  if (needs_buckets(facts)) {
    const Interval range{facts.digest.first, facts.digest.end};
    const Histogram mine = histogram_of(*request.file, request.position, request.bytes, range);
    Histogram histogram = mine;
    if (!engine.team.allreduce(histogram)) return;
    facts.buckets.assign(histogram.buckets.begin(), histogram.buckets.end());
    if (facts.nodes.size() > 1) {
      histogram = mine;
      if (!engine.team.node_allreduce(histogram)) return;
      const std::vector<NodeCard> cards = engine.team.gather_nodes(card_of(histogram));
      if (!engine.team.failure()) return;
      for (size_t i = 0; i < cards.size(); ++i) {
        if (facts.wishes.node_memory_bytes.empty()) facts.nodes[i].free_bytes = cards[i].free_bytes;
        facts.nodes[i].bytes = cards[i].bytes;
        facts.nodes[i].spans.assign(cards[i].span, cards[i].span + cards[i].spans);
      }
    }
  }
  if (engine.team.rank() == 0 && log_enabled(LogLevel::debug))
    log_line(LogLevel::debug, "planning by facts " + facts_line(facts));
  plan = concilio::plan(facts);
  if (!plan.warning.empty() && engine.team.rank() == 0) log_once(LogLevel::warning, plan.warning);
  if (plan.method != Method::two_phase) return;
  bool short_of_memory = false;
  auto status = workspace_.prepare(engine, plan, short_of_memory);
  // What the other operation's plan needs may be gone.
  if (short_of_memory) plans_[1 - static_cast<size_t>(request.operation)].reset();
  layout_ = {};
  if (!engine.team.failure()) return;
  if (status) {
    if (plan.fixed) (plan.fixed->policy == RealmPolicy::user ? given_ : fixed_) = plan.fixed;
    return;
  }
  // No memory for windows, here or on another rank: on all ranks alike, the next best method.
  log_once(LogLevel::warning, status.error().message + "; going on without collective buffering");
  constexpr int64_t calls_until_next_try = 100;
  calls_without_two_phase_ = calls_until_next_try;
  plans_ = {};  // what was prepared for other plans may be gone
  workspace_ = Workspace();
  patterns_ = {};
  do_without_two_phase(facts.wishes);
  plan = concilio::plan(facts);
}

Status Collective::settle(Engine& engine) {
  if (!holds_back_) return {};
  Status mine = std::exchange(lost_alone_, {});
  if (const Status ended = behind_.end(engine); mine) mine = ended;
  holds_back_ = false;
  held_for_ = nullptr;
  Verdict verdict = verdict_of(engine.team, mine);
  if (!engine.team.allreduce(verdict)) return engine.team.failure();
  if (verdict.kind != 0) return shared_error(engine.team, verdict, mine);
  return {};
}

Status Collective::settle_alone(Engine& engine) {
  if (const Status flushed = behind_.flush(engine); lost_alone_) lost_alone_ = flushed;
  return lost_alone_;
}

// On this node; by one rank for all, while nobody uses the segment.
void Collective::zero_headers(Engine& engine, bool whole_segment) {
  if (engine.team.local_rank() != 0 || layout_.empty()) return;
  int64_t bytes = headers_in(layout_) * static_cast<int64_t>(sizeof(ImageHeader));
  if (whole_segment) {
    for (size_t i = 1; i < layout_.size(); i += 2) bytes += layout_[0] * layout_[i];
  }
  std::memset(workspace_.segment(), 0, static_cast<size_t>(bytes));
}

Outcome Collective::run(Engine& engine, const Request& request, const Wishes& wishes, const Status& trouble) {
  Team& team = engine.team;
  auto operation = static_cast<size_t>(request.operation);
  if (auto whole = team.failure(); !whole) return whole.error();
  // Nobody uses the images between calls: the end of a call is a meeting of all.
  zero_headers(engine, false);
  Facts facts;
  const Pattern before = patterns_[operation];
  facts.digest = digest(engine, request, trouble);
  {
    Stopwatch time(engine.counters, Counter::exchange_ns);
    if (auto same = enter(team, kind_of(request.operation), facts.digest); !same) {
      if (same.error().kind == ErrorKind::not_yet)
        patterns_[operation] = before;
      else
        plans_ = {};  // not every rank knows what this one has just noted of its request
      return same.error();
    }
  }
  const Digest& digest = facts.digest;
  last_.reset();
  if (calls_without_two_phase_ > 0 && --calls_without_two_phase_ == 0) plans_ = {};
  if (digest.error_kind != 0) {
    plans_[operation].reset();
    return shared_error(team, {digest.error_kind, digest.error_rank, 0, {}}, trouble);
  }
  if (digest.bytes == 0) return 0;

  std::optional<Plan>& plan = plans_[operation];
  Experience& experience = experiences_.of(request.operation, digest);
  if (digest.repeats && plan && digest.shift_min == digest.shift_max &&
      serves(*plan, digest.shift_min, engine.facts) && still_chosen(*plan, experience)) {
    ++engine.counters[Counter::plans_reused];
    if (digest.shift_min != 0) move(*plan, digest.shift_min);
  } else {
    facts.operation = request.operation;
    facts.locks_work = engine.locks_work && engine.storage.can_read();
    facts.others_write = request.operation == Operation::write && !engine.may_rewrite();
    facts.atomic = engine.atomic;
    facts.may_map = engine.may_map(request.operation);
    facts.cores_per_node = team.cores();
    facts.storage = engine.facts;
    facts.prices = engine.measured_prices;
    facts.experience = experience;
    facts.wishes = wishes;
    if (calls_without_two_phase_ > 0) do_without_two_phase(facts.wishes);
    facts.fixed = fixed_;
    facts.given = given_;
    for (const Team::Node& node : team.nodes())
      facts.nodes.push_back({node.ranks, node.free_bytes, node.candidates, {}, 0});
    for (size_t i = 0; !wishes.node_memory_bytes.empty() && i < facts.nodes.size(); ++i)
      facts.nodes[i].free_bytes = wishes.node_memory_bytes[i % wishes.node_memory_bytes.size()];
    Plan made;
    make_plan(engine, request, facts, made);
    if (auto whole = team.failure(); !whole) return whole.error();
    plan = std::move(made);
  }
  last_ = operation;

  const bool behind = plan->behind_bytes > 0 && plan->fixed;
  if (!behind || plan->fixed != held_for_) {
    if (auto settled = settle(engine); !settled) return settled.error();
  }
  // What other calls held back is written, whatever method this one takes: that is not its time.
  const int64_t begin_ns = now_ns();
  engine.behind = behind ? &behind_ : nullptr;
  if (behind) {
    const bool aggregates = std::any_of(plan->realms.begin(), plan->realms.end(),
                                        [&](const Realm& realm) { return realm.aggregator == team.rank(); });
    // Without memory nothing is held back, which is all.
    if (aggregates) (void)behind_.prepare(engine.budget, plan->behind_bytes);
    held_for_ = plan->fixed;
    holds_back_ = true;
  }
  Outcome outcome = 0;
  if (plan->method == Method::two_phase) {
    if (std::vector<int64_t> layout = layout_of(*plan, team.node()); layout_ != layout) {
      layout_ = std::move(layout);
      zero_headers(engine, true);
      if (!team.node_barrier()) return team.failure().error();
    }
    outcome = run_two_phase(engine, request, *plan, workspace_);
  } else {
    // On one node ranks that sieve are announced; on several, all ranks know that all of them may be sieving.
    if (plan->method == Method::sieve && !engine.on_one_node()) engine.guard_writes = true;
    outcome = run_alone(engine, request, *plan);
  }

  Status mine = outcome ? Status() : Status(outcome.error());
  Verdict verdict = verdict_of(team, mine);
  verdict.work = {team.node(), begin_ns, now_ns()};
  {
    Stopwatch time(engine.counters, Counter::exchange_ns);
    if (!team.allreduce(verdict)) return team.failure().error();
  }
  if (verdict.kind != 0) return shared_error(team, verdict, mine);
  learn(*plan, static_cast<double>(verdict.work.ns()) * 1e-9, experience);
  return outcome;
}

}  // namespace concilio
