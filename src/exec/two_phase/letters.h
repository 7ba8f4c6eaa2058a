// The messages by which leaders tell each other what their windows cover: one to or from each leader, in one
// buffer with room for the longest messages, as MPI_Alltoallv takes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "exec/windows/coverage.h"

namespace concilio::exec {

class Letters {
 public:
  // For messages of at most so many bytes to or from each node.
  explicit Letters(std::vector<int64_t> most_bytes)
      : counts_(most_bytes.size()), displacements_(most_bytes.size()), room_(std::move(most_bytes)) {
    int64_t total = 0;
    for (size_t node = 0; node < room_.size() && fit_; ++node) {
      displacements_[node] = static_cast<int>(total);
      total += room_[node];
      fit_ = std::in_range<int>(total);
    }
    if (fit_) bytes_.resize(static_cast<size_t>(total));
  }
  // Whether MPI can count all bytes. If not, there is no memory for them, and nothing may be added.
  bool fit() const { return fit_; }

  void clear() { std::fill(counts_.begin(), counts_.end(), 0); }
  void add(size_t node, int64_t value) {
    std::memcpy(rest(node).data(), &value, sizeof value);
    counts_[node] += static_cast<int>(sizeof value);
  }
  // Adds a description of what the parts' maps mark, after its length.
  Coverage add_coverage(size_t node, std::span<const WindowPart> parts) {
    const Coverage coverage = Coverage::of(parts, rest(node).subspan(sizeof(int64_t)));
    add(node, static_cast<int64_t>(coverage.bytes().size()));
    counts_[node] += static_cast<int>(coverage.bytes().size());
    return coverage;
  }
  std::span<const std::byte> letter(size_t node) const {
    return std::span(bytes_).subspan(static_cast<size_t>(displacements_[node]),
                                     static_cast<size_t>(counts_[node]));
  }
  // Whether there is room for what the counts say.
  bool have_room() const {
    return std::equal(counts_.begin(), counts_.end(), room_.begin(),
                      [](int count, int64_t room) { return count >= 0 && count <= room; });
  }
  std::byte* data() { return bytes_.data(); }
  std::vector<int>& counts() { return counts_; }
  const int* displacements() const { return displacements_.data(); }
  int64_t memory_bytes() const { return static_cast<int64_t>(bytes_.capacity()); }

 private:
  std::span<std::byte> rest(size_t node) {
    const auto used = static_cast<size_t>(counts_[node]);
    return std::span(bytes_).subspan(static_cast<size_t>(displacements_[node]) + used,
                                     static_cast<size_t>(room_[node]) - used);
  }
  std::vector<int> counts_, displacements_;
  std::vector<int64_t> room_;
  std::vector<std::byte> bytes_;
  bool fit_ = true;
};

}  // namespace concilio::exec
