#include "exec/locks/rewriting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/exceptions.h"
#include "base/log.h"

namespace concilio::exec {
namespace {

// Marks lie where no file has bytes. Two opens rarely try the same mark; if they do, one tries another.
// Behind them lie as many bytes for locks that mean nothing to others.
constexpr int64_t first_mark = int64_t{1} << 62, mark_count = int64_t{1} << 31;
constexpr int64_t behind_marks = first_mark + mark_count;

// Not std::random_device, which would need a newer C library (glibc 2.36) than everything else, and may
// throw.
uint64_t random_number() {
  uint64_t random = 0;
  return getentropy(&random, sizeof random) == 0 ? random : static_cast<uint64_t>(getpid());
}

// Where the process's first mark is, chance decides. The others follow at a distance that is odd, so that it
// leads to every place before it comes back to one.
int64_t next_place() {
  static std::atomic<uint64_t> next = random_number();
  constexpr uint64_t distance = 0x9E3779B97F4A7C15;
  return static_cast<int64_t>(next.fetch_add(distance, std::memory_order_relaxed) % mark_count);
}

// A lock that fails, though the storage has locks and nobody else has it, may be had a moment later. Two
// opens may try the same byte.
constexpr int most_tries = 3;

bool says_nothing(const Status& locked) {
  return !locked && (locked.error().kind == ErrorKind::io || locked.error().kind == ErrorKind::no_memory);
}

// Tries bytes among those from `first` on. Fails if it remains unknown whether there are locks: others may
// have some, and rewrite what an open without locks writes.
Result<OpenMark> lock_some(Storage& storage, int64_t first, store::LockMode mode) {
  OpenMark mark;
  Status locked;
  for (int i = 0; i < most_tries && !mark.held; ++i) {
    mark.offset = first + next_place();
    locked = storage.lock(mark.offset, 1, mode, 0);
    mark.held = locked.ok();
    // File systems have several words for that they have no locks.
    if (!locked && locked.error().kind != ErrorKind::file_in_use && !says_nothing(locked)) {
      log_once(LogLevel::info, fmt::format("{}; no ranges of this file are locked", locked.error().message));
      return OpenMark{};
    }
  }
  if (says_nothing(locked)) return locked.error();
  mark.locks_work = 1;
  return mark;
}

}  // namespace

Result<OpenMark> take_mark(Storage& storage) {
  Result<OpenMark> mark = lock_some(storage, first_mark, store::LockMode::exclusive);
  if (!mark || !mark->locks_work) return mark;
  mark->marked = mark->held;
  return mark->marked ? mark : lock_some(storage, behind_marks, store::LockMode::exclusive);
}

bool take_some_lock(Storage& storage) {
  const auto lock = lock_some(storage, behind_marks, store::LockMode::exclusive);
  return lock && lock->held;
}

OpenMark try_locks(Storage& storage) {
  const auto tried = lock_some(storage, first_mark, store::LockMode::shared);
  if (!tried) return {};
  OpenMark mark = *tried;
  if (mark.held) (void)storage.unlock(mark.offset, 1);
  mark.held = 0;
  return mark;
}

bool mark_is_respected(Storage& storage, const OpenMark& mark) {
  Status locked;
  for (int i = 0; i == 0 || (i < most_tries && says_nothing(locked)); ++i)
    locked = storage.lock(mark.offset, 1, store::LockMode::exclusive, 0);
  if (locked) (void)storage.unlock(mark.offset, 1);
  return !locked && locked.error().kind == ErrorKind::file_in_use;
}

bool Rewriting::hopeful() {
  if (!marked()) return false;
  if (alone_.load(std::memory_order_relaxed) || skips_.load(std::memory_order_relaxed) <= 0) return true;
  skips_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

bool Rewriting::alone() {
  if (alone_.load(std::memory_order_acquire)) return true;
  if (!hopeful()) return false;
  std::lock_guard lock(claiming_);
  if (alone_) return true;
  const pattern::Interval others[] = {{first_mark, mark_.offset}, {mark_.offset + 1, behind_marks}};
  bool all = true;
  for (pattern::Interval range : others)
    all =
        all && (range.empty() || storage_.lock(range.begin, range.length(), store::LockMode::shared, 0).ok());
  if (all) {
    alone_.store(true, std::memory_order_release);
    return true;
  }
  // If these locks were kept, they would keep later opens from getting a mark, for nothing.
  for (pattern::Interval range : others) (void)storage_.unlock(range.begin, range.length());
  constexpr int64_t most_skips = 1024;
  skips_ = next_skips_;
  next_skips_ = std::min(2 * next_skips_, most_skips);
  return false;
}

RewritePermit::RewritePermit(Rewriting& rewriting, bool among_ranks) : rewriting_(rewriting) {
  if (!rewriting.alone()) return;
  if (among_ranks) {
    on_board_ = rewriting.board().begin_rewriting();
    if (!on_board_) return;
  }
  granted_ = true;
}

RewritePermit::~RewritePermit() {
  if (on_board_) rewriting_.board().end_rewriting();
}

bool RewriteNotice::give(mpi::Team& team, Rewriting& rewriting) {
  if (rewriting_ || team.local_rank() != 0) return true;
  if (!rewriting.board().begin_rewriting()) return false;
  team_ = &team;
  rewriting_ = &rewriting;
  return true;
}

RewriteNotice::~RewriteNotice() {
  if (rewriting_ && without_exceptions([&] { return team_->failure(); })) rewriting_->board().end_rewriting();
}

}  // namespace concilio::exec
