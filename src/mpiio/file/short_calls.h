// Which calls by the shortcut are timed where there is a report. As in Sampling, a timed call stands for the
// untimed ones before it, but only for such as are like it, since what they moved is recorded too.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/counters.h"
#include "base/operation.h"

namespace concilio::mpiio {

// Thread-safe.
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

  // Whether the call is to be timed.
  bool times(const Call& call) {
    if (most_untimed_ == 0) return true;
    std::lock_guard lock(mutex_);
    return !is_like_last(call) || untimed_.calls >= most_untimed_;
  }
  // The call was not timed, and moved all its bytes.
  void add_untimed(const Call& call) {
    std::lock_guard lock(mutex_);
    if (!is_like_last(call)) return;  // another thread has begun anew
    untimed_.last = call;
    ++untimed_.calls;
  }
  // The call was timed. Returns the untimed ones before it: those for which it stands, or such as are unlike.
  Untimed add_timed(const Call& call, int64_t ns, bool& stands_for_them) {
    const int64_t most_untimed = Sampling::most_untimed_after(ns);
    // Long calls are all timed, and need no lock.
    stands_for_them = true;
    if (most_untimed_ == 0 && most_untimed == 0) return {};
    std::lock_guard lock(mutex_);
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
  bool is_like_last(const Call& call) const {
    return call.operation == untimed_.last.operation && call.bytes == untimed_.last.bytes;
  }
  std::mutex mutex_;
  Untimed untimed_;
  Tally most_untimed_;  // while it is 0, there is no untimed call
};

}  // namespace concilio::mpiio
