// Which bytes of a window an image covers, described compactly for messages between nodes. The size of a
// description follows from that of the pattern's (D of Coloma et al., section 5.3), not from that of the
// access (M). Runs describe a regular pattern in a few dozen bytes, however large the window is; for an
// irregular pattern one bit for each granule is shorter.
#pragma once

#include <span>

#include "exec/windows/images.h"

namespace concilio::exec {

class Coverage {
 public:
  // The length of a description is a multiple of this, so that whatever follows it in a message is aligned.
  static constexpr int64_t unit_bytes = 64;

  // Describes that nothing is covered.
  Coverage() = default;
  // A description that another rank made; the bytes must outlive this. Runs outside the window are ignored.
  explicit Coverage(std::span<const std::byte> bytes) : bytes_(bytes) {}
  // Describes what the parts' maps mark. `room` has plan::coverage_bytes() of the maps, and must outlive the
  // result. A description is never longer than the maps.
  static Coverage of(std::span<const WindowPart> parts, std::span<std::byte> room);

  std::span<const std::byte> bytes() const { return bytes_; }

  // Calls f(part, interval) for every covered stretch, in ascending order; each lies within its part. Of the
  // parts only their file intervals and granules are used, not what their maps mark.
  template <typename F>
  void for_each(std::span<const WindowPart> parts, F&& f) const {
    const Head head = this->head();
    if (head.kind == Kind::bits) return for_each_bit(parts, f);
    size_t part = 0;
    for (int64_t r = 0; r < head.count; ++r) {
      const pattern::Run run = run_at(r);
      for (int64_t i = 0; i < run.count; ++i) {
        const int64_t begin = run.offset + i * run.stride;
        while (part < parts.size() && parts[part].file.end <= begin) ++part;
        if (part == parts.size()) return;
        f(parts[part], pattern::Interval{begin, begin + run.length});
      }
    }
  }
  // Calls f(run) for the runs, if the description consists of runs; else for the covered stretches, with
  // regular series of them joined into runs.
  template <typename F>
  void for_each_run(std::span<const WindowPart> parts, F&& f) const {
    pattern::Run last{};
    for_each(parts, [&](const WindowPart&, pattern::Interval stretch) {
      if (continues(last, stretch)) return;
      if (last.count > 0) f(last);
      last = run_of(stretch);
    });
    if (last.count > 0) f(last);
  }

 private:
  enum class Kind : int64_t { runs, bits };
  struct Head {
    Kind kind;
    int64_t count;  // runs, or bits
  };
  static_assert(sizeof(Head) == 16, "plan/footprint counts on it");
  static pattern::Run run_of(pattern::Interval stretch) { return {stretch.begin, stretch.length(), 0, 1}; }
  // The stretch lies behind the run. If it continues the run's regular series, it becomes one more piece of
  // it.
  static bool continues(pattern::Run& run, pattern::Interval stretch);
  static std::span<const std::byte> finish(std::span<std::byte> room, Head head, int64_t body_bytes);
  Head head() const;
  pattern::Run run_at(int64_t i) const;
  bool bit(int64_t i) const;
  template <typename F>
  void for_each_bit(std::span<const WindowPart> parts, F&& f) const {
    int64_t first_bit = 0;
    for (const WindowPart& part : parts) {
      const int64_t granules = part.map.granules();
      for (int64_t i = 0; i < granules; ++i) {
        if (!bit(first_bit + i)) continue;
        int64_t end = i + 1;
        while (end < granules && bit(first_bit + end)) ++end;
        f(part, part.map.offsets(i, end));
        i = end;
      }
      first_bit += granules;
    }
  }
  std::span<const std::byte> bytes_;
};

}  // namespace concilio::exec
