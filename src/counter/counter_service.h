// Counters of this process that processes of other hosts may change, over TCP. One thread answers for all of
// them. It is started with the first counter, and sleeps until somebody asks. It uses no MPI, so neither the
// program's thread level nor what its ranks are doing matters. A process that knows the address and its
// random token may ask. But anybody may connect. So it listens only on addresses by which those who may ask
// can come, and lets few connections without a valid token exist at a time, each for seconds only.
#pragma once

#include <netinet/in.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/result.h"

namespace concilio::counter {

// Where a process can be reached. It is plain data, to be sent to others.
struct Whereabouts {
  static constexpr int max_interfaces = 8;
  char machine[160] = "";  // identifies the machine and its network, as loopback addresses need
  int interfaces = 0;      // those that lead to other hosts
  struct Interface {
    in6_addr address, mask;  // IPv4 as mapped addresses
  } interface[max_interfaces] {
  };
};
Whereabouts own_whereabouts();

// By which interfaces of a process others can reach it, as far as their networks tell. The ways of several
// others are combined by a bitwise or.
struct WaysIn {
  uint32_t interfaces = 0;    // one bit for each interface that shares a network with another process
  uint32_t from_afar = 0;     // not 0: some others share no network with it
  uint32_t from_outside = 0;  // not 0: some others are on another machine
};
WaysIn ways_to(const Whereabouts& theirs);

// Where a counter is offered. It is plain data, to be sent to those who may ask.
struct CounterAddress {
  static constexpr int max_hosts = Whereabouts::max_interfaces + 1;
  char why_not[200] = "";  // empty: it is offered
  uint64_t token = 0, id = 0;
  char machine[160] = "";
  int hosts = 0;
  sockaddr_in6 host[max_hosts]{};  // IPv4 as mapped addresses; the loopback interface last
};

// A counter of this process. As long as the object lives, the counter is offered to others that come by these
// ways. `here` is the Whereabouts of this process.
class OfferedCounter {
 public:
  OfferedCounter(const Whereabouts& here, const WaysIn& ways);
  ~OfferedCounter();
  OfferedCounter(const OfferedCounter&) = delete;
  std::atomic<int64_t>& value() { return value_; }
  const CounterAddress& address() const { return address_; }

 private:
  std::atomic<int64_t> value_{0};
  CounterAddress address_;
};

// Asks a counter of another process. It connects at the first question, and again if the other side closed
// the connection to make room for others. A question that was not heard is asked again, and one that may have
// been heard never is: an address must have answered a question that changes nothing before it gets one that
// does. Thread-safe.
class CounterClient {
 public:
  enum class Operation : int64_t { add, set };
  explicit CounterClient(const CounterAddress& address) : address_(address) {}
  ~CounterClient();
  CounterClient(const CounterClient&) = delete;
  // Returns the value before the operation.
  Result<int64_t> ask(Operation operation, int64_t operand);

 private:
  bool connect();
  void disconnect();
  std::mutex mutex_;
  const CounterAddress address_;
  int socket_ = -1;
  int next_ = 0;          // index of the address to try, or of the one connected to
  bool reached_ = false;  // that address has answered
};

}  // namespace concilio::counter
