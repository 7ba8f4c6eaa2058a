#include "exec/windows/coverage.h"

#include <algorithm>
#include <cstring>

#include "base/checked.h"

namespace concilio::exec {
namespace {

// More runs than this take more room than one bit for each granule.
int64_t most_runs(int64_t bits) {
  return bits / 8 / static_cast<int64_t>(sizeof(pattern::Run)) + 1;
}

}  // namespace

bool Coverage::continues(pattern::Run& run, pattern::Interval stretch) {
  if (run.count == 0 || run.length != stretch.length()) return false;
  const int64_t stride = stretch.begin - run.offset - (run.count - 1) * run.stride;
  if (run.count > 1 && stride != run.stride) return false;
  run.stride = stride;
  ++run.count;
  return true;
}

// Writes the head, and returns the description in whole units. The body has already been written into the
// room behind the head.
std::span<const std::byte> Coverage::finish(std::span<std::byte> room, Head head, int64_t body_bytes) {
  std::memcpy(room.data(), &head, sizeof head);
  const auto used = static_cast<int64_t>(sizeof head) + body_bytes, whole = align_up(used, unit_bytes);
  std::memset(room.data() + used, 0, static_cast<size_t>(whole - used));
  return room.first(static_cast<size_t>(whole));
}

Coverage Coverage::of(std::span<const WindowPart> parts, std::span<std::byte> room) {
  std::byte* body = room.data() + sizeof(Head);
  int64_t bits = 0;
  for (const WindowPart& part : parts) bits += part.map.granules();
  int64_t runs = 0;     // written
  pattern::Run last{};  // the run to be written next
  const auto write_last = [&] {
    if (last.count == 0) return true;
    if (runs == most_runs(bits)) return false;
    std::memcpy(body + runs++ * static_cast<int64_t>(sizeof last), &last, sizeof last);
    return true;
  };
  const auto write_runs = [&] {
    for (const WindowPart& part : parts) {
      for (const pattern::Interval covered : part.map.covered()) {
        if (continues(last, covered)) continue;
        if (!write_last()) return false;
        last = run_of(covered);
      }
    }
    return write_last();
  };
  if (write_runs())
    return Coverage(finish(room, {Kind::runs, runs}, runs * static_cast<int64_t>(sizeof last)));
  const int64_t marks_bytes = ceil_divide(bits, 8);
  std::memset(body, 0, static_cast<size_t>(marks_bytes));
  int64_t at = 0;
  for (const WindowPart& part : parts) {
    for (int64_t i = 0; i < part.map.granules(); ++i, ++at) {
      if (part.map.is_covered(i)) body[at / 8] |= std::byte{1} << (at % 8);
    }
  }
  return Coverage(finish(room, {Kind::bits, bits}, marks_bytes));
}

Coverage::Head Coverage::head() const {
  Head head{Kind::runs, 0};
  if (bytes_.size() >= sizeof head) std::memcpy(&head, bytes_.data(), sizeof head);
  return head;
}

pattern::Run Coverage::run_at(int64_t i) const {
  pattern::Run run;
  std::memcpy(&run, bytes_.data() + sizeof(Head) + static_cast<size_t>(i) * sizeof run, sizeof run);
  return run;
}

bool Coverage::bit(int64_t i) const {
  const std::byte mark = bytes_[sizeof(Head) + static_cast<size_t>(i / 8)];
  return (mark & (std::byte{1} << (i % 8))) != std::byte{0};
}

}  // namespace concilio::exec
