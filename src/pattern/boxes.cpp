#include "pattern/boxes.h"

#include <algorithm>

namespace concilio::pattern {
namespace {

// The pieces of one side that come next.
class Pieces {
 public:
  Pieces(const Side& side, int64_t bytes)
      : cursor_(*side.access, side.position),
        memory_(reinterpret_cast<uintptr_t>(side.base) - static_cast<uintptr_t>(side.origin)),
        bytes_left_(bytes) {}

  void fill() {
    if (piece_ < chunk_.count) return;
    chunk_ = cursor_.next(bytes_left_);
    bytes_left_ -= chunk_.bytes();
    piece_ = used_ = 0;
  }
  int64_t rest() const { return chunk_.length - used_; }  // of the current piece
  int64_t length() const { return chunk_.length; }        // of a whole piece
  int64_t stride() const { return chunk_.stride; }
  // How many whole pieces come next, each a stride behind the one before.
  int64_t regular() const { return used_ > 0 ? 0 : chunk_.offsets ? 1 : chunk_.count - piece_; }
  // Addresses are computed as integers, since with MPI_BOTTOM the base is null.
  std::byte* address() const {
    return reinterpret_cast<std::byte*>(memory_ + static_cast<uintptr_t>(chunk_.offset(piece_) + used_));
  }
  void skip(int64_t bytes) {
    used_ += bytes;
    piece_ += used_ / chunk_.length;
    used_ %= chunk_.length;
  }

 private:
  Cursor cursor_;
  uintptr_t memory_;
  int64_t bytes_left_;
  Chunk chunk_;
  int64_t piece_ = 0, used_ = 0;
};

// The longest regular series of pieces that comes next.
Box next(const Pieces& first, const Pieces& second) {
  const int64_t first_regular = first.regular(), second_regular = second.regular();
  Box made{
      {first.address(), first.stride(), 0}, {second.address(), second.stride(), 0}, first.length(), 0, 1};
  if (first_regular > 0 && second_regular > 0 && first.length() == second.length()) {
    made.rows = std::min(first_regular, second_regular);
  } else if (first_regular > 0 && second.rest() >= first.length()) {
    made.rows = std::min(first_regular, second.rest() / first.length());
    made.second.row_stride = made.length;
  } else if (second_regular > 0 && first.rest() >= second.length()) {
    made.length = made.first.row_stride = second.length();
    made.rows = std::min(second_regular, first.rest() / second.length());
  } else {
    made.length = std::min(first.rest(), second.rest());
    made.rows = 1;
  }
  return made;
}

int64_t distance(const Box::Side& from, const Box::Side& to) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(to.address) -
                              reinterpret_cast<uintptr_t>(from.address));
}

// Makes `next` one more row of a plane, if it is one.
bool continues_rows(Box& plane, const Box& next) {
  if (next.rows != 1 || next.length != plane.length) return false;
  const int64_t first = distance(plane.first, next.first), second = distance(plane.second, next.second);
  if (plane.rows == 1) {
    plane.first.row_stride = first;
    plane.second.row_stride = second;
  } else if (first != plane.rows * plane.first.row_stride || second != plane.rows * plane.second.row_stride) {
    return false;
  }
  ++plane.rows;
  return true;
}

// The same for one more plane of a box.
bool continues_planes(Box& box, const Box& next) {
  if (next.rows == 1 || next.rows != box.rows || next.length != box.length ||
      next.first.row_stride != box.first.row_stride || next.second.row_stride != box.second.row_stride)
    return false;
  const int64_t first = distance(box.first, next.first), second = distance(box.second, next.second);
  if (box.planes == 1) {
    box.first.plane_stride = first;
    box.second.plane_stride = second;
  } else if (first != box.planes * box.first.plane_stride || second != box.planes * box.second.plane_stride) {
    return false;
  }
  ++box.planes;
  return true;
}

// Puts together what makes one box.
class Collector {
 public:
  explicit Collector(FunctionRef<Status(const Box&)> use) : use_(use) {}

  // `next` has one plane.
  Status add(const Box& next) {
    if (plane_.rows > 0 && continues_rows(plane_, next)) return {};
    auto status = add_plane();
    plane_ = next;
    return status;
  }
  Status finish() {
    auto status = add_plane();
    return status ? give_box() : status;
  }

 private:
  Status add_plane() {
    if (plane_.rows == 0 || (box_.rows > 0 && continues_planes(box_, plane_))) return {};
    auto status = give_box();
    box_ = plane_;
    return status;
  }
  Status give_box() { return box_.rows > 0 ? use_(box_) : Status(); }

  FunctionRef<Status(const Box&)> use_;
  Box plane_{}, box_{};  // what may go on; no rows: there is none yet
};

}  // namespace

Status for_each_box(const Side& first_side, const Side& second_side, int64_t bytes,
                    FunctionRef<Status(const Box&)> use) {
  if (bytes <= 0) return {};
  Pieces first(first_side, bytes), second(second_side, bytes);
  Collector boxes(use);
  while (bytes > 0) {
    first.fill();
    second.fill();
    const Box box = next(first, second);
    if (auto status = boxes.add(box); !status) return status;
    first.skip(box.bytes());
    second.skip(box.bytes());
    bytes -= box.bytes();
  }
  return boxes.finish();
}

}  // namespace concilio::pattern
