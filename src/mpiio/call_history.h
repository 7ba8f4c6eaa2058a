// Which methods the calls on one file took, and why, as reports and the program's questions tell it.
#pragma once

#include <array>
#include <map>
#include <mutex>
#include <string>

#include "plan/plan.h"

namespace concilio::mpiio {

// One method that a call could have taken.
struct Considered {
  Method method;
  bool legal, chosen;
  double predicted_seconds;
  int64_t calls;            // of the same pattern that took it
  double measured_seconds;  // of those; meaningless without any
};

// All of them, in the order of Method; none of a call that needed no choice.
struct ConsideredAll {
  std::array<Considered, method_count> methods{};
  size_t count = 0;
  const Considered* begin() const { return methods.data(); }
  const Considered* end() const { return methods.data() + count; }
};

// Thread-safe.
class CallHistory {
 public:
  void remember(Operation operation, bool collective, const Plan& plan);

  struct Reason {
    Operation operation;
    bool collective;
    std::string method, reason;
    int64_t calls = 0;
    ConsideredAll candidates;  // of the last of these calls
  };
  std::map<std::string, Reason> reasons() const {
    std::lock_guard lock(mutex_);
    return reasons_;
  }
  // Of this rank's last call that moved data.
  struct Last {
    const char* method = nullptr;  // static; nullptr: there was none
    std::string reason;
    ConsideredAll candidates;
  };
  Last last() const {
    std::lock_guard lock(mutex_);
    return last_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Reason> reasons_;
  Reason* last_reason_[2][2] = {};  // by operation, and whether collective: most calls repeat it
  Last last_;
};

}  // namespace concilio::mpiio
