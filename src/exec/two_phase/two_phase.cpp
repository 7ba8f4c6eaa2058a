#include "exec/two_phase/two_phase.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/exceptions.h"
#include "exec/locks/range_lock.h"
#include "exec/two_phase/beside.h"
#include "exec/two_phase/fetch.h"
#include "exec/windows/flush.h"
#include "exec/windows/write_behind.h"

namespace concilio::exec {

// One rank's part in one call. After an error the rank remembers it and takes all further steps without I/O,
// so that nobody waits for it. What a step does with data goes through attempt(); what other ranks wait for
// is done in any case.
class TwoPhase : private ReadsMore {
 public:
  TwoPhase(const RunningCall& call, const Request& request, const plan::Plan& plan, Workspace& workspace,
           RoundGear& gear)
      : call_(call),
        request_(request),
        plan_(plan),
        group_(gear.group_),
        images_(gear.images_),
        exchange_(gear.exchange_.get()),
        parcels_(gear.parcels()),
        at_storage_(gear.at_storage_),
        transfers_(gear.transfers_),
        workspace_(workspace) {
    for (int realm = group_.first_realm; realm < group_.end_realm; ++realm) {
      if (plan.realms[static_cast<size_t>(realm)].aggregator == call.opened.team.rank()) own_realm_ = realm;
    }
    // Where storage answers from memory, it needs a core as the exchange does. With one window on one node,
    // there is nothing to do meanwhile.
    const bool goes_on = sends_parcels() || group_.rounds > 1;
    if (own_realm_ >= 0 && !exchanges_images() && goes_on && !call.behind && call.opened.pipelining &&
        !call.opened.prices().from_memory)
      beside_.emplace(call.opened.team, sends_parcels(), [this] { move_window(); });
  }

  Outcome run() {
    attempt([&]() -> Status {
      if (request_.bytes > 0) touched_ = request_.bounds();
      if (!request_.device) return {};
      reach_.emplace(request_.device, call_.opened.team.pinned_segment());
      put_ahead_.resize(plan_.realms.size(), -1);
      return {};
    });
    if (parcels_) parcels_->begin();
    if (!reads()) exchange_parcels([&] { return parcels_->expect(0); });
    for (int64_t round = 0; round < group_.rounds && team_whole_; ++round) {
      if (request_.operation == Operation::write) {
        write_round(round);
      } else {
        read_round(round);
      }
    }
    if (team_whole_ && exchange_) attempt([&] { return exchange_->sit_out(group_.rounds); });
    finish_window();
    finish_sends();
    // Also of a team that has failed: its memory may go.
    attempt([&] { return request_.finish_copies(); });
    if (parcels_) moved_ += parcels_->moved();
    if (own_realm_ >= 0) call_.opened.counters[Counter::rounds] += group_.rounds;
    if (!error_.ok()) return error_.error();
    return moved_;
  }

 private:
  using Parts = std::span<WindowPart>;

  bool reads() const { return request_.operation == Operation::read; }
  // Whether the images of other nodes' windows are exchanged.
  bool exchanges_images() const { return exchange_ && group_.nodes.size() > 1; }
  // Whether parcels of this rank may be under way.
  bool sends_parcels() const { return parcels_ && group_.nodes.size() > 1; }
  bool is_own(size_t realm) const { return static_cast<int>(realm) == own_realm_; }
  bool is_local(size_t realm) const { return plan_.realms[realm].node == call_.opened.team.node(); }
  uint32_t local_ranks() const { return static_cast<uint32_t>(call_.opened.team.local_size()); }
  void note(Status status) {
    if (error_.ok() && !status) error_ = std::move(status);
  }
  template <typename Step>
  void attempt(Step&& step) {
    note(without_exceptions(step));
  }

  // False if the team has failed. Then the images must not be touched any more, since nobody knows which
  // ranks still use them, and no further step is taken.
  bool wait(mpi::EventCounter& event, uint32_t target) {
    // Nobody waits for others who may wait for its image.
    if (team_whole_ && !event.has_reached(target)) hand_over_copied();
    Stopwatch time(call_.opened.counters, Counter::exchange_ns);
    if (!team_whole_ || !call_.opened.team.wait(event, target, sends_parcels())) end_early();
    return team_whole_;
  }
  void end_early() {
    team_whole_ = false;
    note(call_.opened.team.failure());
  }

