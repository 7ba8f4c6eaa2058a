#include "pattern/nest.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/checked.h"
#include "base/permanent.h"

namespace concilio::pattern {

namespace {

uint64_t mix(uint64_t hash, uint64_t value) {
  uint64_t x = (hash ^ value) + 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

uint64_t mix(uint64_t hash, int64_t value) {
  return mix(hash, static_cast<uint64_t>(value));
}

// Makes `granule` divide `value` too. Almost always it already does, and a remainder is cheaper than a gcd.
void refine(int64_t& granule, int64_t value) {
  if (granule != 0 && value % granule == 0) return;
  granule = std::gcd(granule, value);
}

Error overflow(const char* what) {
  return Error{ErrorKind::count, 0, std::string("the ") + what + " of a datatype does not fit 64 bits"};
}

// Calls visit(offset, length) for every piece, after pieces of no bytes are dropped and pieces that touch are
// merged. Returns false on overflow.
template <typename Visit>
bool for_each_merged(const PieceLists& pieces, Visit&& visit) {
  const bool uniform = pieces.lengths.size() == 1;
  int64_t begin = 0, end = 0;
  bool any = false;
  for (size_t i = 0; i < pieces.offsets.size(); ++i) {
    const int64_t count = pieces.lengths[uniform ? 0 : i];
    if (count == 0) continue;
    int64_t offset, length, piece_end;
    if (__builtin_mul_overflow(pieces.offsets[i], pieces.unit, &offset) ||
        __builtin_add_overflow(offset, pieces.shift, &offset) ||
        __builtin_mul_overflow(count, pieces.length_unit, &length) ||
        __builtin_add_overflow(offset, length, &piece_end))
      return false;
    if (any && offset == end) {
      int64_t merged;
      if (__builtin_sub_overflow(piece_end, begin, &merged)) return false;
    } else {
      if (any) visit(begin, end - begin);
      begin = offset;
      any = true;
    }
    end = piece_end;
  }
  if (any) visit(begin, end - begin);
  return true;
}

}  // namespace

// Makes nodes from arguments that are already normalised, and computes their properties.
struct NestMaker {
  // A Nest that can be made: its own constructor is not for others.
  struct Made : Nest {
    Made() = default;
    explicit Made(Kind kind) { begin(*this, kind); }
    explicit Made(Run run) : Made(Kind::run) { (void)become(*this, run); }
  };
  static void begin(Nest& nest, Nest::Kind kind) {
    nest.kind_ = kind;
    nest.hash_ = mix(uint64_t{0x636f6e63696c696fu}, static_cast<int64_t>(kind));
    nest.memory_bytes_ = static_cast<int64_t>(sizeof(Nest));
  }
  static std::shared_ptr<Nest> node(Nest::Kind kind) { return std::make_shared<Made>(kind); }

  // Nobody counts who has these two.
  static NestRef empty() {
    static const Permanent<Made> nest(Nest::Kind::empty);
    return {NestRef(), &*nest};
  }
  static NestRef one_byte() {
    static const Permanent<Made> nest(Run{0, 1, 1, 1});
    return {NestRef(), &*nest};
  }

  static Status become(Nest& nest, Run run) {
    if (run.count == 1) run.stride = run.length;
    const auto size = checked_multiply(run.length, run.count);
    if (!size) return overflow("size");
    if (Status spread = place(nest, run, 0, run.length); !spread) return spread;
    nest.run_ = run;
    nest.size_ = *size;
    nest.pieces_ = run.count;
    nest.granule_ = run.count == 1 ? run.length : std::gcd(run.length, run.stride);
    nest.monotone_ = run.count == 1 || run.stride >= run.length;
    for (int64_t value : {run.length, run.stride, run.count}) nest.hash_ = mix(nest.hash_, value);
    return {};
  }
  static Result<NestRef> run(Run run) {
    auto nest = node(Nest::Kind::run);
    if (Status made = become(*nest, run); !made) return made.error();
    return NestRef(std::move(nest));
  }

