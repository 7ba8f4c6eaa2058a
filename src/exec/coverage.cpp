#include "exec/coverage.h"

#include <cstring>

#include "base/checked.h"

namespace concilio {
namespace {

// Adds a stretch behind all others, as one piece more of the last run where it continues that.
void add(std::vector<Run>& runs, Interval stretch) {
  if (!runs.empty()) {
    Run& last = runs.back();
    const int64_t end = last.offset + (last.count - 1) * last.stride;  // of the last piece: its begin
    if (last.length == stretch.length() && (last.count == 1 || stretch.begin - end == last.stride)) {
      last.stride = stretch.begin - end;
      ++last.count;
      return;
    }
  }
  runs.push_back({stretch.begin, stretch.length(), 0, 1});
}

}  // namespace

std::vector<std::byte> Coverage::with_head(Head head, std::span<const std::byte> body) {
  const auto used = static_cast<int64_t>(sizeof head + body.size());
  std::vector<std::byte> bytes(static_cast<size_t>(align_up(used, unit_bytes)));
  std::memcpy(bytes.data(), &head, sizeof head);
  if (!body.empty()) std::memcpy(bytes.data() + sizeof head, body.data(), body.size());
  return bytes;
}

Coverage Coverage::of(std::span<const WindowPart> parts) {
  int64_t bits = 0;
  for (const WindowPart& part : parts) bits += part.map.granules();
  const auto most_runs = static_cast<size_t>(bits / 8) / sizeof(Run) + 1;
  std::vector<Run> runs;
  for (const WindowPart& part : parts) {
    for (Interval covered = part.map.next_covered(part.file.begin);
         !covered.empty() && runs.size() <= most_runs; covered = part.map.next_covered(covered.end)) {
      add(runs, covered);
    }
  }
  Coverage coverage;
  if (runs.size() <= most_runs) {
    coverage.owned_ =
        with_head({Kind::runs, static_cast<int64_t>(runs.size())}, std::as_bytes(std::span(runs)));
    return coverage;
  }
  std::vector<std::byte> marks(static_cast<size_t>(ceil_divide(bits, 8)));
  int64_t at = 0;
  for (const WindowPart& part : parts) {
    for (int64_t i = 0; i < part.map.granules(); ++i, ++at) {
      if (part.map.is_covered(i)) marks[static_cast<size_t>(at / 8)] |= std::byte{1} << (at % 8);
    }
  }
  coverage.owned_ = with_head({Kind::bits, bits}, marks);
  return coverage;
}

Coverage::Head Coverage::head() const {
  Head head{Kind::runs, 0};
  const std::span<const std::byte> all = bytes();
  if (all.size() >= sizeof head) std::memcpy(&head, all.data(), sizeof head);
  return head;
}

Run Coverage::run_at(int64_t i) const {
  Run run;
  std::memcpy(&run, bytes().data() + sizeof(Head) + static_cast<size_t>(i) * sizeof run, sizeof run);
  return run;
}

bool Coverage::bit(int64_t i) const {
  const std::byte mark = bytes()[sizeof(Head) + static_cast<size_t>(i / 8)];
  return (mark & (std::byte{1} << (i % 8))) != std::byte{0};
}

std::vector<Run> Coverage::runs(std::span<const WindowPart> parts) const {
  std::vector<Run> out;
  for_each(parts, [&](const WindowPart&, Interval stretch) { add(out, stretch); });
  return out;
}

}  // namespace concilio
