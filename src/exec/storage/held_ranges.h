// Which ranges of a file the threads of one rank have locked.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>

#include "base/function_ref.h"
#include "pattern/access.h"
#include "store/store.h"

namespace concilio::exec {

// The ranges of a file that the threads of one rank have locked. Shared locks may overlap. Thread-safe, and
// fair: no thread overtakes an earlier one whose range is in its way.
class HeldRanges {
 public:
  struct Holder {
    pattern::Interval range;
    store::LockMode mode;
    bool on_file;  // also locks, or will lock, the range of the file itself
    bool granted = false;
  };
  using Place = std::list<Holder>::iterator;

  // Waits until no earlier holder is in the way.
  Place enter(pattern::Interval range, store::LockMode mode, bool on_file);
  // Calls unlock(part) for every part of a range locked on the file that no other thread has locked there
  // too. Other threads cannot enter meanwhile: one that did would lose its lock on the file to this unlock.
  // Needs no memory, so that a thread that has run out of memory can leave too.
  void leave(Place place, FunctionRef<void(pattern::Interval)> unlock);
  int64_t waiting() const;  // how many wait now

 private:
  bool free(Place place) const;
  void unlock_free(pattern::Interval range, Place other, FunctionRef<void(pattern::Interval)> unlock);
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::list<Holder> holders_;  // in the order in which they came
};

}  // namespace concilio::exec
