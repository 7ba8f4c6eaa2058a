// Accesses as bytes, by which ranks tell each other what they ask for. The length follows from that of the
// description (D, in the terms of "A New Flexible MPI Collective I/O Implementation", section 5.3), and never
// from the number of pieces (M).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pattern/access.h"

namespace concilio::pattern {

// Whole numbers, each in as few bytes as it needs: 7 bits a byte, lowest first, with small negative numbers
// as short as small positive ones.
void encode(int64_t number, std::vector<std::byte>& out);
// Takes a number from the front of `bytes`. All of these fail with kind `communication` if the bytes are not
// what encode() wrote.
Result<int64_t> decode_number(std::span<const std::byte>& bytes);

// A part that several others have is written for each of them, so that this may be far longer than the nest.
// Stops when `out` has more than `most_bytes`; that is then no description.
void encode(const Nest& nest, std::vector<std::byte>& out, int64_t most_bytes);
// The nest describes the same bytes in the same order; it may be made of other nodes.
Result<NestRef> decode_nest(std::span<const std::byte>& bytes);

}  // namespace concilio::pattern
