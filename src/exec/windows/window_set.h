// In which windows of a realm a node has data, for nodes that exchange images. A node tells it to the
// aggregator once for a pattern. From then on both know in which rounds the node takes part, and it sends
// nothing in the others.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "exec/call/running_call.h"
#include "plan/layout/layout.h"

namespace concilio::exec {

class WindowSet {
 public:
  // An empty set. All its memory is allocated here.
  explicit WindowSet(const plan::Realm& realm);
  // No set of the realm's windows is longer, and its image is not shorter.
  static int64_t most_bytes(const plan::Realm& realm);

  bool has(int64_t round) const { return (marks_[word(round)] & bit(round)) != 0; }
  // The set as it is sent.
  std::byte* data() { return reinterpret_cast<std::byte*>(marks_.data()); }
  int64_t bytes() const { return static_cast<int64_t>(marks_.size() * sizeof(uint64_t)); }

  // Adds the windows in which a request has data. `parts` has room for those of any window.
  void add(const Request& request, const plan::Realm& realm, std::vector<pattern::Interval>& parts);
  // Adds this set to one in memory that ranks share, while others may be doing so too.
  void add_to(uint64_t* shared) const;
  void copy_from(const uint64_t* shared) { std::copy_n(shared, marks_.size(), marks_.begin()); }

 private:
  size_t word(int64_t round) const { return static_cast<size_t>(round / windows_per_mark_ / 64); }
  uint64_t bit(int64_t round) const { return uint64_t{1} << (round / windows_per_mark_ % 64); }

  // In a realm of very many windows a mark stands for several in succession. So a set is small, and a node
  // may take part in a few rounds too many.
  int64_t windows_per_mark_ = 1;
  std::vector<uint64_t> marks_;
};

}  // namespace concilio::exec
