// Which calls by the shortcut are timed where there is a report. As in Sampling, a timed call stands for the
// untimed ones before it, but only for such as are like it, since what they moved is recorded too. To record
// a call takes several times as long as to ask for the time, so that calls are taken for short that Sampling
// does not: recording is to take less than about a hundredth of their time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>

#include "base/counters.h"
#include "base/operation.h"

namespace concilio::mpiio {

// `alone`: no other thread calls meanwhile, so that no lock is needed, which would take longer than all the
// rest. Otherwise thread-safe.
class ShortCalls {
 public:
  struct Call {
    Operation operation = Operation::read;
    int64_t offset = 0, bytes = 0;
  };
  struct Untimed {
    Call last;
    int64_t calls = 0, ns = 0;  // `ns`: what a timed one took that was like them
  };

  // Whether the call is to be timed. If not, it is counted as one that will move all its bytes.
  bool times(const Call& call, bool alone) {
    if (most_untimed_ == 0) return true;
    const Lock lock(mutex_, alone);
    if (!is_like_last(call) || untimed_.calls >= most_untimed_) return true;
    untimed_.last = call;
    ++untimed_.calls;
    return false;
  }
  // A call that was not timed has not moved all its bytes.
  void take_back(bool alone) {
    const Lock lock(mutex_, alone);
    if (untimed_.calls > 0) --untimed_.calls;  // else another thread has begun anew
  }
  // The call was timed. Returns the untimed ones before it: those for which it stands, or such as are unlike.
  Untimed add_timed(const Call& call, int64_t ns, bool alone, bool& stands_for_them) {
    const int64_t most_untimed = most_untimed_after(ns);
    // Long calls are all timed, and need no lock.
    stands_for_them = true;
    if (most_untimed_ == 0 && most_untimed == 0) return {};
    const Lock lock(mutex_, alone);
    const Untimed before = untimed_;
    stands_for_them = is_like_last(call);
    untimed_ = {call, 0, ns};
    most_untimed_ = most_untimed;
    return before;
  }
  // The untimed ones for which no call has come to stand.
  Untimed take() {
    std::lock_guard lock(mutex_);
    const Untimed all = untimed_;
    untimed_.calls = 0;
    return all;
  }

 private:
  // A lock that is only taken where there may be other threads.
  class Lock {
   public:
    Lock(std::mutex& mutex, bool alone) : mutex_(alone ? nullptr : &mutex) {
      if (mutex_ != nullptr) mutex_->lock();
    }
    ~Lock() {
      if (mutex_ != nullptr) mutex_->unlock();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    std::mutex* mutex_;
  };
  static int64_t most_untimed_after(int64_t ns) {
    constexpr int64_t short_ns = 20'000, few = 4;
    return ns < short_ns ? std::max(few, Sampling::most_untimed_after(ns)) : 0;
  }
  bool is_like_last(const Call& call) const {
    return call.operation == untimed_.last.operation && call.bytes == untimed_.last.bytes;
  }
  std::mutex mutex_;
  Untimed untimed_;
  Tally most_untimed_;  // while it is 0, there is no untimed call
};

}  // namespace concilio::mpiio
