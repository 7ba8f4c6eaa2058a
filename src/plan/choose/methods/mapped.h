// How the method mapped maps a file, which its price and exec/alone/mapped.cpp have in common.
#pragma once

#include <cstdint>

namespace concilio::plan {

// As much of a file as is mapped at a time, and what its pages are assumed to hold.
inline constexpr int64_t map_window_bytes = 4 << 20;
inline constexpr int64_t map_page_bytes = 4096;
// Whether pages are mapped piece by piece, and not with what lies between: of `pieces` pieces with `bytes`
// bytes that lie in `span` bytes of file.
bool maps_by_piece(double bytes, double pieces, double span);

}  // namespace concilio::plan