  static Result<NestRef> loop(NestRef child, int64_t count, int64_t stride, int64_t offset) {
    auto nest = node(Nest::Kind::loop);
    const Run shape{offset, 0, count == 1 ? 0 : stride, count};
    const auto size = checked_multiply(child->size_, count);
    if (!size) return overflow("size");
    const Status spread = place(*nest, shape, child->lower_, child->upper_);
    if (!spread) return spread.error();
    const Status depth = deepen(*nest, *child);
    if (!depth) return depth.error();
    nest->run_ = shape;
    nest->size_ = *size;
    nest->pieces_ = child->pieces_ * count;
    nest->granule_ = std::gcd(child->granule_, shape.stride);
    nest->monotone_ = child->monotone_ && (count == 1 || stride >= child->upper_ - child->lower_);
    nest->memory_bytes_ += child->memory_bytes_;
    nest->hash_ = count == 1 ? child->hash_ : mix(mix(mix(nest->hash_, stride), count), child->hash_);
    nest->child_ = std::move(child);
    return NestRef(std::move(nest));
  }

  // Sets the bounds of `shape.count` copies of [lower, upper).
  static Status place(Nest& nest, const Run& shape, int64_t lower, int64_t upper) {
    const auto reach = checked_multiply(shape.stride, shape.count - 1);
    const auto last = reach ? checked_add(shape.offset, *reach) : std::nullopt;
    if (!last) return overflow("extent");
    const auto [low, high] = std::minmax(shape.offset, *last);
    const auto from = checked_add(low, lower), to = checked_add(high, upper);
    if (!from || !to) return overflow("extent");
    return set_bounds(nest, *from, *to);
  }

  static Status set_bounds(Nest& nest, int64_t lower, int64_t upper) {
    int64_t span;
    if (__builtin_sub_overflow(upper, lower, &span)) return overflow("extent");
    nest.lower_ = lower;
    nest.upper_ = upper;
    return {};
  }

  static Status deepen(Nest& nest, const Nest& child) {
    if (child.depth_ >= Nest::max_depth) {
      return Error{ErrorKind::unsupported, 0, "a datatype is nested more than 4096 levels deep"};
    }
    nest.depth_ = std::max(nest.depth_, child.depth_ + 1);
    return {};
  }

  static Result<NestRef> blocks(const PieceLists& pieces);
  static Result<NestRef> sequence(std::vector<Nest::Part> parts);
  static Result<NestRef> shift(const NestRef& child, int64_t offset) {
    return Nest::repeat(child, 1, 0, offset);
  }

  // Whether a and then b form one run; it becomes `run`.
  static bool joined(Run a, Run b, Run& run) {
    if (a.length != b.length) return false;
    const int64_t stride = a.count > 1 ? a.stride : b.stride;
    if (b.count > 1 && b.stride != stride) return false;
    int64_t end;
    if (__builtin_mul_overflow(a.count, stride, &end) || __builtin_add_overflow(a.offset, end, &end))
      return false;
    if (b.offset != end) return false;
    run = Run{a.offset, a.length, stride, a.count + b.count};
    return true;
  }

