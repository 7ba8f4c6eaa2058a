// Processes of one node wait for each other, and wake each other, through counters in memory that they share.
// A waiting rank spins for a short time and then sleeps in the kernel. Unlike MPI's busy polling, this leaves
// the cores to the ranks that have work.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/system/core_offer.h"
#include "base/waiting.h"

namespace concilio::mpi {

// Spinning for so many iterations takes about half a millisecond. As long as a rank has a core to itself,
// sleeping and being woken costs more than looking again.
inline constexpr int spins_with_own_core = 20000;
// Offering a core that nobody wants takes about half a microsecond, and being woken 20 or more.
inline constexpr int yields_on_shared_core = 32;

// How a rank waits. MPI's progress rule must hold while a rank sleeps: the rank it waits for may itself need
// a message from the sleeping one before it can continue. Therefore every sleep is short and followed by a
// call of `progress`.
struct WaitPolicy {
  int spins = 0;
  void (*progress)(void* context) = nullptr;
  void* context = nullptr;
  // Tells whether one who may be awaited was last seen on the caller's core.
  bool (*core_is_shared)(void* context) = nullptr;
  // Tells whether to stop waiting, because nobody is left who would end the wait, or the caller's patience is
  // at its end. Called after every sleep.
  bool (*in_vain)(void* context) = nullptr;
  // After spinning, offers the core so many times before it sleeps. Where ranks share cores, whoever is
  // awaited is often next on this one; then no rank has to be woken.
  int yields = 0;
  // Messages of this rank are under way that others wait for: progress is made while it spins too, and
  // sleeps are shorter.
  bool messages = false;
};

// A counter that only grows, and may wrap around. Zero-filled memory is a valid counter.
struct EventCounter {
  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};

  // Whether the count is at least `target`, which it then stays.
  bool has_reached(uint32_t target) const { return reached(value.load(std::memory_order_acquire), target); }
  // Waits until the count is at least `target`. Returns false if it is not and in_vain() said to stop.
  bool wait_for(uint32_t target, const WaitPolicy& policy) {
    for (int i = 0; i < policy.spins; ++i) {
      if (reached(value.load(std::memory_order_acquire), target)) return true;
#if defined(__x86_64__)
      __builtin_ia32_pause();
#endif
      // Whoever is awaited may itself wait for this core, because other programs run on this machine, or
      // ranks that count as another node's.
      if (i % spins_between_yields == spins_between_yields - 1) {
        // Where the system is fair to groups of processes, it may decline an offer to one of the same group.
        if (policy.core_is_shared && policy.core_is_shared(policy.context)) break;
        if (core_is_wanted(i, policy)) break;
        if (policy.messages) policy.progress(policy.context);
      }
    }
    for (int i = 0; i < policy.yields; ++i) {
      if (has_reached(target)) return true;
      if (!offer_core()) break;
    }
    int64_t sleep_ns = policy.messages ? sleep_with_messages_ns : 1'000'000;
    for (bool in_vain = false;;) {
      uint32_t now = value.load(std::memory_order_acquire);
      if (reached(now, target)) return true;
      if (in_vain) return false;
      sleepers.fetch_add(1);
      const bool woken = sleep_while(value, now, sleep_ns);
      sleepers.fetch_sub(1);
      if (!woken && policy.progress) {
        policy.progress(policy.context);
        if (!policy.messages && sleep_ns < 8'000'000) sleep_ns *= 2;
      }
      // The count is read once more even if waiting is to stop: it may have changed meanwhile.
      in_vain = policy.in_vain && policy.in_vain(policy.context);
    }
  }
  void increment() {
    value.fetch_add(1);
    if (sleepers.load() != 0) wake_sleepers(value);
  }

 private:
  static constexpr int spins_between_yields = 256;
  // To look after messages takes some microseconds. A network moves a few hundred KiB in that time, which is
  // less than MPI hands to it at a time.
  static constexpr int64_t sleep_with_messages_ns = 100'000;
  // Offers the core to others, after so many iterations. Returns whether one of them has used it: then
  // spinning only takes it away again. Where others had it for long lately, the caller spins on, as MPI's own
  // waiting does, if it knows that they are not those who are awaited; if not, for as long as being woken may
  // take.
  static bool core_is_wanted(int spun, const WaitPolicy& policy) {
    constexpr int64_t longest_vain_offer_ns = 5000;
    constexpr int spins_before_sleep = 2048;
    const int64_t before_ns = now_ns();
    const bool may_spin = offer_core() || policy.core_is_shared || spun < spins_before_sleep;
    return !may_spin || now_ns() - before_ns > longest_vain_offer_ns;
  }
  static bool reached(uint32_t now, uint32_t target) {
    return static_cast<int32_t>(now - target) >= 0;
  }
};

// A gate counts arrivals in groups of `ranks`. The last arrival of a group opens the gate, so that waiting
// ranks are woken once for each group and not once for each arrival. Zero-filled memory is a valid gate.
struct Gate {
  std::atomic<uint64_t> arrivals{0};  // must not wrap, because a group's size need not be a power of two
  EventCounter passed;

  // Returns true to the last of the group, before the gate is open: that rank calls open() when it has done
  // its work.
  bool arrive(uint32_t ranks) { return (arrivals.fetch_add(1) + 1) % ranks == 0; }
  void open() { passed.increment(); }
  // Takes back this rank's arrival in a group (groups are counted from 1). Returns false if the group is
  // complete already, so that it is too late.
  bool withdraw(uint64_t group, uint32_t ranks) {
    uint64_t now = arrivals.load();
    while (now < group * ranks) {
      if (arrivals.compare_exchange_weak(now, now - 1)) return true;
    }
    return false;
  }
};

}  // namespace concilio::mpi
