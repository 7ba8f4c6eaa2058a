#include "scorpio/ranks/group_size.h"

#include <algorithm>

#include "base/checked.h"

namespace concilio::scorpio {

int chosen_group_size(bool reads, int ranks, int ranks_per_node, int64_t bytes) {
  constexpr int64_t bytes_a_root = int64_t{256} << 20;
  const int most = reads ? 1024 : 16;
  const int least = static_cast<int>(ceil_divide(ranks_per_node, 4));
  int64_t size = ranks_per_node;
  if (bytes > 0) size = ranks / std::min<int64_t>(ranks, ceil_divide(bytes, bytes_a_root));
  size = std::clamp<int64_t>(size, std::min(least, most), std::min(most, ranks));
  // A group holds whole nodes, or a node holds groups of equal size.
  if (size >= ranks_per_node) return static_cast<int>(size / ranks_per_node * ranks_per_node);
  return static_cast<int>(ceil_divide(ranks_per_node, ceil_divide(ranks_per_node, size)));
}

}  // namespace concilio::scorpio
