// Which methods the calls on one file took, and why. The report and the program's questions are answered from
// this.
#pragma once

#include <array>
#include <atomic>
#include <memory>
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
  // `lasting`: the plan, if it does not change before a call of this kind is remembered without it. To
  // compare its grounds with those of the last call, and to copy them, takes a tenth of a small call, and
  // most calls take the same plan as the last one.
  void remember(Operation operation, bool collective, const plan::Plan& plan,
                const std::shared_ptr<const plan::Plan>& lasting = nullptr);
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
  // The last call of an operation, collective or not.
  struct Last {
    size_t place = 0;                        // where in all_ it is counted
    std::shared_ptr<const plan::Plan> plan;  // which all_ has there; null unless it lasts
  };
  void find_place(Operation operation, bool collective, const plan::Plan& plan, size_t& place);

  mutable std::mutex mutex_;
  std::vector<CallsAlike> all_;
  Last lasts_[2][2];
  std::optional<size_t> last_;  // the place of the last of all calls
};

}  // namespace concilio::mpiio
