// Which methods the calls on one file took, and why. The report and the program's questions are answered from
// this.
#pragma once

#include <mutex>
#include <optional>
#include <vector>

#include "plan/plan.h"

namespace concilio::mpiio {

// Calls that moved data, and that took their method on the same grounds.
struct CallsAlike {
  Operation operation;
  bool collective;
  // The calls have the method in common, and no more: the program has calls on more grounds than are told
  // apart.
  bool various;
  int64_t calls;
  // Those of the last of these calls.
  Reason reason;
  Candidates candidates;
};

// Thread-safe.
class CallHistory {
 public:
  void remember(Operation operation, bool collective, const Plan& plan);

  std::vector<CallsAlike> all() const {
    std::lock_guard lock(mutex_);
    return all_;
  }
  // The calls that this rank's last one is counted with. Empty if no call has moved data.
  std::optional<CallsAlike> last() const {
    std::lock_guard lock(mutex_);
    return last_ ? std::optional(all_[*last_]) : std::nullopt;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<CallsAlike> all_;
  // Where in all_ the last call is counted: by operation and by whether it was collective, and of all calls.
  size_t places_[2][2] = {};
  std::optional<size_t> last_;
};

}  // namespace concilio::mpiio
