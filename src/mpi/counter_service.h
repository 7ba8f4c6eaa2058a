// Numbers of this process that other hosts' processes may change, over TCP. One thread answers for all of
// them, started with the first; it uses no MPI, so that neither the program's thread level nor what its ranks
// are doing matters. Who knows the address and its random token may ask.
#pragma once

#include <netinet/in.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/result.h"

namespace concilio {

// Where a counter is offered; plain data, to be sent to those who may ask.
struct CounterAddress {
  static constexpr int max_hosts = 8;
  char why_not[200] = "";  // empty: it is offered
  uint64_t token = 0, id = 0;
  char machine[128] = "";  // which machine it is on: its loopback address leads elsewhere from others
  int hosts = 0;
  sockaddr_in6 host[max_hosts]{};  // IPv4 as mapped addresses; the loopback interface last
};

// A counter of this process, offered for as long as this lives.
class OfferedCounter {
 public:
  OfferedCounter();
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