  // Calls f(realm, header, use) for every realm that has this round. Every rank begins with a different
  // realm, so that ranks do not queue for the same image.
  template <typename F>
  void for_each_image(int64_t round, F&& f) {
    const std::vector<size_t>& realms = images_.realms();
    for (size_t i = 0; i < realms.size(); ++i) {
      const size_t realm = realms[(i + static_cast<size_t>(call_.opened.team.local_rank())) % realms.size()];
      if (images_.has(realm, round)) f(realm, images_.header(realm, round), images_.use(round));
    }
  }

  // This rank's data in a part, or in so much of it as lies before `end`.
  pattern::Interval data_in(const WindowPart& part, int64_t end) const {
    if (part.file.end <= touched_.begin || part.file.begin >= touched_.end) return {};
    int64_t last = request_.position + request_.bytes;
    return {std::clamp(request_.file->data_before(part.file.begin), request_.position, last),
            std::clamp(request_.file->data_before(std::min(part.file.end, end)), request_.position, last)};
  }

  Status put(Parts parts) {
    Stopwatch time(call_.opened.counters, Counter::copy_ns);
    for (WindowPart& part : parts) {
      pattern::Interval data = data_in(part, part.file.end);
      if (data.empty()) continue;
      if (auto status = request_.begin_copy_to({request_.file, data.begin, part.data, part.file.begin},
                                               data.begin - request_.position, data.length());
          !status)
        return status;
      part.map.mark(*request_.file, data.begin, data.end);
      moved_ += data.length();
    }
    return {};
  }

  Status take(Parts parts, int64_t valid_end) {
    Stopwatch time(call_.opened.counters, Counter::copy_ns);
    for (WindowPart& part : parts) {
      if (part.file.begin >= valid_end) continue;
      pattern::Interval data = data_in(part, valid_end);
      if (data.empty()) continue;
      if (auto status = request_.begin_copy_from({request_.file, data.begin, part.data, part.file.begin},
                                                 data.begin - request_.position, data.length());
          !status)
        return status;
      moved_ += data.length();
    }
    return {};
  }

  Status mark_wanted(Parts parts) {
    for (WindowPart& part : parts) {
      pattern::Interval data = data_in(part, part.file.end);
      if (!data.empty()) part.map.mark(*request_.file, data.begin, data.end);
    }
    return {};
  }

  // Releases a slot for its next use, with an empty map.
  void release(size_t realm, int64_t round) {
    std::memset(images_.map(realm, round), 0, static_cast<size_t>(plan_.realms[realm].map_bytes));
    images_.header(realm, round).released.increment();
  }

  // Carries out a step of the exchange of parcels, if that is how nodes exchange.
  template <typename Step>
  void exchange_parcels(Step&& step) {
    if (!parcels_ || !team_whole_) return;
    attempt(step);
    if (!error_ && !call_.opened.team.failure()) end_early();
  }

  void finish_sends() {
    exchange_parcels([&] { return parcels_->finish_sends(); });
  }

  // Tells the others that this rank has put its data into an image, or taken them from it.
  void hand_over(size_t realm, int64_t round) {
    ImageHeader& header = images_.header(realm, round);
    if (!reads()) {
      if (header.filled.arrive(local_ranks())) header.filled.open();
    } else if (header.taken.arrive(local_ranks())) {
      if (marks_wanted_of(realm)) {
        release(realm, round);
      } else {
        header.released.increment();
      }
    }
  }
  // The same, for an image that a GPU's copies may still be using. It is handed over with the next one, so
  // that the device has the next copies before the CPU waits for these; but before this rank waits for
  // others.
  void hand_over_when_copied(size_t realm, int64_t round) {
    if (!request_.device) {
      hand_over(realm, round);
      return;
    }
    const Copied next{realm, round, 1 - copied_.mark};
    bool marked = false;
    attempt([&] {
      auto status = request_.device->mark(next.mark);
      marked = status.ok();
      return status;
    });
    if (!marked) attempt([&] { return request_.device->finish(); });
    hand_over_copied();
    copied_ = next;
  }
  void hand_over_copied() {
    if (copied_.round < 0) return;
    attempt([&]() -> Status {
      Stopwatch time(call_.opened.counters, Counter::copy_ns);
      auto status = request_.device->wait(copied_.mark);
      if (!status) (void)request_.device->finish();
      return status;
    });
    if (team_whole_) hand_over(copied_.realm, copied_.round);
    copied_.round = -1;
  }

