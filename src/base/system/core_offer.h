// A rank that waits, and shares its core, lets others run: those that it waits for among them.
#pragma once

#include <algorithm>
#include <cstdint>

namespace concilio {

// Offers the caller's core to whoever else could run on it. Returns false if the caller should sleep instead:
// others keep the core so long that a sleeper, who may take it away from them, gets it back sooner. That is
// so after such a turn of others, and, then without another offer, for as long as TurnsOfOthers says.
bool offer_core();

// For the time between two looks whether a message has come, for which the caller has waited for `waited_ns`:
// offers the core, or, after two such turns in succession, sleeps for an eighth of that time, at least 20 and
// at most 200 microseconds.
void let_others_run(int64_t waited_ns);

// Decides when a core is offered, so that no more than a tenth of the time is lost to others' long turns:
// those of who has work to do, or spins itself.
class TurnsOfOthers {
 public:
  // So many long turns in succession show that others go on to take them.
  explicit TurnsOfOthers(int telling) : telling_(telling) {}
  bool may_begin(int64_t now_ns) const { return now_ns >= none_until_ns_; }
  // Others had the core from `begin_ns` until `end_ns`. Returns whether another turn may begin at once.
  bool note(int64_t begin_ns, int64_t end_ns) {
    constexpr int64_t longest_ns = 200'000;
    const int64_t turn_ns = end_ns - begin_ns;
    long_turns_ = turn_ns <= longest_ns ? 0 : std::min(long_turns_ + 1, telling_);
    if (long_turns_ < telling_) return true;
    none_until_ns_ = end_ns + 10 * turn_ns;
    return false;
  }

 private:
  int telling_;
  int long_turns_ = 0;
  int64_t none_until_ns_ = 0;
};

}  // namespace concilio
