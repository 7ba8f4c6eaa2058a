// How far a sequence of transfers has come, and what its next request is. Transfers that are adjacent in the
// file are joined.
#pragma once

#include <limits.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>

#include "store/store.h"

namespace concilio::store {

// Linux moves no more than this in one call.
inline constexpr int64_t most_call_bytes = 0x7ffff000;

// What one preadv or pwritev moves: `count` pieces of memory.
struct Gathered {
  size_t count = 0;
  int64_t offset = 0, bytes = 0;
};

using Pieces = std::array<iovec, IOV_MAX>;

class Progress {
 public:
  Progress() = default;
  explicit Progress(std::span<const Transfer> transfers) : transfers_(transfers) {}

  // The next transfers that are adjacent in the file, up to `most_bytes` and as many pieces of memory as
  // there is room for. At the end it has no bytes.
  Gathered gather(std::span<iovec> room, int64_t most_bytes) const {
    Gathered found;
    int64_t done = done_bytes_;
    for (size_t i = index_; i < transfers_.size() && found.bytes < most_bytes; ++i, done = 0) {
      const Transfer& transfer = transfers_[i];
      if (transfer.length == done) continue;
      const int64_t offset = transfer.offset + done;
      if (found.count == 0) found.offset = offset;
      if (offset != found.offset + found.bytes) break;
      const int64_t bytes = std::min(transfer.length - done, most_bytes - found.bytes);
      if (!append(room, found, transfer.data + done, bytes)) break;
    }
    return found;
  }

  // How many bytes the next transfers have that are adjacent in the file, up to `most_bytes`.
  int64_t adjacent_bytes(int64_t most_bytes) const {
    int64_t begin = 0, bytes = 0, done = done_bytes_;
    for (size_t i = index_; i < transfers_.size() && bytes < most_bytes; ++i, done = 0) {
      const Transfer& transfer = transfers_[i];
      if (transfer.length == done) continue;
      if (bytes == 0) begin = transfer.offset + done;
      if (transfer.offset + done != begin + bytes) break;
      bytes += std::min(transfer.length - done, most_bytes - bytes);
    }
    return bytes;
  }

  void advance(int64_t bytes) {
    while (bytes > 0) {
      const int64_t step = std::min(bytes, transfers_[index_].length - done_bytes_);
      bytes -= step;
      done_bytes_ += step;
      if (done_bytes_ == transfers_[index_].length) {
        ++index_;
        done_bytes_ = 0;
      }
    }
  }

 private:
  static bool append(std::span<iovec> room, Gathered& found, std::byte* data, int64_t bytes) {
    if (found.count > 0) {
      iovec& last = room[found.count - 1];
      if (static_cast<std::byte*>(last.iov_base) + last.iov_len == data) {
        last.iov_len += static_cast<size_t>(bytes);
        found.bytes += bytes;
        return true;
      }
    }
    if (found.count == room.size()) return false;
    room[found.count++] = {data, static_cast<size_t>(bytes)};
    found.bytes += bytes;
    return true;
  }

  std::span<const Transfer> transfers_;
  size_t index_ = 0;
  int64_t done_bytes_ = 0;  // of transfers_[index_]
};

}  // namespace concilio::store
