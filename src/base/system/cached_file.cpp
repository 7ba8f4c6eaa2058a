#include "base/system/cached_file.h"

#include <algorithm>
#include <memory>
#include <new>

namespace concilio {
namespace {

// Of a size that stays in the processor's cache, and for which the system calls take little of the time.
constexpr int64_t piece_bytes = 64 << 10;

// So many bytes the kernel moves by itself at first. If the memory is none that this process can reach, as
// that of a GPU, it says so; to touch it here would end the process.
constexpr int64_t first_bytes = 64;

}  // namespace

ssize_t move_in_pieces(int descriptor, Operation operation, std::byte* data, int64_t bytes, int64_t offset) {
  constexpr int64_t page_bytes = 4096;
  const int64_t most_bytes = std::min(bytes, piece_bytes);
  const std::unique_ptr<std::byte[]> memory(new (std::nothrow)
                                                std::byte[static_cast<size_t>(most_bytes + page_bytes)]);
  if (!memory) return move_plainly(descriptor, operation, data, bytes, offset);
  const ssize_t first = move_plainly(descriptor, operation, data, std::min(bytes, first_bytes), offset);
  if (first < std::min(bytes, first_bytes)) return first;
  // As far into a page as the file's bytes.
  const auto to_page = static_cast<uint64_t>(offset + first) - reinterpret_cast<uintptr_t>(memory.get());
  std::byte* const piece = memory.get() + to_page % page_bytes;
  for (int64_t done_bytes = first; done_bytes < bytes;) {
    const int64_t wanted = std::min(bytes - done_bytes, most_bytes);
    if (operation == Operation::write) copy_bytes(piece, data + done_bytes, wanted);
    const ssize_t moved = move_plainly(descriptor, operation, piece, wanted, offset + done_bytes);
    if (moved < 0) return done_bytes;
    if (operation == Operation::read) copy_bytes(data + done_bytes, piece, moved);
    done_bytes += moved;
    if (moved < wanted) return done_bytes;
  }
  return bytes;
}

ssize_t move_cached(int descriptor, Operation operation, std::byte* data, int64_t bytes, int64_t offset) {
  const bool slow = is_slow_request(operation, data, bytes, offset) && has_slow_distances();
  return (slow ? move_in_pieces : move_plainly)(descriptor, operation, data, bytes, offset);
}

}  // namespace concilio
