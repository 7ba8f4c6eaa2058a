#include "exec/windows/write_behind.h"

#include <algorithm>
#include <new>

#include "base/checked.h"
#include "base/copy_bytes.h"

#include "exec/call/plain_write.h"

namespace concilio::exec {

Status WriteBehind::prepare(Budget& budget, int64_t bytes) {
  if (buffer_.size() >= bytes || !empty()) return {};
  used_bytes_ = 0;
  return buffer_.reserve(budget, bytes);
}

int64_t WriteBehind::room() const {
  return buffer_.size() - used_bytes_ - static_cast<int64_t>(pieces_.size() + 1) * piece_bytes;
}

// Removes the range from the map of pieces, before new data take its place: pieces that overlap it are cut or
// removed.
void WriteBehind::forget(pattern::Interval file) {
  auto at = pieces_.lower_bound(file.begin);
  if (at != pieces_.begin()) {
    auto before = std::prev(at);
    const int64_t end = before->first + before->second.length;
    if (end > file.begin) {
      if (end > file.end)
        pieces_[file.end] = {end - file.end, before->second.data + (file.end - before->first)};
      before->second.length = file.begin - before->first;
    }
  }
  for (at = pieces_.lower_bound(file.begin); at != pieces_.end() && at->first < file.end;) {
    const int64_t end = at->first + at->second.length;
    if (end > file.end) pieces_[file.end] = {end - file.end, at->second.data + (file.end - at->first)};
    at = pieces_.erase(at);
  }
}

Status WriteBehind::take(const RunningCall& call, pattern::Interval file, const std::byte* data) {
  while (!file.empty()) {
    // The map may get two more pieces: the new one, and one more if an old piece is cut in the middle.
    if (room() < std::min<int64_t>(file.length(), piece_bytes) + 2 * piece_bytes) {
      if (auto status = flush(call); !status) return status;
    }
    const int64_t length = std::min(file.length(), room() - 2 * piece_bytes);
    if (length <= 0) {  // the buffer is too small for any piece
      const store::Transfer through{file.begin, const_cast<std::byte*>(data), file.length()};
      return write_plainly(call, std::span(&through, 1));
    }
    std::byte* place = buffer_.data() + used_bytes_;
    copy_bytes(place, data, length);
    used_bytes_ += length;
    const pattern::Interval taken{file.begin, file.begin + length};
    forget(taken);
    auto next = pieces_.lower_bound(taken.begin);
    // A piece that continues the one before, in the file and in the buffer, becomes part of it.
    if (next != pieces_.begin()) {
      auto& [begin, before] = *std::prev(next);
      if (begin + before.length == taken.begin && before.data + before.length == place) {
        before.length += length;
        file.begin += length;
        data += length;
        continue;
      }
    }
    pieces_.emplace_hint(next, taken.begin, Piece{length, place});
    file.begin += length;
    data += length;
  }
  return {};
}

Status WriteBehind::absorb(const RunningCall& call, std::span<const WindowPart> parts) {
  Stopwatch time(call.opened.counters, Counter::copy_ns);
  pattern::Interval last;  // the last covered stretch that was found; it has not been taken yet
  std::byte* data = nullptr;
  for (const WindowPart& part : parts) {
    for (const pattern::Interval covered : part.map.covered()) {
      if (auto status = take(call, last, data); !status) return status;
      last = covered;
      data = part.data + (covered.begin - part.file.begin);
    }
  }
  if (last.end <= file_end_) return take(call, last, data);
  forget(last);
  const store::Transfer through{last.begin, data, last.length()};
  if (auto status = write_plainly(call, std::span(&through, 1)); !status) return status;
  file_end_ = last.end;
  return {};
}

Status WriteBehind::flush(const RunningCall& call) {
  if (pieces_.empty()) {
    used_bytes_ = 0;
    return {};
  }
  // The list of transfers uses the room that is kept for each piece at the buffer's end, so that writing
  // needs no memory.
  const int64_t at = align_down(buffer_.size() - std::ssize(pieces_) * int64_t{sizeof(store::Transfer)},
                                alignof(store::Transfer));
  auto* const first = reinterpret_cast<store::Transfer*>(buffer_.data() + at);
  store::Transfer* end = first;
  for (const auto& [begin, piece] : pieces_) new (end++) store::Transfer{begin, piece.data, piece.length};
  const std::span<const store::Transfer> transfers(first, end);
  pieces_.clear();
  used_bytes_ = 0;
  auto status = write_plainly(call, transfers);
  // If clients of the storage cache the file, other nodes see the data only then.
  if (status && call.opened.caches_differ()) status = call.opened.storage.flush();
  return status;
}

Status WriteBehind::end(const RunningCall& call) {
  auto status = flush(call);
  file_end_ = 0;
  buffer_ = Buffer();
  return status;
}

}  // namespace concilio::exec
