// What a rank knows of one file that it has open, in the form in which `concilio run` finds it however the
// rank ends: the rank keeps it in a file that is mapped into its memory, so counting makes no system call,
// and even SIGKILL leaves what was counted.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/activity/activity.h"
#include "base/activity/closed_totals.h"
#include "base/counters.h"

namespace concilio {

// The call that a rank is in.
enum class LiveCall : int32_t { none, read, write, collective_read, collective_write, close };

// Text of a bounded length, whose beginning is left out where it is too long.
template <size_t size>
struct LiveText {
  std::array<char, size> bytes{};
  void set(std::string_view text) {
    if (text.size() > size) text.remove_prefix(text.size() - size);
    text.copy(bytes.data(), size);
    if (text.size() < size) bytes[text.size()] = '\0';
  }
  // Whether set() was last called with this.
  bool is(std::string_view text) const {
    if (text.size() > size) text.remove_prefix(text.size() - size);
    return (text.size() == size || bytes[text.size()] == '\0') &&
           std::memcmp(bytes.data(), text.data(), text.size()) == 0;
  }
  std::string_view view() const {
    const std::string_view all(bytes.data(), size);
    return all.substr(0, all.find('\0'));
  }
};

struct LiveRecord {
  enum class State : int32_t { unused, taken, open };
  std::atomic<State> state{State::unused};  // the rest is complete if this is `open`
  int32_t activity = 0;                     // the place of its activity, counted from 1; 0: none is shown
  int32_t rank = 0;                         // of MPI_COMM_WORLD
  int32_t ranks = 0, nodes = 0;             // of the file's communicator
  int64_t open_ns = 0;                      // how long the open took
  LiveText<512> path;
  Counters counters;
  std::atomic<LiveCall> call{LiveCall::none};
  std::atomic<int64_t> call_since_ns{0};  // by now_ns()
  std::atomic<bool> has_error{false};     // whether the next member is complete
  LiveText<240> first_error;              // the message of the first call that failed
};
static_assert(std::atomic<LiveRecord::State>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

// Files that were closed, and of which the first rank has told nothing yet: it keeps what all ranks counted.
struct BriefOpens {
  // In place of a name, where there are more files than are told of one by one.
  static constexpr const char* several = "(files that were open briefly)";
  std::atomic<bool> used{false};
  int32_t ranks = 0, nodes = 0;  // the most of any open
  int64_t opens = 0;
  LiveText<512> path;  // empty: of several files
  ClosedTotals totals;
  LiveText<240> first_error;  // empty: there was none
};

// The records of a rank, as its file holds them. A rank with more open files keeps the others to itself, and
// so it does with activities, which are large: many ranks share a folder in memory, and in a container that
// may hold 64 MiB. In a new file all is zero, as in a record that nobody has taken.
struct LiveRecords {
  static constexpr uint64_t known_layout =
      0x434f4e4c00000000 + (sizeof(LiveRecord) + sizeof(ActivityData) + sizeof(BriefOpens)) * 256 +
      counter_count;
  uint64_t layout = known_layout;  // others were written by another version of the library
  std::array<LiveRecord, 64> records;
  std::array<ActivityData, 8> activities;
  // Of one file each; the last is of all files for which there is no other.
  static constexpr size_t most_brief = 33;
  std::array<BriefOpens, most_brief> brief;
};
static_assert(sizeof(LiveRecords) <= 208 << 10);

}  // namespace concilio
