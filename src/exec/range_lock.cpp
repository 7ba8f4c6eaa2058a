#include "exec/range_lock.h"

namespace concilio {

Status RangeLock::acquire(LockMode mode, bool file_too) {
  place_ = storage_.held().enter(range_, mode, file_too);
  held_ = true;
  return file_too ? storage_.lock(range_.begin, range_.length(), mode, storage_.lock_patience_ms())
                  : Status();
}

RangeLock::~RangeLock() {
  if (!held_) return;
  storage_.held().leave(place_, [this](Interval part) { (void)storage_.unlock(part.begin, part.length()); });
}

}  // namespace concilio
