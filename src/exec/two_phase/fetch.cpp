#include "exec/two_phase/fetch.h"

#include <array>

#include "exec/alone/list.h"
#include "exec/windows/window_parts.h"

namespace concilio::exec {
namespace {

constexpr size_t most_fetched_at_once = 256;

// The file offset behind the last of the `got` bytes that were read along the transfers; `end` if they are
// all.
int64_t end_of_data(std::span<const store::Transfer> transfers, int64_t got, int64_t end) {
  for (const store::Transfer& transfer : transfers) {
    if (got < transfer.length) return transfer.offset + got;
    got -= transfer.length;
  }
  return end;
}

// Empties the maps of a window again, whatever happens.
class MapsInUse {
 public:
  explicit MapsInUse(std::span<WindowPart> parts) : parts_(parts) {}
  MapsInUse(const MapsInUse&) = delete;
  MapsInUse& operator=(const MapsInUse&) = delete;
  ~MapsInUse() {
    for (WindowPart& part : parts_) part.map.clear();
  }

 private:
  std::span<WindowPart> parts_;
};

// Calls f(rank's description, part, data) for all data that any rank asks for in a window.
template <typename F>
void for_each_wanted(const Descriptions& known, std::span<const pattern::Interval> window, F&& f) {
  const auto of_node = [&](const DescribedNode& node) {
    for_each_stretch(node, window, [&](size_t rank, size_t part, pattern::Interval data, int64_t) {
      f(node.ranks[rank], part, data);
    });
  };
  of_node(known.own());
  for (const DescribedNode& node : known.senders()) of_node(node);
}

Result<int64_t> fetch_whole(const RunningCall& call, std::span<const WindowPart> parts,
                            std::vector<store::Transfer>& transfers) {
  transfers.clear();
  for (const WindowPart& part : parts) transfers.push_back({part.file.begin, part.data, part.file.length()});
  Result<int64_t> got = call.opened.storage.read(transfers);
  if (!got) return got;
  return end_of_data(transfers, *got, parts.back().file.end);
}

// Reads the bytes that the parts' maps mark. What lies between two of them is read too where that costs less
// than another request.
Result<int64_t> fetch_marked(const RunningCall& call, std::span<const WindowPart> parts) {
  const int64_t gap_bytes = gap_worth_reading(call.opened.prices());
  const int64_t all = parts.back().file.end;
  std::array<store::Transfer, most_fetched_at_once> batch;
  size_t count = 0;
  int64_t end = all;
  const auto read = [&]() -> Status {
    const std::span<const store::Transfer> transfers(batch.data(), count);
    const Outcome got = move_batch(call, Operation::read, transfers);
    if (!got) return got.error();
    end = end_of_data(transfers, *got, all);
    count = 0;
    return {};
  };
  for (const WindowPart& part : parts) {
    bool first = true;
    for (const pattern::Interval wanted : part.map.covered()) {
      if (!first) {
        store::Transfer& last = batch[count - 1];
        if (wanted.begin - (last.offset + last.length) <= gap_bytes) {
          last.length = wanted.end - last.offset;
          continue;
        }
      }
      if (count == batch.size()) {
        if (Status status = read(); !status) return status.error();
        if (end < all) return end;
      }
      batch[count++] = {wanted.begin, address(part, wanted), wanted.length()};
      first = false;
    }
  }
  if (count > 0) {
    if (Status status = read(); !status) return status.error();
  }
  return end;
}

}  // namespace

Result<int64_t> fetch_window(const RunningCall& call, std::span<WindowPart> parts, const Descriptions* known,
                             std::vector<store::Transfer>& transfers) {
  if (!known) return fetch_whole(call, parts, transfers);
  std::vector<pattern::Interval> window;
  for (const WindowPart& part : parts) window.push_back(part.file);
  int64_t wanted_bytes = 0;
  for_each_wanted(*known, window,
                  [&](const Description&, size_t, pattern::Interval data) { wanted_bytes += data.length(); });
  // To mark what is wanted takes time too, so most of the window must be saved.
  if (2 * wanted_bytes > total_bytes(parts)) return fetch_whole(call, parts, transfers);
  const MapsInUse maps(parts);
  for_each_wanted(*known, window, [&](const Description& rank, size_t part, pattern::Interval data) {
    parts[part].map.mark(rank.file, data.begin, data.end);
  });
  return fetch_marked(call, parts);
}

}  // namespace concilio::exec
