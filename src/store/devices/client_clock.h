// The time of one client of modelled storage. Costs are far below what a sleep can be short or exact to, so a
// client runs ahead by a little before it sleeps, and what it overslept is its own to use up.
#pragma once

#include <algorithm>
#include <cstdint>

namespace concilio {

class ClientClock {
 public:
  static constexpr int64_t most_ahead_ns = 50'000, most_credit_ns = 10'000'000;

  // When an operation begins that the client makes at now_ns.
  int64_t begin(int64_t now_ns) const { return now_ns + ahead_ns_; }
  // It is over at now_ns, and where storage is modelled at done_ns: what it took here, it took there at
  // least. Whether the client is to sleep until done_ns.
  bool end(int64_t done_ns, int64_t now_ns) {
    ahead_ns_ = std::max(done_ns - now_ns, ahead_ns_);
    return ahead_ns_ > most_ahead_ns;
  }
  // A sleep until then was over at now_ns.
  void woke(int64_t done_ns, int64_t now_ns) {
    ahead_ns_ = std::clamp<int64_t>(done_ns - now_ns, -most_credit_ns, 0);
  }

 private:
  int64_t ahead_ns_ = 0;  // of the machine's time; below 0: what it overslept
};

}  // namespace concilio