  void write_round(int64_t round) {
    for_each_image(round, [&](size_t realm, ImageHeader& header, uint32_t use) {
      if (!put_ahead_.empty() && put_ahead_[realm] == round) {
        hand_over_when_copied(realm, round);
        return;
      }
      if (is_own(realm) && !header.released.has_reached(use)) finish_window();
      if (!wait(header.released, use)) return;
      attempt([&] { return put(images_.parts(realm, round)); });
      hand_over_when_copied(realm, round);
    });
    hand_over_copied();
    exchange_parcels([&] { return parcels_->send(round, request_); });
    if (exchange_round(round) && own_realm_ >= 0) {
      put_ahead(round + 1);
      flush(round);
    }
  }

  // Lets the device fill what is free of the next round's images while this rank writes its window.
  void put_ahead(int64_t round) {
    if (put_ahead_.empty() || !request_.device->went_straight() || !error_.ok()) return;
    for_each_image(round, [&](size_t realm, ImageHeader& header, uint32_t use) {
      if (!header.released.has_reached(use)) return;
      attempt([&] { return put(images_.parts(realm, round)); });
      put_ahead_[realm] = round;
    });
  }

  // False: the team has failed.
  bool exchange_round(int64_t round) {
    if (!team_whole_ || !exchange_) return team_whole_;
    const std::vector<size_t>&carried = exchange_->carried(), &served = exchange_->served();
    if (carried.empty() && served.empty()) return true;
    for (const size_t realm : carried) {
      if (images_.has(realm, round) &&
          !wait(images_.header(realm, round).filled.passed, images_.use(round) + 1))
        return false;
    }
    for (const size_t realm : served) {
      if (!images_.has(realm, round)) continue;
      ImageHeader& header = images_.header(realm, round);
      if (!wait(reads() ? header.ready : header.filled.passed, images_.use(round) + 1)) return false;
    }
    attempt([&] { return reads() ? exchange_->scatter(round, *this) : exchange_->gather(round); });
    if (!error_ && !call_.opened.team.failure()) end_early();
    if (!team_whole_) return false;
    for (const size_t realm : carried) {
      if (!images_.has(realm, round)) continue;
      if (reads()) {
        images_.header(realm, round).ready.increment();
      } else {
        release(realm, round);
      }
    }
    if (reads()) return true;
    for (const size_t realm : served) {
      if (images_.has(realm, round)) images_.header(realm, round).merged.increment();
    }
    return true;
  }

  void flush(int64_t round) {
    auto realm = static_cast<size_t>(own_realm_);
    if (!images_.has(realm, round)) return;
    ImageHeader& header = images_.header(realm, round);
    exchange_parcels([&] { return parcels_->merge(round, images_.parts(realm, round)); });
    // With pipelining, the parcels of the next window may arrive while this one is written.
    const auto expect_next = [&] { exchange_parcels([&] { return parcels_->expect(round + 1); }); };
    const bool early = call_.opened.pipelining;
    if (early) expect_next();
    if (!wait(exchanges_images() ? header.merged : header.filled.passed, images_.use(round) + 1)) return;
    finish_window();
    if (!beside_) finish_sends();
    if (error_.ok()) {
      begin_window(round);
    } else {
      release(realm, round);
    }
    if (!early) expect_next();
  }
  Status flush(Parts parts) {
    // Data that are held back are not written to the file yet.
    if (call_.behind) return call_.behind->absorb(call_, parts);
    const auto old = [&]() -> std::byte* {
      if (!plan_.may_have_holes) return nullptr;
      return workspace_.old_bytes(call_.opened, plan_.realms[static_cast<size_t>(own_realm_)].window_bytes);
    };
    return with_fresh_view(parts, store::LockMode::exclusive, [&](const RunningCall& call) {
      return flush_window(call, parts, std::ssize(plan_.realms), old);
    });
  }

