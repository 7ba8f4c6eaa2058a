// Short calls of the program, and short requests to storage, that are not in an activity's bins yet. To find
// the bins of one takes as long as a good part of it. So they are noted here, at little cost, and enter the
// bins together. Their numbers and bytes are sums. The stretch of the file in which they lie is that of the
// first, and of those that lie near; the others, which are elsewhere, are taken to be like these.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/operation.h"

namespace concilio {

// The largest power of two that the offset is a multiple of; of offset 0, the largest there is.
inline size_t alignment_of(int64_t offset) {
  return std::min<size_t>(static_cast<size_t>(std::countr_zero(static_cast<uint64_t>(offset))), 63);
}

class ShortOnes {
 public:
  // What has so many bytes or more is not short, however fast it was.
  static constexpr int64_t end_bytes = 1 << 20;
  // A call of the program, a request to storage, or a call that was one request.
  enum class Kind : size_t { asked, stored, both };

  // Of the file.
  struct Stretch {
    int64_t begin = 0, end = 0;
  };
  // What is alike: of one kind, in one direction, and with lengths of 2^power bytes and more.
  struct Alike {
    int32_t number = 0;
    int32_t alignment = 0;  // of the first one, as of any other
    int64_t bytes = 0;
    Stretch where;
  };

  // Notes so many that have so many bytes each, from 1 to less than end_bytes, and lie in this stretch. The
  // first begins at `first`. `near`: bytes between what is told as one stretch.
  void add(Operation operation, Kind kind, int64_t number, int64_t bytes, const Stretch& where, int64_t first,
           int64_t near) {
    const auto power = static_cast<size_t>(std::bit_width(static_cast<uint64_t>(bytes)) - 1);
    const size_t group = static_cast<size_t>(kind) * 2 + static_cast<size_t>(operation);
    Alike& alike = alike_[group][power];
    if (alike.number == 0) {
      used_[group] |= uint32_t{1} << power;
      alike.alignment = static_cast<int32_t>(alignment_of(first));
      alike.where = where;
    } else if (where.begin - near <= alike.where.end && alike.where.begin - near <= where.end) {
      alike.where = {std::min(alike.where.begin, where.begin), std::max(alike.where.end, where.end)};
    }
    alike.number += static_cast<int32_t>(number);
    alike.bytes += number * bytes;
  }
  bool has_any() const {
    return std::ranges::any_of(used_, [](uint32_t used) { return used != 0; });
  }
  void clear() {
    take([](Operation, Kind, size_t, const Alike&) {});
  }
  // Calls use(operation, kind, power, alike) for all that were noted, and forgets them.
  template <typename Use>
  void take(const Use& use) {
    for (size_t group = 0; group < used_.size(); ++group) {
      for (uint32_t& used = used_[group]; used != 0; used &= used - 1) {
        const auto power = static_cast<size_t>(std::countr_zero(used));
        Alike& alike = alike_[group][power];
        use(static_cast<Operation>(group % 2), static_cast<Kind>(group / 2), power, alike);
        alike = {};
      }
    }
  }

 private:
  static constexpr size_t powers = std::bit_width(static_cast<uint64_t>(end_bytes)) - 1, groups = 6;
  std::array<uint32_t, groups> used_{};  // a bit for each that is not empty
  std::array<std::array<Alike, powers>, groups> alike_{};
};

}  // namespace concilio
