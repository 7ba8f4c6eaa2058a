// What of a window an image covers, described as compactly as it goes, for messages between nodes: what
// travels is of the size of the pattern's description (D of Coloma et al., section 5.3), not of the access
// (M). Runs describe a regular pattern in a few dozen bytes, whatever the window; where it is irregular a bit
// for each granule takes less.
#pragma once

#include <span>

#include "exec/two_phase/images.h"

namespace concilio {

class Coverage {
 public:
  // Descriptions are a multiple of this long, so that what lies beside one in a message is aligned.
  static constexpr int64_t unit_bytes = 64;

  // Of nothing.
  Coverage() = default;
  // A description that somebody else made; the bytes must outlive this. Runs that do not lie in the window
  // are passed over.
  explicit Coverage(std::span<const std::byte> bytes) : bytes_(bytes) {}
  // What the parts' maps mark, described in `room`: most_bytes() of it, which must outlive this.
  static Coverage of(std::span<const WindowPart> parts, std::span<std::byte> room);
  // How long a description of a window is at most whose maps take so many bytes: never longer than the maps,
  // in whole units.
  static int64_t most_bytes(int64_t map_bytes);

  std::span<const std::byte> bytes() const { return bytes_; }

  // Calls f(part, interval) for every covered stretch, in ascending order; every one lies in its part. Of the
  // parts only the window and its granules matter, not what their maps mark.
  template <typename F>
  void for_each(std::span<const WindowPart> parts, F&& f) const {
    const Head head = this->head();
    if (head.kind == Kind::bits) return for_each_bit(parts, f);
    size_t part = 0;
    for (int64_t r = 0; r < head.count; ++r) {
      const Run run = run_at(r);
      for (int64_t i = 0; i < run.count; ++i) {
        const int64_t begin = run.offset + i * run.stride;
        while (part < parts.size() && parts[part].file.end <= begin) ++part;
        if (part == parts.size()) return;
        f(parts[part], Interval{begin, begin + run.length});
      }
    }
  }
  // Calls f(run): the runs where it is described so; else the covered stretches, regular ones together.
  template <typename F>
  void for_each_run(std::span<const WindowPart> parts, F&& f) const {
    Run last{};
    for_each(parts, [&](const WindowPart&, Interval stretch) {
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
  static Run run_of(Interval stretch) { return {stretch.begin, stretch.length(), 0, 1}; }
  // Takes the stretch, which lies behind the run, as one piece more of it where it continues that.
  static bool continues(Run& run, Interval stretch);
  static std::span<const std::byte> finish(std::span<std::byte> room, Head head, int64_t body_bytes);
  Head head() const;
  Run run_at(int64_t i) const;
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

}  // namespace concilio