  void read_round(int64_t round) {
    if (exchanges_images() || group_.marks_wanted) {
      for_each_image(round, [&](size_t realm, ImageHeader& header, uint32_t use) {
        if (!marks_wanted_of(realm) || !wait(header.released, use)) return;
        attempt([&] { return mark_wanted(images_.parts(realm, round)); });
        if (header.filled.arrive(local_ranks())) header.filled.open();
      });
    }
    if (own_realm_ >= 0) fetch(round);
    hand_over_copied();
    if (!exchange_round(round)) return;
    for_each_image(round, [&](size_t realm, ImageHeader& header, uint32_t use) {
      if (!wait(header.ready, use + 1)) return;
      attempt([&] {
        return take(images_.parts(realm, round), header.valid_end.load(std::memory_order_relaxed));
      });
      hand_over_when_copied(realm, round);
    });
    if (!copies_go_on_in_next(round)) hand_over_copied();
    fetch_ahead(round + 1);
    exchange_parcels([&] { return parcels_->take(round, request_); });
  }

  // Whether a GPU's copies from the images of this round may go on while this rank reads its window of the
  // next. With one slot, other aggregators would wait for that; and parcels wait for others before.
  bool copies_go_on_in_next(int64_t round) const {
    return own_realm_ >= 0 && plan_.realms[static_cast<size_t>(own_realm_)].slots > 1 &&
           images_.has(static_cast<size_t>(own_realm_), round + 1) && !parcels_;
  }

  // Whether the map of an image says what this node's ranks want to read.
  bool marks_wanted_of(size_t realm) const { return group_.marks_wanted || !is_local(realm); }

  // Reads the window of this rank's own realm.
  void fetch(int64_t round) {
    auto realm = static_cast<size_t>(own_realm_);
    if (!images_.has(realm, round)) return;
    ImageHeader& header = images_.header(realm, round);
    const uint32_t use = images_.use(round);
    int64_t valid_end = 0;
    if (window_.round != round) {
      if (!(group_.marks_wanted ? wait(header.filled.passed, use + 1) : wait(header.released, use))) return;
      if (!beside_) finish_sends();
      if (error_.ok()) begin_window(round);
    }
    if (window_.round == round) valid_end = finish_window();
    header.valid_end.store(valid_end, std::memory_order_relaxed);
    header.ready.increment();
    fetch_ahead(round + 1);
    exchange_parcels([&] { return parcels_->serve(round, images_.parts(realm, round), valid_end); });
  }
  // Lets storage read the window of the next round while this one is exchanged, if its slot is free already.
  void fetch_ahead(int64_t round) {
    if (!beside_ || group_.marks_wanted || window_.round >= 0 || !error_.ok() || !team_whole_) return;
    auto realm = static_cast<size_t>(own_realm_);
    if (!images_.has(realm, round)) return;
    if (images_.header(realm, round).released.has_reached(images_.use(round))) begin_window(round);
  }
  // Storage begins to move this rank's window of the round. Unless that is done beside the rank's own steps,
  // it is over afterwards.
  void begin_window(int64_t round) {
    const Parts parts = images_.parts(static_cast<size_t>(own_realm_), round);
    at_storage_.assign(parts.begin(), parts.end());
    window_ = {round, {}, 0};
    if (beside_) {
      beside_->start();
      return;
    }
    move_window();
    if (!reads()) finish_window();
  }
  void move_window() {
    window_.outcome = without_exceptions([&]() -> Status {
      if (!reads()) return flush(at_storage_);
      const Result<int64_t> end = fetch(at_storage_);
      if (!end) return end.error();
      window_.valid_end = *end;
      return {};
    });
    if (!reads()) release(static_cast<size_t>(own_realm_), window_.round);
  }
  // Waits until storage has moved the window, if there is one. Returns the file offset behind its last byte
  // that was read.
  int64_t finish_window() {
    if (window_.round < 0) return 0;
    if (beside_) beside_->wait();
    window_.round = -1;
    note(std::move(window_.outcome));
    return window_.valid_end;
  }

  // Reads a window. Returns the file offset behind its last byte that exists.
  Result<int64_t> fetch(Parts parts) {
    return with_fresh_view(parts, store::LockMode::shared, [&](const RunningCall& call) {
      return fetch_window(call, parts, {known_requests(), group_.marks_wanted}, transfers_);
    });
  }
  Result<int64_t> read_more(Parts parts, const Coverage* wanted) override {
    return with_fresh_view(parts, store::LockMode::shared,
                           [&](const RunningCall& call) { return fetch_missing(call, parts, wanted); });
  }

