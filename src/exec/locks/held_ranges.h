// Which ranges of a file the threads of one rank have locked.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>

#include "base/function_ref.h"
#include "pattern/access.h"
#include "store/store.h"

namespace concilio {

// Which ranges of a file this rank's threads have locked: shared ones may overlap. Thread-safe, and fair:
// nobody passes who came earlier and is in the way.
class HeldRanges {
 public:
  struct Holder {
    Interval range;
    LockMode mode;
    bool on_file;  // holds a lock on the file too, or will
    bool granted = false;
  };
  using Place = std::list<Holder>::iterator;

  // Waits until nobody who came earlier is in the way.
  Place enter(Interval range, LockMode mode, bool on_file);
  // Calls unlock(part) for what of a range locked on the file no other thread has locked there. Nobody enters
  // meanwhile, who would lose what he locks. Needs no memory: who is in want of it leaves too.
  void leave(Place place, FunctionRef<void(Interval)> unlock);
  int64_t waiting() const;  // how many wait now

 private:
  bool free(Place place) const;
  void unlock_free(Interval range, Place other, FunctionRef<void(Interval)> unlock);
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::list<Holder> holders_;  // in the order in which they came
};

}  // namespace concilio
