// The type signature of a datatype: which basic items it consists of, in the order of its type map, and how
// many bytes these take one after another, in memory (packed) and in a file. It does not say where items lie.
//
// A Signature is an immutable tree whose size is that of the datatype's description: 10^9 items of a nested
// type take a few nodes. A boundary between two items is given as a Place, which counts what is before it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/result.h"
#include "pattern/item.h"

namespace concilio::pattern {

struct Place {
  int64_t items = 0, native_bytes = 0, file_bytes = 0;
  bool operator==(const Place&) const = default;
};
using Axis = int64_t Place::*;  // what a position counts: &Place::items, ...

class Signature;
using SignatureRef = std::shared_ptr<const Signature>;

class Signature {
 public:
  static constexpr int max_depth = 4096;  // bounds the recursion

  // Builders. Both widths of an item, in memory and in a file, must be positive. They fail with kind `count`
  // where a total exceeds 64 bits, and with `unsupported` beyond max_depth.
  static SignatureRef empty();
  static SignatureRef item(const Item& item);
  static Result<SignatureRef> repeat(const SignatureRef& child, int64_t count);
  static Result<SignatureRef> sequence(std::span<const SignatureRef> parts);

  const Place& total() const { return total_; }
  int64_t widest_item_bytes() const { return widest_item_bytes_; }  // in a file; 0 if empty
  // The memory of the description. A child counts once for each parent, however often that has it.
  int64_t memory_bytes() const { return memory_bytes_; }

  // The last boundary at or before `position`, counted along `axis`; at the ends it is 0 and total(). Takes
  // O(depth log width).
  Place at(Axis axis, int64_t position) const;

  // Calls visit(item, count) for every stretch of equal items among the items [begin, end), in order. If
  // visit returns an error, stops and returns it.
  template <typename Visit>
  Status for_each(int64_t begin, int64_t end, Visit&& visit) const;

 private:
  enum class Kind { empty, run, loop, sequence };
  struct Maker;
  Signature() = default;

  Kind kind_ = Kind::empty;
  int depth_ = 0;
  int64_t memory_bytes_ = sizeof(Signature);
  Place total_;
  int64_t widest_item_bytes_ = 0;
  Item item_;                        // run: `count_` of it
  int64_t count_ = 0;                // run, loop
  std::vector<SignatureRef> parts_;  // loop: the one child; sequence
  std::vector<Place> starts_;        // sequence: of each part
};

template <typename Visit>
Status Signature::for_each(int64_t begin, int64_t end, Visit&& visit) const {
  begin = std::max<int64_t>(begin, 0);
  end = std::min(end, total_.items);
  if (begin >= end) return {};
  if (kind_ == Kind::run) return visit(item_, end - begin);
  if (kind_ == Kind::loop) {
    const Signature& child = *parts_[0];
    const int64_t each = child.total_.items;
    for (int64_t copy = begin / each, last = (end - 1) / each; copy <= last; ++copy) {
      if (auto status = child.for_each(begin - copy * each, end - copy * each, visit); !status) return status;
    }
    return {};
  }
  auto first = std::upper_bound(starts_.begin(), starts_.end(), begin,
                                [](int64_t item, const Place& start) { return item < start.items; });
  for (size_t i = static_cast<size_t>(first - starts_.begin()) - 1;
       i < parts_.size() && starts_[i].items < end; ++i) {
    const int64_t before = starts_[i].items;
    if (auto status = parts_[i]->for_each(begin - before, end - before, visit); !status) return status;
  }
  return {};
}

}  // namespace concilio::pattern
