// What of a window an image covers, described as compactly as it goes, for messages between nodes: what
// travels is of the size of the pattern's description (D of Coloma et al., section 5.3), not of the access
// (M). Runs describe a regular pattern in a few dozen bytes, whatever the window; where it is irregular a bit
// for each granule takes less.
#pragma once

#include <span>
#include <vector>

#include "exec/images.h"

namespace concilio {

class Coverage {
 public:
  // Descriptions are a multiple of this long, so that what lies beside one in a message is aligned.
  static constexpr int64_t unit_bytes = 64;

  Coverage() = default;
  // What the parts' maps mark. It is never longer than the maps, in whole units.
  static Coverage of(std::span<const WindowPart> parts);
  // What a message says; the bytes must outlive this. Runs that do not lie in the window are passed over.
  static Coverage received(std::span<const std::byte> bytes) { return Coverage(bytes); }

  std::span<const std::byte> bytes() const { return owned_.empty() ? received_ : std::span(owned_); }

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
  // The runs where it is described so; else the covered stretches, a run each.
  std::vector<Run> runs(std::span<const WindowPart> parts) const;

 private:
  enum class Kind : int64_t { runs, bits };
  struct Head {
    Kind kind;
    int64_t count;  // runs, or bits
  };
  explicit Coverage(std::span<const std::byte> bytes) : received_(bytes) {}
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
  static std::vector<std::byte> with_head(Head head, std::span<const std::byte> body);
  std::vector<std::byte> owned_;
  std::span<const std::byte> received_;
};

}  // namespace concilio