  // Carries out a window's transfers, work(call), on what the storage holds now. Where its clients cache the
  // file, they read anew when they lock, and write back when they unlock. Without locks they are told to
  // forget what they have read, and to write back. Clients that only keep what they have read know since the
  // call began whether that is old (Storage::note_others_wrote).
  template <typename Work>
  std::invoke_result_t<Work, const RunningCall&> with_fresh_view(Parts parts, store::LockMode mode,
                                                                 Work&& work) {
    const OpenFile& opened = call_.opened;
    if (!opened.caches_differ()) return work(call_);
    if (!opened.pages_differ() || !opened.locks_work) {
      if (opened.pages_differ()) {
        if (Status fresh = opened.storage.refresh(); !fresh) return fresh.error();
      }
      auto outcome = work(call_);
      if (Status written = opened.storage.flush(); outcome && !written) return written.error();
      return outcome;
    }
    const int64_t begin = parts.front().file.begin, end = parts.back().file.end;
    RangeLock guard(opened.storage, begin, end - begin);
    if (Status locked = guard.acquire(mode); !locked) return locked.error();
    return guard.release(work(call_.holding_lock()));
  }

  // What the ranks that exchange with this node ask for; null if it is not known.
  const Descriptions* known_requests() const {
    const bool known = parcels_ && !parcels_->descriptions().own().ranks.empty();
    return known ? &parcels_->descriptions() : nullptr;
  }

  const RunningCall& call_;
  const Request& request_;
  const plan::Plan& plan_;
  const plan::Group& group_;
  Images& images_;
  Exchange* exchange_;  // null if parcels are exchanged
  Parcels* parcels_;
  std::vector<WindowPart>& at_storage_;
  std::vector<store::Transfer>& transfers_;
  Workspace& workspace_;
  int own_realm_ = -1;
  // The window that storage is at work on, or has moved; round -1: none.
  struct WindowAtStorage {
    int64_t round = -1;
    Status outcome;
    int64_t valid_end = 0;  // reads, as in ImageHeader
  };
  WindowAtStorage window_;
  // An image that this rank hands over when the copies before a mark have ended; round -1: none.
  struct Copied {
    size_t realm = 0;
    int64_t round = -1;
    size_t mark = 0;
  };
  Copied copied_;
  std::optional<DeviceLink::Reach> reach_;
  std::vector<int64_t> put_ahead_;  // by realm: the last round whose image got data by put_ahead()
  pattern::Interval touched_;
  int64_t moved_ = 0;
  Status error_;
  bool team_whole_ = true;        // as far as this rank has seen
  std::optional<Beside> beside_;  // moves windows; what it works with is above, and so lives longer
};

namespace {

// The group of a node that has no aggregator and whose ranks ask for nothing.
const plan::Group& no_group() {
  static const auto& none = *new plan::Group;
  return none;
}

const plan::Group& group_of(const plan::Plan& plan, int node) {
  const int group = plan.group_of_node[static_cast<size_t>(node)];
  return group < 0 ? no_group() : plan.groups[static_cast<size_t>(group)];
}

}  // namespace

RoundGear::RoundGear(const OpenFile& opened, const plan::Facts& facts, const plan::Plan& plan,
                     const Workspace& workspace)
    : group_(group_of(plan, opened.team.node())), images_(plan, opened.team.node()) {
  if (plan.exchange == plan::ExchangeStrategy::descriptions) {
    parcels_.emplace(opened, facts, plan, group_, images_, workspace);
  } else {
    exchange_ = Exchange::make({opened, facts, plan, group_, images_, workspace});
  }
  at_storage_.reserve(images_.most_parts());
  transfers_.reserve(images_.most_parts());
}

Status RoundGear::tell_requests(const OpenFile& opened, const Request& request, const plan::Plan& plan,
                                std::byte* segment, bool& fit) {
  images_.lie_in(segment);
  if (exchange_) {
    fit = exchange_->fits();
    return exchange_->tell_requests(request);
  }
  if (Status known = parcels_->descriptions().gather(opened, request, plan, segment); !known) return known;
  return without_exceptions([&]() -> Status {
    fit = parcels_->descriptions().described() && parcels_->fit();
    return {};
  });
}

void RoundGear::move(int64_t shift_bytes) {
  if (parcels_) parcels_->descriptions().move(shift_bytes);
}

Outcome run_two_phase(const RunningCall& call, const Request& request, const plan::Plan& plan,
                      Workspace& workspace, RoundGear& gear) {
  return TwoPhase(call, request, plan, workspace, gear).run();
}

}  // namespace concilio::exec
