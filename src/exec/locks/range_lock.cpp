#include "exec/locks/range_lock.h"

#include <utility>

#include "base/exceptions.h"
#include "base/log.h"

namespace concilio::exec {

Status RangeLock::acquire(store::LockMode mode, bool file_too) {
  place_ = storage_.held().enter(range_, mode, file_too);
  held_ = true;
  if (!file_too) return {};
  Status locked = storage_.lock(range_.begin, range_.length(), mode, storage_.lock_patience_ms());
  shows_ = locked && storage_.client_cache() == store::ClientCache::old_reads;
  return shows_ ? storage_.refresh(range_.begin, range_.length()) : locked;
}

RangeLock::~RangeLock() {
  if (auto status = give_back(); !status) log_once(LogLevel::error, status.error().message);
}

Status RangeLock::give_back() {
  Status outcome;
  if (!std::exchange(held_, false)) return outcome;
  if (shows_) outcome = storage_.flush();
  storage_.held().leave(place_, [&](pattern::Interval part) {
    // To unlock a part of a lock splits it, which takes memory that may be there a moment later.
    constexpr int most_tries = 3;
    const auto unlock = [&] { return storage_.unlock(part.begin, part.length()); };
    Status unlocked = without_exceptions(unlock);
    for (int i = 1; i < most_tries && !unlocked; ++i) unlocked = without_exceptions(unlock);
    if (unlocked) return;
    const Error& error = unlocked.error();
    outcome = error_with(error.kind, error.system_errno, [&] {
      return error.message + ": other ranks may be unable to write there until the file is closed";
    });
  });
  return outcome;
}

}  // namespace concilio::exec
