// Which methods the calls on one file took, and why. The report and the program's questions are answered from
// this.
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
  int64_t calls;            // calls of the same pattern by this method
  double measured_seconds;  // of these calls; meaningless if there are none
};

// All methods that a call could have taken, in the order of Method. Empty if the call left no choice.
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
  // The last call of this rank that moved data.
  struct Last {
    const char* method = nullptr;  // static text; nullptr: there was no such call
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
  Reason* last_reason_[2][2] = {};  // by operation and whether collective; most calls repeat it
  Last last_;
};

}  // namespace concilio::mpiio
