#include "exec/two_phase/fetch.h"

#include <algorithm>
#include <array>

#include "exec/alone/list.h"
#include "exec/windows/flush.h"
#include "exec/windows/window_parts.h"
#include "plan/choose/sparse_reads.h"

namespace concilio::exec {
namespace {

constexpr size_t most_fetched_at_once = 256;

// The file offset behind the last of the `got` bytes that were read along the transfers; `end` if they are
// all.
int64_t end_of_data(std::span<const store::Transfer> transfers, int64_t got, int64_t end) {
  for (const store::Transfer& transfer : transfers) {
    if (got < transfer.length) return transfer.offset + got;
    got -= transfer.length;
  }
  return end;
}

// Empties the maps of a window again, whatever happens.
class MapsInUse {
 public:
  explicit MapsInUse(std::span<WindowPart> parts) : parts_(parts) {}
  MapsInUse(const MapsInUse&) = delete;
  MapsInUse& operator=(const MapsInUse&) = delete;
  ~MapsInUse() {
    for (WindowPart& part : parts_) part.map.clear();
  }

 private:
  std::span<WindowPart> parts_;
};

// Calls f(rank's description, part, data) for all data that any rank asks for in a window.
template <typename F>
void for_each_wanted(const Descriptions& known, std::span<const pattern::Interval> window, F&& f) {
  const auto of_node = [&](const DescribedNode& node) {
    for_each_stretch(node, window, [&](size_t rank, size_t part, pattern::Interval data, int64_t) {
      f(node.ranks[rank], part, data);
    });
  };
  of_node(known.own());
  for (const DescribedNode& node : known.senders()) of_node(node);
}

Result<int64_t> fetch_whole(const RunningCall& call, std::span<const WindowPart> parts,
                            std::vector<store::Transfer>& transfers) {
  transfers.clear();
  for (const WindowPart& part : parts) transfers.push_back({part.file.begin, part.data, part.file.length()});
  Result<int64_t> got = call.opened.storage.read(transfers, stretches_go_at_once(call, transfers.size()));
  if (!got) return got;
  return end_of_data(transfers, *got, parts.back().file.end);
}

// Reads stretches of a window, many with each call of the storage.
class StretchReader {
 public:
  StretchReader(const RunningCall& call, std::span<const WindowPart> parts)
      : call_(call), all_(parts.back().file.end), end_(all_) {}

  // Whether the file has bytes behind those that have been read.
  bool goes_on() const { return end_ == all_; }
  Status add(const WindowPart& part, pattern::Interval stretch) {
    batch_[count_++] = {stretch.begin, part.data + (stretch.begin - part.file.begin), stretch.length()};
    return count_ < batch_.size() ? Status() : read();
  }
  // Returns the file offset behind the last byte that exists.
  Result<int64_t> end() {
    if (count_ > 0) {
      if (Status status = read(); !status) return status.error();
    }
    return end_;
  }

 private:
  Status read() {
    const std::span<const store::Transfer> transfers(batch_.data(), count_);
    const Outcome got = move_batch(call_, Operation::read, transfers);
    if (!got) return got.error();
    end_ = end_of_data(transfers, *got, all_);
    count_ = 0;
    return {};
  }

  const RunningCall& call_;
  const int64_t all_;
  int64_t end_;
  std::array<store::Transfer, most_fetched_at_once> batch_;
  size_t count_ = 0;
};

// Reads the bytes that the parts' maps mark. What lies between two of them is read too where that costs less
// than another request. Then the maps mark that as well.
Result<int64_t> fetch_marked(const RunningCall& call, std::span<WindowPart> parts) {
  const int64_t gap_bytes = gap_worth_reading(call.opened.prices());
  StretchReader stretches(call, parts);
  for (WindowPart& part : parts) {
    pattern::Interval joined;
    const auto read = [&]() -> Status {
      if (joined.empty() || !stretches.goes_on()) return {};
      part.map.mark(joined);
      return stretches.add(part, joined);
    };
    for (const pattern::Interval wanted : part.map.covered()) {
      if (!joined.empty() && wanted.begin - joined.end <= gap_bytes) {
        joined.end = wanted.end;
        continue;
      }
      if (Status status = read(); !status) return status.error();
      joined = wanted;
    }
    if (Status status = read(); !status) return status.error();
  }
  return stretches.end();
}

// Reads those bytes of wanted stretches that the maps do not mark as read.
class Missing {
 public:
  Missing(const RunningCall& call, std::span<const WindowPart> parts)
      : gap_bytes_(gap_worth_reading(call.opened.prices())), stretches_(call, parts) {}

