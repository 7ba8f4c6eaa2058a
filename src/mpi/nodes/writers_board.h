// Keeps plain writes and rewriting apart, among the ranks of one open file on one node and their threads,
// without a system call. Rewriting means to read, modify and write back bytes that belong to others. A plain
// write is announced on the board while it is under way. A rank that rewrites first announces that, and then
// waits until the writes announced before are done. A plain write that finds somebody rewriting must lock its
// range of the file instead.
//
// Each side sets its own mark and then looks at the other side's (Dekker's algorithm, with sequentially
// consistent operations). So at least one of two that come at the same time sees the other.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/system/looks.h"

namespace concilio::mpi {

class WritersBoard {
 public:
  static int64_t bytes_needed(int local_size) {
    return (1 + int64_t{local_size}) * static_cast<int64_t>(sizeof(Mark));
  }
  // `memory` has bytes_needed(local_size) bytes, is zero-filled, and is shared by the ranks of the node.
  WritersBoard(std::byte* memory, int local_rank, int local_size)
      : marks_(reinterpret_cast<Mark*>(memory)), local_rank_(local_rank), local_size_(local_size) {}

  // Announces a plain write. Returns false if somebody is rewriting; then nothing is announced.
  bool begin_write() {
    std::atomic<uint32_t>& mine = marks_[1 + local_rank_].count;
    mine.fetch_add(1);
    if (marks_[0].count.load() == 0) return true;
    mine.fetch_sub(1);
    return false;
  }
  void end_write() { marks_[1 + local_rank_].count.fetch_sub(1, std::memory_order_release); }

  // From here on every write locks its range. Returns false, and rewriting has not begun, if a write that was
  // announced does not end in time: its rank may have been killed.
  bool begin_rewriting() {
    marks_[0].count.fetch_add(1);
    for (int i = 0; i < local_size_; ++i) {
      if (!wait_for(marks_[1 + i].count)) {
        end_rewriting();
        return false;
      }
    }
    return true;
  }
  void end_rewriting() { marks_[0].count.fetch_sub(1, std::memory_order_release); }

 private:
  // Each mark has a cache line of its own, so that ranks do not take it away from each other.
  struct alignas(64) Mark {
    std::atomic<uint32_t> count{0};
  };

  static bool wait_for(const std::atomic<uint32_t>& count) {
    constexpr int spins = 200;
    for (int i = 0; i < spins; ++i) {
      if (count.load() == 0) return true;
    }
    constexpr int64_t patience_ns = 20'000'000'000, first_sleep_ns = 20'000, longest_sleep_ns = 1'000'000;
    for (Looks looks(first_sleep_ns, longest_sleep_ns); looks.waited_ns() < patience_ns;) {
      looks.pause();
      if (count.load() == 0) return true;
    }
    return false;
  }

  Mark* marks_;
  int local_rank_, local_size_;
};

}  // namespace concilio::mpi
