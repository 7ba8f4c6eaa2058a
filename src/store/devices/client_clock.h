// The clock of one client of modelled storage. The system can neither sleep for times as short as modelled
// costs nor wake up that exactly. So a client runs a little ahead of the machine's time before it sleeps, and
// the time by which it overslept is to its credit.
#pragma once

#include <algorithm>
#include <cstdint>

namespace concilio::store {

class ClientClock {
 public:
  static constexpr int64_t most_ahead_ns = 50'000, most_credit_ns = 10'000'000;

  // When an operation begins, in the model, that the client starts at now_ns.
  int64_t begin(int64_t now_ns) const { return now_ns + ahead_ns_; }
  // The operation is over at now_ns on this machine, and at done_ns in the model, where it takes at least as
  // long as it took here. Returns whether the client must sleep until done_ns.
  bool end(int64_t done_ns, int64_t now_ns) {
    ahead_ns_ = std::max(done_ns - now_ns, ahead_ns_);
    return ahead_ns_ > most_ahead_ns;
  }
  // A sleep until done_ns was over at now_ns.
  void woke(int64_t done_ns, int64_t now_ns) {
    ahead_ns_ = std::clamp<int64_t>(done_ns - now_ns, -most_credit_ns, 0);
  }

 private:
  int64_t ahead_ns_ = 0;  // of the machine's time; if negative, what was overslept
};

}  // namespace concilio::store
