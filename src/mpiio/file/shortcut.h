// What a small call that needs no other rank has to know to take the shortcut (transfer/by_shortcut.h).
// Whether a file's calls may go this way is worked out when its view, its hints or its mode change, and not
// by each call.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/counters.h"
#include "base/operation.h"

namespace concilio::mpiio {

// A part of the file's state, as plain numbers. Threads read it without a lock.
class Shortcut {
 public:
  // The view that calls of one operation go by: pieces of the file, all of one length and equally far apart.
  struct View {
    int64_t etype_bytes = 0;  // 0: these calls do not go by the shortcut
    int64_t displacement = 0;
    int64_t piece_bytes = 0;  // 0: the view is contiguous
    int64_t spacing = 0;      // from the begin of a piece to that of the next
  };
  // Callers keep apart.
  void set(Operation operation, const View& view) {
    Shared& shared = views_[static_cast<size_t>(operation)];
    const uint32_t version = shared.version.load(std::memory_order_relaxed);
    shared.version.store(version + 1, std::memory_order_relaxed);
    // Whoever sees one of these numbers sees the odd version too.
    shared.etype_bytes.store(view.etype_bytes, std::memory_order_release);
    shared.displacement.store(view.displacement, std::memory_order_release);
    shared.piece_bytes.store(view.piece_bytes, std::memory_order_release);
    shared.spacing.store(view.spacing, std::memory_order_release);
    shared.version.store(version + 2, std::memory_order_release);
  }
  // While another thread is in set(), no call goes by the shortcut.
  View view(Operation operation) const {
    const Shared& shared = views_[static_cast<size_t>(operation)];
    const uint32_t version = shared.version.load(std::memory_order_acquire);
    const View view{shared.etype_bytes.load(std::memory_order_acquire),
                    shared.displacement.load(std::memory_order_acquire),
                    shared.piece_bytes.load(std::memory_order_acquire),
                    shared.spacing.load(std::memory_order_acquire)};
    const bool whole = version % 2 == 0 && shared.version.load(std::memory_order_relaxed) == version;
    return whole ? view : View{};
  }

  // Which of the calls are timed.
  Sampling sampling;

 private:
  // The version is odd while the numbers change (a seqlock).
  struct Shared {
    std::atomic<uint32_t> version{0};
    std::atomic<int64_t> etype_bytes{0}, displacement{0}, piece_bytes{0}, spacing{0};
  };
  std::array<Shared, 2> views_;
};

}  // namespace concilio::mpiio
