// Which methods the calls on one file took, and why. The report and the program's questions are answered from
// this.
#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "base/counters.h"
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
  plan::Reason reason;
  plan::Candidates candidates;
};

// Thread-safe.
class CallHistory {
 public:
  void remember(Operation operation, bool collective, const plan::Plan& plan);
  // A call with plan_of_one_stretch(). There may be very many, so it takes no lock. `alone`: no other thread
  // remembers a call meanwhile.
  void remember_one_stretch(Operation operation, bool collective, bool alone) {
    const size_t kind = 2 * static_cast<size_t>(operation) + collective;
    alone ? one_stretch_[kind].add_alone(1) : one_stretch_[kind] += 1;
    last_one_stretch_.store(static_cast<int>(kind), std::memory_order_relaxed);
  }

  std::vector<CallsAlike> all() const;
  // The calls that this rank's last one is counted with. Empty if no call has moved data.
  std::optional<CallsAlike> last() const;

 private:
  CallsAlike of_one_stretch(size_t kind) const;
  // How many calls, by kind: twice the operation, and one more if the call was collective.
  std::array<Tally, 4> one_stretch_;
  // The kind of the last call if that was such a call, else -1.
  std::atomic<int> last_one_stretch_ = -1;
  mutable std::mutex mutex_;
  std::vector<CallsAlike> all_;
  // Where in all_ the last call is counted: by operation and by whether it was collective, and of all calls.
  size_t places_[2][2] = {};
  std::optional<size_t> last_;
};

}  // namespace concilio::mpiio
