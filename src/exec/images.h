// The images of all realms' windows on one node, in the segment that the node's ranks share.
//
//   segment = headers [realm][slot], then images [realm][slot]
//   image   = head, coverage map (map_bytes), head, window (window_bytes)
//
// With a head before the map and one before the window an image is sent as it lies: from the second head if
// it is fully covered, else from the first, with the covered bytes moved to the window's front.
#pragma once

#include <vector>

#include "mpi/team.h"
#include "pattern/copy.h"
#include "plan/plan.h"

namespace concilio {

// How an image's slot is synchronised. A slot is used once every `slots` rounds; use k begins when `released`
// stands at k. Zero-filled at the start of a call.
struct alignas(64) ImageHeader {
  Gate filled;            // writes: every rank of the node has put its pieces; reads: marked what it wants
  EventCounter ready;     // reads: the image holds the file's bytes
  Gate taken;             // reads: every rank of the node has taken its pieces
  EventCounter released;  // the slot is free for its next use
  std::atomic<int64_t> valid_end;  // reads: file offset behind the last byte that exists
};
static_assert(sizeof(ImageHeader) == 64, "plan/footprint counts on it");

// What is sent with an image between nodes.
struct alignas(64) MessageHead {
  int64_t data_bytes = 0;  // covered bytes that follow (packed), or whole window
  int64_t whole = 0;       // the whole window follows, and no map
  int64_t valid_end = 0;   // reads, as in ImageHeader
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
  Images(const Plan& plan, std::byte* segment) : plan_(plan), segment_(segment) {}

  ImageHeader& header(size_t realm, int64_t round) const {
    return reinterpret_cast<ImageHeader*>(segment_)[index(realm, round)];
  }
  MessageHead& map_head(size_t realm, int64_t round) const {
    return *reinterpret_cast<MessageHead*>(image(realm, round));
  }
  std::uint8_t* map(size_t realm, int64_t round) const {
    return reinterpret_cast<std::uint8_t*>(image(realm, round) + sizeof(MessageHead));
  }
  MessageHead& window_head(size_t realm, int64_t round) const {
    return *reinterpret_cast<MessageHead*>(image(realm, round) + sizeof(MessageHead) + plan_.map_bytes);
  }
  std::byte* window(size_t realm, int64_t round) const {
    return image(realm, round) + 2 * sizeof(MessageHead) + plan_.map_bytes;
  }
  // Which use of its slot a round is: 0, 1, ...
  uint32_t use(int64_t round) const { return static_cast<uint32_t>(round / plan_.slots); }

  // The parts of a window; empty if the realm has fewer rounds.
  std::vector<WindowPart> parts(size_t realm, int64_t round) const {
    return parts_at(realm, round, window(realm, round), map(realm, round));
  }
  // The same for a window and a map that lie elsewhere.
  std::vector<WindowPart> parts_at(size_t realm, int64_t round, std::byte* window_data,
                                   std::uint8_t* map_data) const {
    std::vector<WindowPart> result;
    for (Interval file : concilio::window(plan_, plan_.realms[realm], round)) {
      result.push_back({file, window_data, CoverageMap(map_data, file, plan_.granule)});
      window_data += file.length();
      map_data += CoverageMap::bytes_needed(file.length(), plan_.granule.granule);
    }
    return result;
  }

 private:
  std::byte* image(size_t realm, int64_t round) const {
    std::byte* images =
        segment_ + plan_.realms.size() * static_cast<size_t>(plan_.slots) * sizeof(ImageHeader);
    return images + static_cast<int64_t>(index(realm, round)) * plan_.image_bytes;
  }
  size_t index(size_t realm, int64_t round) const {
    return realm * static_cast<size_t>(plan_.slots) + static_cast<size_t>(round % plan_.slots);
  }
  const Plan& plan_;
  std::byte* segment_;
};

}  // namespace concilio
