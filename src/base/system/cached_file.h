// Requests to a file whose bytes the kernel copies from its page cache, or to there.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "base/copy_bytes.h"
#include "base/operation.h"

namespace concilio {

// One pread or pwrite.
inline ssize_t move_plainly(int descriptor, Operation operation, std::byte* data, int64_t bytes,
                            int64_t offset) {
  const auto count = static_cast<size_t>(bytes);
  return operation == Operation::read ? pread(descriptor, data, count, offset)
                                      : pwrite(descriptor, data, count, offset);
}

// Whether the kernel's copy is a slow one on some machines (base/copy_bytes.h), and long enough to matter.
inline bool is_slow_request(Operation operation, const std::byte* data, int64_t bytes, int64_t offset) {
  constexpr int64_t least_bytes = 2048;
  const auto address = reinterpret_cast<uintptr_t>(data);
  const auto place = static_cast<uint64_t>(offset);
  return bytes >= least_bytes &&
         (operation == Operation::read ? is_slow_distance(address, place) : is_slow_distance(place, address));
}

// Moves bytes as move_plainly() does, but in pieces, through memory for which the kernel's copy is not
// slow: of a slow request a third of the time. It returns what was moved before an error without the error,
// as of a request that was interrupted; and makes a plain request where there is no memory for a piece. Data
// that begin where this process cannot reach are EFAULT, as the kernel has it.
ssize_t move_in_pieces(int descriptor, Operation operation, std::byte* data, int64_t bytes, int64_t offset);

// The faster of both.
ssize_t move_cached(int descriptor, Operation operation, std::byte* data, int64_t bytes, int64_t offset);

}  // namespace concilio
