// Numbers of this process that other hosts' processes may change, over TCP. One thread answers for all of
// them, started with the first, which sleeps until somebody comes; it uses no MPI, so that neither the
// program's thread level nor what its ranks are doing matters. Who knows the address and its random token may
// ask. Anybody may connect, though: so it listens only where those who may ask can come from, has few
// connections to strangers at a time, and each of them for seconds only.
#pragma once

#include <netinet/in.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/result.h"

namespace concilio {

// Where a process can be found; plain data, to be sent to others.
struct Whereabouts {
  static constexpr int max_interfaces = 8;
  char machine[160] = "";  // and which network of it: loopback addresses lead elsewhere from others
  int interfaces = 0;      // those that lead to other hosts
  struct Interface {
    in6_addr address, mask;  // IPv4 as mapped addresses
  } interface[max_interfaces] {
  };
};
Whereabouts own_whereabouts();

// By which interfaces of a process others can come to it, as far as their networks tell; those of several
// others are combined by a bitwise or.
struct WaysIn {
  uint32_t interfaces = 0;    // a bit each, of those in a network of another's own
  uint32_t from_afar = 0;     // not 0: some are in no network of it
  uint32_t from_outside = 0;  // not 0: some are on another machine
};
WaysIn ways_to(const Whereabouts& theirs);

// Where a counter is offered; plain data, to be sent to those who may ask.
struct CounterAddress {
  static constexpr int max_hosts = Whereabouts::max_interfaces + 1;
  char why_not[200] = "";  // empty: it is offered
  uint64_t token = 0, id = 0;
  char machine[160] = "";
  int hosts = 0;
  sockaddr_in6 host[max_hosts]{};  // IPv4 as mapped addresses; the loopback interface last
};

// A counter of this process, offered for as long as this lives to those who come by these ways of `here`,
// which is this process's own.
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

// Asks another process. Connects at the first question, and again where the connection was given up to make
// room for others: a question that was not heard is asked again, one that was heard never. Thread-safe.
class CounterClient {
 public:
  enum class Operation : int64_t { add, set };
  explicit CounterClient(const CounterAddress& address) : address_(address) {}
  ~CounterClient();
  CounterClient(const CounterClient&) = delete;
  // The value before.
  Result<int64_t> ask(Operation operation, int64_t operand);

 private:
  bool connect();
  void disconnect();
  std::mutex mutex_;
  const CounterAddress address_;
  int socket_ = -1;
  int next_ = 0;          // the address to try, or the one connected to
  bool reached_ = false;  // that address has answered
};

}  // namespace concilio
