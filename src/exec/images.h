// The images on one node of the windows of its group's realms, in the segment that the node's ranks share.
//
//   segment = headers [realm][slot], then images [realm][slot]
//   image   = coverage map (map_bytes), head, window (window_bytes)
//
// An image is sent as it lies: from the head if it is fully covered; else the covered bytes are moved to the
// window's front, and what they are takes the head's place and that of the map, as far as it needs it.
#pragma once

#include <vector>

#include "mpi/futex.h"
#include "pattern/copy.h"
#include "plan/plan.h"

namespace concilio {

// How an image's slot is synchronised. A slot is used once every `slots` rounds; use k begins when `released`
// stands at k. Zero-filled at the start of a call.
struct alignas(64) ImageHeader {
  Gate filled;            // writes: every rank of the node has put its pieces; reads: marked what it wants
  EventCounter ready;     // reads: the image holds the file's bytes
  Gate taken;             // reads: every rank of the node has taken its pieces
  EventCounter merged;    // writes: what other nodes cover has come into the window
  EventCounter released;  // the slot is free for its next use
  std::atomic<int64_t> valid_end;  // reads: file offset behind the last byte that exists
};
static_assert(sizeof(ImageHeader) == 64, "plan/footprint counts on it");

// What is sent with an image between nodes.
struct alignas(64) MessageHead {
  int64_t data_bytes = 0;      // covered bytes that follow (packed), or whole window
  int64_t whole = 0;           // the whole window follows, and no coverage
  int64_t valid_end = 0;       // reads, as in ImageHeader
  int64_t coverage_bytes = 0;  // between this head and the data: exec/coverage.h
};
static_assert(sizeof(MessageHead) == 64);

// One interval of a window, where it lies in the image, and its map.
struct WindowPart {
  Interval file;
  std::byte* data;
  CoverageMap map;
};

class Images {
 public:
  // The group takes up `segment` from its first realm on; plan and group must outlive this.
  Images(const Plan& plan, const Group& group, std::byte* segment)
      : plan_(plan), group_(group), segment_(segment) {
    const auto realms = static_cast<int64_t>(group.end_realm - group.first_realm);
    int64_t next = realms * plan.slots * static_cast<int64_t>(sizeof(ImageHeader));
    for (int i = group.first_realm; i < group.end_realm; ++i) {
      begins_.push_back(next);
      next += plan.slots * plan.realms[static_cast<size_t>(i)].image_bytes;
    }
  }

  ImageHeader& header(size_t realm, int64_t round) const {
    return reinterpret_cast<ImageHeader*>(segment_)[index(realm, round)];
  }
  std::uint8_t* map(size_t realm, int64_t round) const {
    return reinterpret_cast<std::uint8_t*>(image(realm, round));
  }
  MessageHead& window_head(size_t realm, int64_t round) const {
    return *reinterpret_cast<MessageHead*>(image(realm, round) + map_bytes(realm));
  }
  std::byte* window(size_t realm, int64_t round) const {
    return image(realm, round) + sizeof(MessageHead) + map_bytes(realm);
  }
  // Which use of its slot a round is: 0, 1, ...
  uint32_t use(int64_t round) const { return static_cast<uint32_t>(round / plan_.slots); }

  // The parts of a window; empty if the realm has fewer rounds.
  std::vector<WindowPart> parts(size_t realm, int64_t round) const {
    std::byte* window_data = window(realm, round);
    std::uint8_t* map_data = map(realm, round);
    std::vector<WindowPart> result;
    for (Interval file : concilio::window(plan_.realms[realm], round)) {
      result.push_back({file, window_data, CoverageMap(map_data, file, plan_.granule)});
      window_data += file.length();
      map_data += CoverageMap::bytes_needed(file.length(), plan_.granule.granule);
    }
    return result;
  }

 private:
  std::byte* image(size_t realm, int64_t round) const {
    return segment_ + begins_[in_group(realm)] + round % plan_.slots * plan_.realms[realm].image_bytes;
  }
  size_t in_group(size_t realm) const { return realm - static_cast<size_t>(group_.first_realm); }
  size_t map_bytes(size_t realm) const { return static_cast<size_t>(plan_.realms[realm].map_bytes); }
  size_t index(size_t realm, int64_t round) const {
    return in_group(realm) * static_cast<size_t>(plan_.slots) + static_cast<size_t>(round % plan_.slots);
  }
  const Plan& plan_;
  const Group& group_;
  std::vector<int64_t> begins_;  // of each realm's images
  std::byte* segment_;
};

}  // namespace concilio
