#include "pattern/signature.h"

#include <cstddef>
#include <new>
#include <unordered_set>

namespace concilio::pattern {
namespace {

Error too_large() {
  return Error{ErrorKind::count, 0, "the items of a datatype are more than 64 bits count"};
}

// Adds `count` times `step` to `to`. Returns false on overflow.
bool add(Place& to, const Place& step, int64_t count) {
  for (Axis axis : {&Place::items, &Place::native_bytes, &Place::file_bytes}) {
    int64_t bytes;
    if (__builtin_mul_overflow(step.*axis, count, &bytes) ||
        __builtin_add_overflow(to.*axis, bytes, &(to.*axis)))
      return false;
  }
  return true;
}

// The same, where the sum is known to fit.
void move(Place& to, const Place& step, int64_t count) {
  to.items += step.items * count;
  to.native_bytes += step.native_bytes * count;
  to.file_bytes += step.file_bytes * count;
}

Place place_of(const Item& item) {
  return {1, item.native_bytes, item.file_bytes};
}

}  // namespace

struct Signature::Maker {
  static std::shared_ptr<Signature> make(Kind kind) {
    auto made = std::shared_ptr<Signature>(new Signature);
    made->kind_ = kind;
    return made;
  }

  static Result<SignatureRef> run(const Item& item, int64_t count) {
    auto made = make(Kind::run);
    made->item_ = item;
    made->count_ = count;
    made->widest_item_bytes_ = item.file_bytes;
    if (!add(made->total_, place_of(item), count)) return too_large();
    return SignatureRef(made);
  }

  // Appends a part to `made`. Neighbouring runs of the same item become one run.
  static Status append(Signature& made, const SignatureRef& part) {
    if (part->kind_ == Kind::empty) return {};
    SignatureRef addition = part;
    if (!made.parts_.empty()) {
      const Signature& last = *made.parts_.back();
      if (last.kind_ == Kind::run && part->kind_ == Kind::run && last.item_ == part->item_) {
        int64_t count;
        if (__builtin_add_overflow(last.count_, part->count_, &count)) return too_large();
        auto merged = run(part->item_, count);
        if (!merged) return merged.error();
        addition = *merged;
        made.total_ = made.starts_.back();
        made.parts_.pop_back();
        made.starts_.pop_back();
      }
    }
    made.starts_.push_back(made.total_);
    if (!add(made.total_, addition->total_, 1)) return too_large();
    made.widest_item_bytes_ = std::max(made.widest_item_bytes_, addition->widest_item_bytes_);
    made.depth_ = std::max(made.depth_, addition->depth_ + 1);
    made.parts_.push_back(std::move(addition));
    return {};
  }

  // To be called when all parts have been appended.
  static void count_memory(Signature& made) {
    made.parts_.shrink_to_fit();
    made.starts_.shrink_to_fit();
    made.memory_bytes_ +=
        static_cast<int64_t>(made.parts_.size() * sizeof(SignatureRef) + made.starts_.size() * sizeof(Place));
    std::unordered_set<const Signature*> children;
    for (const SignatureRef& part : made.parts_) {
      if (children.insert(part.get()).second) made.memory_bytes_ += part->memory_bytes_;
    }
  }
};

SignatureRef Signature::empty() {
  // It takes no memory and nobody counts who has it, so that a rank that lacks memory does not leave a call
  // of all ranks for this.
  alignas(Signature) static std::byte place[sizeof(Signature)];
  static const Signature* const empty = new (place) Signature;
  return {SignatureRef(), empty};
}

SignatureRef Signature::item(const Item& item) {
  return *Maker::run(item, 1);
}

Result<SignatureRef> Signature::repeat(const SignatureRef& child, int64_t count) {
  if (count <= 0 || child->kind_ == Kind::empty) return empty();
  if (count == 1) return child;
  if (child->kind_ == Kind::run || child->kind_ == Kind::loop) {
    int64_t product;
    if (__builtin_mul_overflow(child->count_, count, &product)) return too_large();
    if (child->kind_ == Kind::run) return Maker::run(child->item_, product);
    return repeat(child->parts_[0], product);
  }
  if (child->depth_ >= max_depth) return Error{ErrorKind::unsupported, 0, "a datatype is nested too deeply"};
  auto made = Maker::make(Kind::loop);
  made->count_ = count;
  made->parts_ = {child};
  made->depth_ = child->depth_ + 1;
  Maker::count_memory(*made);
  made->widest_item_bytes_ = child->widest_item_bytes_;
  if (!add(made->total_, child->total_, count)) return too_large();
  return SignatureRef(made);
}

Result<SignatureRef> Signature::sequence(std::span<const SignatureRef> parts) {
  auto made = Maker::make(Kind::sequence);
  for (const SignatureRef& part : parts) {
    if (auto status = Maker::append(*made, part); !status) return status.error();
  }
  if (made->parts_.empty()) return empty();
  if (made->parts_.size() == 1) return made->parts_[0];
  if (made->depth_ > max_depth) return Error{ErrorKind::unsupported, 0, "a datatype is nested too deeply"};
  Maker::count_memory(*made);
  return SignatureRef(made);
}

Place Signature::at(Axis axis, int64_t position) const {
  Place place;
  const Signature* node = this;
  position = std::max<int64_t>(position, 0);
  for (;;) {
    if (position >= node->total_.*axis) {
      move(place, node->total_, 1);
      return place;
    }
    if (node->kind_ == Kind::sequence) {
      auto part = std::upper_bound(node->starts_.begin(), node->starts_.end(), position,
                                   [&](int64_t at, const Place& start) { return at < start.*axis; }) -
                  1;
      move(place, *part, 1);
      position -= (*part).*axis;
      node = node->parts_[static_cast<size_t>(part - node->starts_.begin())].get();
      continue;
    }
    const Place each = node->kind_ == Kind::run ? place_of(node->item_) : node->parts_[0]->total_;
    const int64_t copies = position / (each.*axis);
    move(place, each, copies);
    if (node->kind_ == Kind::run) return place;
    position -= copies * (each.*axis);
    node = node->parts_[0].get();
  }
}

}  // namespace concilio::pattern