  static bool same(const Nest& a, const Nest& b) {
    if (&a == &b) return true;
    if (a.hash_ != b.hash_ || a.kind_ != b.kind_ || a.size_ != b.size_) return false;
    if (a.run_.offset != b.run_.offset || a.run_.length != b.run_.length || a.run_.stride != b.run_.stride ||
        a.run_.count != b.run_.count || a.offsets_ != b.offsets_ || a.positions_ != b.positions_) {
      return false;
    }
    if (a.child_ && !same(*a.child_, *b.child_)) return false;
    return std::equal(a.parts_.begin(), a.parts_.end(), b.parts_.begin(), b.parts_.end(),
                      [](const Nest::Part& x, const Nest::Part& y) {
                        return x.offset == y.offset && same(*x.child, *y.child);
                      });
  }
};

Result<NestRef> NestMaker::blocks(const PieceLists& pieces) {
  // The first pass finds out what the pieces are like. It stores nothing yet.
  struct {
    int64_t count = 0, size = 0, first = 0, length = 0, stride = 0, granule = 0;
    int64_t previous_length = 0, previous_step = 0;
    int64_t lower = std::numeric_limits<int64_t>::max(), upper = std::numeric_limits<int64_t>::min();
    int64_t previous = 0, previous_end = 0;
    bool alike = true, regular = true, monotone = true, overflow = false;
  } seen;
  const bool fits = for_each_merged(pieces, [&](int64_t offset, int64_t length) {
    int64_t step = 0, distance = 0;
    if (seen.count == 0) {
      seen.first = offset;
      seen.length = length;
    } else {
      seen.overflow |= __builtin_sub_overflow(offset, seen.previous, &step);
      seen.overflow |= __builtin_sub_overflow(offset, seen.first, &distance);
      if (seen.count == 1) seen.stride = step;
      seen.alike &= length == seen.length;
      seen.regular &= step == seen.stride;
      seen.monotone &= offset >= seen.previous_end;
    }
    seen.overflow |= __builtin_add_overflow(seen.size, length, &seen.size);
    // What divides all steps divides all distances from the first piece. Most pieces are like the one before,
    // and a comparison is cheaper than a remainder.
    if (length != seen.previous_length) refine(seen.granule, length);
    if (step != seen.previous_step) refine(seen.granule, step);
    seen.previous_length = length;
    seen.previous_step = step;
    seen.lower = std::min(seen.lower, offset);
    seen.upper = std::max(seen.upper, offset + length);
    seen.previous = offset;
    seen.previous_end = offset + length;
    ++seen.count;
  });
  if (!fits || seen.overflow) return overflow("extent");
  if (seen.count == 0) return empty();
  if (seen.alike && seen.regular) return run(Run{seen.first, seen.length, seen.stride, seen.count});

  auto nest = node(Nest::Kind::blocks);
  const Status spread = set_bounds(*nest, seen.lower, seen.upper);
  if (!spread) return spread.error();
  nest->size_ = seen.size;
  nest->pieces_ = seen.count;
  nest->granule_ = seen.granule;
  nest->monotone_ = seen.monotone;
  nest->run_.length = seen.alike ? seen.length : 0;
  nest->offsets_.reserve(static_cast<size_t>(seen.count));
  if (!seen.alike) nest->positions_.reserve(static_cast<size_t>(seen.count) + 1);
  uint64_t hash = mix(nest->hash_, nest->run_.length);
  int64_t position = 0;
  for_each_merged(pieces, [&](int64_t offset, int64_t length) {
    nest->offsets_.push_back(offset);
    hash = mix(hash, offset - seen.first);
    if (!seen.alike) {
      nest->positions_.push_back(position);
      hash = mix(hash, length);
    }
    position += length;
  });
  if (!seen.alike) nest->positions_.push_back(position);
  nest->hash_ = hash;
  nest->memory_bytes_ +=
      static_cast<int64_t>((nest->offsets_.size() + nest->positions_.size()) * sizeof(int64_t));
  return NestRef(std::move(nest));
}

Result<NestRef> NestMaker::sequence(std::vector<Nest::Part> parts) {
  auto nest = node(Nest::Kind::sequence);
  int64_t granule = 0, lower = std::numeric_limits<int64_t>::max(),
          upper = std::numeric_limits<int64_t>::min();
  int64_t first = 0, previous_upper = 0;
  std::unordered_set<const Nest*> children;
  const Nest* previous_child = nullptr;
  nest->positions_.reserve(parts.size() + 1);
  for (size_t i = 0; i < parts.size(); ++i) {
    Nest::Part& part = parts[i];
    const Nest& child = *part.child;
    const auto from = checked_add(part.offset, child.lower_), to = checked_add(part.offset, child.upper_);
    if (!from || !to) return overflow("extent");
    if (i == 0) first = *from;
    int64_t distance;
    if (__builtin_sub_overflow(*from, first, &distance)) return overflow("extent");
    refine(granule, child.granule_);
    refine(granule, distance);
    nest->monotone_ &= child.monotone_ && (i == 0 || *from >= previous_upper);
    lower = std::min(lower, *from);
    upper = std::max(upper, *to);
    previous_upper = *to;
    part.data_position = nest->size_;
    nest->positions_.push_back(nest->pieces_);
    nest->pieces_ += child.pieces_;
    const auto size = checked_add(nest->size_, child.size_);
    if (!size) return overflow("size");
    nest->size_ = *size;
    nest->hash_ = mix(mix(nest->hash_, distance), child.hash_);
    if (&child == previous_child) continue;
    previous_child = &child;
    const Status depth = deepen(*nest, child);
    if (!depth) return depth.error();
    if (children.insert(&child).second) nest->memory_bytes_ += child.memory_bytes_;
  }
  const Status spread = set_bounds(*nest, lower, upper);
  if (!spread) return spread.error();
  nest->positions_.push_back(nest->pieces_);
  nest->granule_ = granule;
  parts.shrink_to_fit();
  nest->parts_ = std::move(parts);
  nest->memory_bytes_ += static_cast<int64_t>(nest->parts_.size() * sizeof(Nest::Part) +
                                              nest->positions_.size() * sizeof(int64_t));
  return NestRef(std::move(nest));
}

namespace {

// Where the first and the last piece of a nest begin, and whether no piece begins before the one in front of
// it.
struct Begins {
  int64_t first = 0, last = 0;
  bool ascending = true;
};

Begins begins_of(const Nest& nest) {
  Begins begins;
  switch (nest.kind()) {
    case Nest::Kind::empty:
      break;
    case Nest::Kind::run: {
      const Run& run = nest.run();
      begins = {run.offset, run.offset + (run.count - 1) * run.stride, run.count == 1 || run.stride >= 0};
      break;
    }
    case Nest::Kind::blocks:
      begins = {nest.offsets().front(), nest.offsets().back(), std::ranges::is_sorted(nest.offsets())};
      break;
    case Nest::Kind::loop: {
      const Begins child = begins_of(*nest.child());
      const int64_t first = nest.loop_offset() + child.first, last = nest.loop_offset() + child.last;
      begins = {first, last + (nest.loop_count() - 1) * nest.loop_stride(),
                child.ascending && (nest.loop_count() == 1 || first + nest.loop_stride() >= last)};
      break;
    }
    case Nest::Kind::sequence:
      for (const Nest::Part& part : nest.parts()) {
        const Begins child = begins_of(*part.child);
        const bool first_part = &part == &nest.parts().front();
        begins.ascending &= child.ascending && (first_part || part.offset + child.first >= begins.last);
        if (first_part) begins.first = part.offset + child.first;
        begins.last = part.offset + child.last;
      }
      break;
  }
  return begins;
}

}  // namespace

bool Nest::ascending() const {
  return monotone_ || begins_of(*this).ascending;
}

NestRef Nest::empty() {
  return NestMaker::empty();
}

NestRef Nest::bytes(int64_t length) {
  // All contiguous accesses share this one.
  if (length == 1) return NestMaker::one_byte();
  return length <= 0 ? empty() : *NestMaker::run(Run{0, length, length, 1});
}

Result<NestRef> Nest::repeat(NestRef child, int64_t count, int64_t stride, int64_t offset) {
  if (count < 0)
    return Error{ErrorKind::datatype, 0, "a datatype repeats another a negative number of times"};
  if (count == 0 || child->kind_ == Kind::empty) return empty();
  if (count == 1 && offset == 0) return child;
  const Run inner = child->run_;
  if (child->kind_ == Kind::run) {
    const auto first = checked_add(offset, inner.offset);
    if (!first) return overflow("extent");
    if (count == 1) return NestMaker::run(Run{*first, inner.length, inner.stride, inner.count});
    if (inner.count == 1) {
      if (stride != inner.length) return NestMaker::run(Run{*first, inner.length, stride, count});
      const auto length = checked_multiply(inner.length, count);
      if (!length) return overflow("size");
      return NestMaker::run(Run{*first, *length, *length, 1});
    }
  }
  if (child->kind_ == Kind::run || child->kind_ == Kind::loop) {
    // Copies that continue each other are one longer series. A single copy or a mere shift adds no level.
    const auto reach = checked_multiply(inner.count, inner.stride);
    const auto first = checked_add(offset, inner.offset);
    if (!first) return overflow("extent");
    const bool continues = count > 1 && inner.count > 1 && reach && *reach == stride;
    if (continues) {
      const auto total = checked_multiply(inner.count, count);
      if (!total) return overflow("size");
      if (child->kind_ == Kind::run) return NestMaker::run(Run{*first, inner.length, inner.stride, *total});
      return NestMaker::loop(child->child_, *total, inner.stride, *first);
    }
    if (child->kind_ == Kind::loop && count == 1) {
      return *first == 0 && inner.count == 1
                 ? Result<NestRef>(child->child_)
                 : NestMaker::loop(child->child_, inner.count, inner.stride, *first);
    }
    if (child->kind_ == Kind::loop && inner.count == 1) return repeat(child->child_, count, stride, *first);
  }
  return NestMaker::loop(std::move(child), count, stride, offset);
}

Result<NestRef> Nest::blocks(const PieceLists& pieces) {
  if (pieces.lengths.size() != pieces.offsets.size() && pieces.lengths.size() != 1)
    return Error{ErrorKind::datatype, 0, "a datatype has not as many block lengths as displacements"};
  for (size_t i = 0; i < pieces.lengths.size(); ++i) {
    if (pieces.lengths[i] < 0) return Error{ErrorKind::datatype, 0, "a datatype has a negative block length"};
  }
  return NestMaker::blocks(pieces);
}

Result<NestRef> Nest::sequence(std::vector<Part> parts) {
  // Rewrites `parts` in place: never more parts have been kept than read.
  size_t kept = 0;
  auto keep = [&](Part part) -> Status {
    if (kept > 0) {
      Part& last = parts[kept - 1];
      Run run;
      if (last.child->kind_ == Kind::run && part.child->kind_ == Kind::run) {
        Run a = last.child->run_, b = part.child->run_;
        if (__builtin_add_overflow(a.offset, last.offset, &a.offset)) return overflow("extent");
        if (__builtin_add_overflow(b.offset, part.offset, &b.offset)) return overflow("extent");
        if (NestMaker::joined(a, b, run)) {
          auto longer = NestMaker::run(run);
          if (!longer) return longer.error();
          last = Part{0, 0, *longer};
          return {};
        }
      }
    }
    parts[kept++] = std::move(part);
    return {};
  };
  std::vector<int64_t> offsets, lengths;  // single pieces, not yet kept
  auto flush = [&]() -> Status {
    if (offsets.empty()) return {};
    auto pieces = NestMaker::blocks({.offsets = offsets, .lengths = lengths});
    if (!pieces) return pieces.error();
    offsets.clear();
    lengths.clear();
    return keep(Part{0, 0, *pieces});
  };
  for (size_t i = 0; i < parts.size(); ++i) {
    Part part = std::move(parts[i]);
    if (part.child->kind_ == Kind::empty) continue;
    if (part.child->kind_ == Kind::loop && part.child->run_.count == 1) {
      if (__builtin_add_overflow(part.offset, part.child->run_.offset, &part.offset))
        return overflow("extent");
      part.child = NestRef(part.child->child_);
    }
    if (part.child->kind_ == Kind::run && part.child->run_.count == 1) {
      const auto offset = checked_add(part.offset, part.child->run_.offset);
      if (!offset) return overflow("extent");
      offsets.push_back(*offset);
      lengths.push_back(part.child->run_.length);
      continue;
    }
    Status status = flush();
    if (status) status = keep(std::move(part));
    if (!status) return status.error();
  }
  const Status status = flush();
  if (!status) return status.error();
  parts.resize(kept);

  if (parts.empty()) return empty();
  if (parts.size() == 1) return NestMaker::shift(parts[0].child, parts[0].offset);
  // Equal children at equal distances form a loop.
  int64_t stride;
  bool regular = !__builtin_sub_overflow(parts[1].offset, parts[0].offset, &stride);
  for (size_t i = 1; regular && i < parts.size(); ++i) {
    int64_t step;
    regular = !__builtin_sub_overflow(parts[i].offset, parts[i - 1].offset, &step) && step == stride &&
              NestMaker::same(*parts[i].child, *parts[0].child);
  }
  if (regular) return repeat(parts[0].child, static_cast<int64_t>(parts.size()), stride, parts[0].offset);
  return NestMaker::sequence(std::move(parts));
}

}  // namespace concilio::pattern
