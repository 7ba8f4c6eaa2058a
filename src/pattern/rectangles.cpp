#include "pattern/rectangles.h"

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

Rectangle next(const Pieces& first, const Pieces& second) {
  const int64_t first_regular = first.regular(), second_regular = second.regular();
  Rectangle made{first.address(), second.address(), first.stride(), second.stride(), first.length(), 0};
  if (first_regular > 0 && second_regular > 0 && first.length() == second.length()) {
    made.count = std::min(first_regular, second_regular);
  } else if (first_regular > 0 && second.rest() >= first.length()) {
    made.count = std::min(first_regular, second.rest() / first.length());
    made.second_stride = made.length;
  } else if (second_regular > 0 && first.rest() >= second.length()) {
    made.length = made.first_stride = second.length();
    made.count = std::min(second_regular, first.rest() / second.length());
  } else {
    made.length = std::min(first.rest(), second.rest());
    made.count = 1;
  }
  return made;
}

}  // namespace

Status for_each_rectangle(const Side& first_side, const Side& second_side, int64_t bytes,
                          FunctionRef<Status(const Rectangle&)> use) {
  if (bytes <= 0) return {};
  Pieces first(first_side, bytes), second(second_side, bytes);
  while (bytes > 0) {
    first.fill();
    second.fill();
    const Rectangle rectangle = next(first, second);
    if (auto status = use(rectangle); !status) return status;
    first.skip(rectangle.bytes());
    second.skip(rectangle.bytes());
    bytes -= rectangle.bytes();
  }
  return {};
}

}  // namespace concilio::pattern
