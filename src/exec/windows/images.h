// The images of the windows of a group's realms on one node, in the segment that the node's ranks share.
//
//   segment = headers [realm][slot] and of arenas, then images [realm][slot], then arenas and buffers
//   image   = coverage map (map_bytes), head, window (window_bytes), and room for a wish if nodes exchange it
//
// If nodes know what each other's ranks ask for, a node has images of its own aggregators' windows alone, and
// two arenas for what it exchanges with other nodes (exec/two_phase/parcels.h). Where nodes form
// clusters, two buffers of its relay follow (exec/two_phase/relay.h). Otherwise:
//
// An image is sent from where it lies. If it is fully covered, it is sent from the head on. Else the covered
// bytes are first moved to the window's front, and the description of what they cover takes the place of the
// head and of as much of the map as it needs. It is made behind the window, where a node also describes what
// it wants to read.
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "mpi/nodes/futex.h"
#include "pattern/coverage_map.h"
#include "plan/layout/windows.h"
#include "plan/plan.h"

namespace concilio::exec {

// Synchronises the use of an image's slot. A slot is used in every other round; use k begins when
// `released` has the value k. Filled with zeros at the start of a call.
struct alignas(64) ImageHeader {
  // Writes: all ranks of the node have put in their data; reads: have marked what they want.
  mpi::Gate filled;
  mpi::EventCounter ready;         // reads: the image holds the bytes of the file
  mpi::Gate taken;                 // reads: all ranks of the node have taken their data
  mpi::EventCounter merged;        // writes: the data of other nodes have been merged into the window
  mpi::EventCounter released;      // the slot is free for its next use
  std::atomic<int64_t> valid_end;  // reads: file offset behind the last byte that exists
};
static_assert(sizeof(ImageHeader) == 64, "plan/footprint counts on it");

// Synchronises the use of an arena, which the batches of a call take in turns.
struct alignas(64) ArenaHeader {
  // Writes: all ranks of the node have packed their data; reads: all carriers have received.
  mpi::Gate filled;
  // Writes: all carriers have sent; reads: all ranks have unpacked their data.
  mpi::Gate emptied;
};
static_assert(sizeof(ArenaHeader) == 64, "plan/footprint counts on it");

// The header of a message that sends an image between nodes.
struct alignas(64) MessageHead {
  // Length of the data that follow: the covered bytes, packed, or the whole window.
  int64_t data_bytes = 0;
  int64_t whole = 0;      // nonzero: the whole window follows, without a description of coverage
  int64_t valid_end = 0;  // reads, as in ImageHeader
  // Length of the description between this head and the data: exec/windows/coverage.h.
  int64_t coverage_bytes = 0;
};
static_assert(sizeof(MessageHead) == 64);

// One file interval of a window, its place in the image, and its coverage map.
struct WindowPart {
  pattern::Interval file;
  std::byte* data;
  pattern::CoverageMap map;
};

class Images {
 public:
  // Describes the images that `node` has; the plan must outlive this. All memory is allocated here.
  Images(const plan::Plan& plan, int node);
  // Sets where the images of a call lie: the segment, which begins with those of the group's first realm.
  void lie_in(std::byte* segment) { segment_ = segment; }
  // Fills headers and coverage maps with zeros, whatever was in the segment. Windows, heads and arenas are
  // written before they are read.
  void clear() const;

  // The slots, image_bytes and map_bytes of each realm, and the length of the arenas and buffers. Images with
  // equal layouts lie at the same places.
  using Layout = std::vector<int64_t>;
  const std::shared_ptr<const Layout>& layout() const { return layout_; }
  int64_t headers_bytes() const { return headers_bytes_; }

  // The realms of which the node has images.
  const std::vector<size_t>& realms() const { return realms_; }
  ArenaHeader& arena_header(size_t i) const {
    return reinterpret_cast<ArenaHeader*>(segment_ + headers_bytes_)[static_cast<ptrdiff_t>(i) - arenas];
  }
  std::byte* arena(size_t i) const {
    return segment_ + arenas_begin_ + static_cast<int64_t>(i) * arena_bytes_;
  }
  // What a relay gets or sends, in its cluster (0) and between it and aggregators (1).
  std::byte* relay_buffer(size_t i) const { return arena(arenas + i); }

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
  // The room of plan::wish_bytes() behind a window, if nodes exchange images.
  std::span<std::byte> wish(size_t realm, int64_t round) const;
  // The number of the use of its slot that a round makes: 0, 1, ...
  uint32_t use(int64_t round) const { return static_cast<uint32_t>(round / plan::most_slots); }

  // Whether the realm has a window in this round.
  bool has(size_t realm, int64_t round) const { return round < rounds_of(plan_.realms[realm]); }
  // The parts of a window; empty if the realm has no such round. Valid until the next call of this function.
  std::span<WindowPart> parts(size_t realm, int64_t round);
  size_t most_parts() const { return parts_.capacity(); }

 private:
  static constexpr ptrdiff_t arenas = 2;
  std::byte* image(size_t realm, int64_t round) const {
    return segment_ + begins_[index_of_[in_group(realm)]] +
           round % plan::most_slots * plan_.realms[realm].image_bytes;
  }
  size_t in_group(size_t realm) const { return realm - first_realm_; }
  size_t map_bytes(size_t realm) const { return static_cast<size_t>(plan_.realms[realm].map_bytes); }
  size_t index(size_t realm, int64_t round) const {
    return index_of_[in_group(realm)] * static_cast<size_t>(plan::most_slots) +
           static_cast<size_t>(round % plan::most_slots);
  }
  const plan::Plan& plan_;
  size_t first_realm_ = 0;
  std::vector<size_t> realms_;
  std::vector<size_t> index_of_;  // of each realm of the group, in realms_
  std::vector<int64_t> begins_;   // where the images of each of realms_ begin
  int64_t arenas_begin_ = 0, arena_bytes_ = 0;
  std::shared_ptr<const Layout> layout_;
  int64_t headers_bytes_ = 0;
  std::byte* segment_ = nullptr;
  // The parts of the window that was asked for last.
  std::vector<pattern::Interval> intervals_;
  std::vector<WindowPart> parts_;
};

}  // namespace concilio::exec
