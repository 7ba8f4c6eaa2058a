// The images on one node of the windows of its group's realms, in the segment that the node's ranks share.
//
//   segment = headers [realm][slot], then images [realm][slot]
//   image   = coverage map (map_bytes), head, window (window_bytes)
//
// An image is sent as it lies: from the head if it is fully covered; else the covered bytes are moved to the
// window's front, and what they are takes the head's place and that of the map, as far as it needs it.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "mpi/nodes/futex.h"
#include "pattern/copy.h"
#include "plan/layout/windows.h"
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
  int64_t coverage_bytes = 0;  // between this head and the data: exec/two_phase/coverage.h
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
  // Of the realms of `node`'s group; the plan must outlive this. All memory is had here.
  Images(const Plan& plan, int node);
  // Where they lie, from the group's first realm on, while a call works on them.
  void lie_in(std::byte* segment) { segment_ = segment; }

  // Slots, and the image_bytes and map_bytes of each realm: images of the same layout lie alike.
  using Layout = std::vector<int64_t>;
  const std::shared_ptr<const Layout>& layout() const { return layout_; }
  int64_t headers_bytes() const { return headers_bytes_; }
  // Of the headers and of all images.
  int64_t bytes() const { return bytes_; }

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

  // Whether the realm has a window in this round.
  bool has(size_t realm, int64_t round) const { return round < rounds_of(plan_.realms[realm]); }
  // The parts of a window; empty if the realm has fewer rounds. Valid until the next call.
  std::span<WindowPart> parts(size_t realm, int64_t round);
  size_t most_parts() const { return parts_.capacity(); }

 private:
  std::byte* image(size_t realm, int64_t round) const {
    return segment_ + begins_[in_group(realm)] + round % plan_.slots * plan_.realms[realm].image_bytes;
  }
  size_t in_group(size_t realm) const { return realm - first_realm_; }
  size_t map_bytes(size_t realm) const { return static_cast<size_t>(plan_.realms[realm].map_bytes); }
  size_t index(size_t realm, int64_t round) const {
    return in_group(realm) * static_cast<size_t>(plan_.slots) + static_cast<size_t>(round % plan_.slots);
  }
  const Plan& plan_;
  size_t first_realm_ = 0;
  std::vector<int64_t> begins_;  // of each realm's images
  std::shared_ptr<const Layout> layout_;
  int64_t headers_bytes_ = 0, bytes_ = 0;
  std::byte* segment_ = nullptr;
  // Of the window that was asked for last.
  std::vector<Interval> intervals_;
  std::vector<WindowPart> parts_;
};

}  // namespace concilio
