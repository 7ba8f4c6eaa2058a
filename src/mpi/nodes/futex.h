// Waiting and waking between processes of one node, through counters in memory they share. A waiter spins
// shortly, then sleeps in the kernel: unlike MPI's busy polling this leaves the cores to the ranks that have
// work.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace concilio {

// How a rank waits. MPI's progress rule holds while it sleeps: another rank may need a message of this one's
// to go on before it can come to the point that this one waits for, so every sleep is short and followed by
// `progress`.
struct WaitPolicy {
  int spins = 0;
  void (*progress)(void* context) = nullptr;
  void* context = nullptr;
  // Whether there is nobody left to wait for; asked after every sleep.
  bool (*in_vain)(void* context) = nullptr;
};

// A counter that only grows (and may wrap). Valid when zero-filled.
struct EventCounter {
  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};

  // Until the count is `target` or more; false: it is not, and the wait was in vain.
  bool wait_for(uint32_t target, const WaitPolicy& policy) {
    for (int i = 0; i < policy.spins; ++i) {
      if (reached(value.load(std::memory_order_acquire), target)) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
    }
    long sleep_ns = 1'000'000;
    for (bool in_vain = false;;) {
      uint32_t now = value.load(std::memory_order_acquire);
      if (reached(now, target)) return true;
      if (in_vain) return false;
      sleepers.fetch_add(1);
      timespec timeout{0, sleep_ns};
      long outcome = syscall(SYS_futex, &value, FUTEX_WAIT, now, &timeout, nullptr, 0);
      sleepers.fetch_sub(1);
      if (outcome != 0 && policy.progress) {
        policy.progress(policy.context);
        if (sleep_ns < 8'000'000) sleep_ns *= 2;
      }
      // What came meanwhile counts: it is looked at once more.
      in_vain = policy.in_vain && policy.in_vain(policy.context);
    }
  }
  void increment() {
    value.fetch_add(1);
    if (sleepers.load() != 0) syscall(SYS_futex, &value, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }

 private:
  static bool reached(uint32_t now, uint32_t target) {
    return static_cast<int32_t>(now - target) >= 0;
  }
};

// Counts arrivals in groups of `ranks`: the last of a group passes the gate on, so that a waiter is woken
// once a group and not once an arrival. Valid when zero-filled.
struct Gate {
  std::atomic<uint64_t> arrivals{0};  // must not wrap: the ranks of a node need not be a power of two
  EventCounter passed;

  // True for the last of the group, before it has opened the gate: it calls open() when it is done.
  bool arrive(uint32_t ranks) { return (arrivals.fetch_add(1) + 1) % ranks == 0; }
  void open() { passed.increment(); }
  // Takes one's arrival in a group (the first is 1) back; false: all of it have come.
  bool withdraw(uint64_t group, uint32_t ranks) {
    uint64_t now = arrivals.load();
    while (now < group * ranks) {
      if (arrivals.compare_exchange_weak(now, now - 1)) return true;
    }
    return false;
  }
};

}  // namespace concilio