  // Wanted stretches come in ascending order.
  void add(const WindowPart& part, pattern::Interval wanted) {
    for (pattern::Interval hole = part.map.next_hole(wanted.begin); !hole.empty() && hole.begin < wanted.end;
         hole = part.map.next_hole(hole.end)) {
      hole.end = std::min(hole.end, wanted.end);
      if (part_ == &part && joins(part, hole)) {
        stretch_.end = hole.end;
      } else {
        read();
        part_ = &part;
        stretch_ = hole;
      }
    }
  }
  Result<int64_t> end() {
    read();
    if (!outcome_) return outcome_.error();
    return stretches_.end();
  }

 private:
  // What has been read is not read again: ranks of this node may be using it.
  bool joins(const WindowPart& part, pattern::Interval hole) const {
    const pattern::Interval known = part.map.next_covered(stretch_.end);
    return hole.begin - stretch_.end <= gap_bytes_ && (known.empty() || known.begin >= hole.begin);
  }
  void read() {
    if (!part_ || !outcome_ || !stretches_.goes_on()) return;
    outcome_ = stretches_.add(*part_, stretch_);
    pattern::CoverageMap(part_->map).mark(stretch_);
  }

  const int64_t gap_bytes_;
  StretchReader stretches_;
  const WindowPart* part_ = nullptr;
  pattern::Interval stretch_;
  Status outcome_;
};

Result<int64_t> fetch_told(const RunningCall& call, std::span<WindowPart> parts, const Descriptions& told,
                           std::vector<store::Transfer>& transfers) {
  std::vector<pattern::Interval> window;
  for (const WindowPart& part : parts) window.push_back(part.file);
  int64_t wanted_bytes = 0;
  for_each_wanted(told, window,
                  [&](const Description&, size_t, pattern::Interval data) { wanted_bytes += data.length(); });
  if (!plan::is_sparse(wanted_bytes, total_bytes(parts))) return fetch_whole(call, parts, transfers);
  const MapsInUse maps(parts);
  for_each_wanted(told, window, [&](const Description& rank, size_t part, pattern::Interval data) {
    parts[part].map.mark(rank.file, data.begin, data.end);
  });
  return fetch_marked(call, parts);
}

}  // namespace

Result<int64_t> fetch_window(const RunningCall& call, std::span<WindowPart> parts, const Wanted& wanted,
                             std::vector<store::Transfer>& transfers) {
  if (wanted.told) return fetch_told(call, parts, *wanted.told, transfers);
  if (!wanted.marked) return fetch_whole(call, parts, transfers);
  if (plan::is_sparse(covered_bytes(parts), total_bytes(parts))) return fetch_marked(call, parts);
  for (WindowPart& part : parts) part.map.mark(part.file);
  return fetch_whole(call, parts, transfers);
}

Result<int64_t> fetch_missing(const RunningCall& call, std::span<WindowPart> parts, const Coverage* wanted) {
  Missing missing(call, parts);
  if (wanted) {
    wanted->for_each(parts,
                     [&](const WindowPart& part, pattern::Interval stretch) { missing.add(part, stretch); });
  } else {
    for (const WindowPart& part : parts) missing.add(part, part.file);
  }
  return missing.end();
}

}  // namespace concilio::exec
