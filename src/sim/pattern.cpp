#include "sim/pattern.h"

#include <fmt/format.h>

#include <array>

namespace concilio::sim {
namespace {

constexpr std::array<PatternRow, 11> rows = {{
    {"contiguous", "", "each rank one contiguous part", contiguous},
    {"interleaved", ":B", "blocks of B bytes, in turn over the ranks", interleaved},
    {"block3d", "", "3-D array of doubles, decomposed in blocks (coll_perf, DIST3D)", block3d},
    {"btio", "", "NAS BTIO: diagonal multipartition of a 3-D grid, ghost cells in memory", btio},
    {"unstruc", "[:B]", "irregular map: elements of B (64) bytes, permuted over the ranks", unstruc},
    {"hpio", ":SIZE/SPACING[:contigmem][:COUNT]",
     "regions of SIZE bytes, SPACING apart, in turn over the ranks; in memory too, unless contigmem", hpio},
    {"extent", ":BYTES/PERCENT", "PERCENT of every BYTES of the file, in turn over the ranks", extent},
    {"timesteps", "[:STEPS[:ELEMENTS/BYTES]]",
     "a call for each of STEPS (32): ELEMENTS (100) of BYTES (32) a data point, in turn over the ranks",
     timesteps},
    {"hacc", "[:PARTICLES][:shared|records]",
     "HACC-IO: a call for each of nine variables of PARTICLES a rank, one after another in the file, or in "
     "records of a particle each",
     hacc},
    {"ior", ":TRANSFER[:BLOCK][:random]",
     "IOR: a call for each TRANSFER bytes of a rank's blocks of BLOCK, in order or at random", ior},
    {"mpiiotest", ":BLOCK", "mpi-io-test: calls in which the ranks move BLOCK bytes each, side by side",
     mpiiotest},
}};

}  // namespace

std::span<const PatternRow> pattern_rows() {
  return rows;
}

Result<Pattern> make_pattern(std::string_view text, const Size& size) {
  const auto [name, parameters] = parse_pattern(text);
  std::string known;
  for (const PatternRow& row : rows) {
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
    if (name != row.name) continue;
    Result<Pattern> made = row.make(parameters, size);
    if (made.ok()) return made;
    return malformed(
        fmt::format("pattern {}: {}; write {}{}", text, made.error().message, row.name, row.parameters));
  }
  return malformed(fmt::format("there is no pattern {}; there are {}", name, known));
}

Access whole(const NestRef& nest, int64_t displacement) {
  return Access(nest, displacement, std::max<int64_t>(1, nest->upper()));
}

Result<NestRef> series(int64_t bytes, int64_t count, int64_t stride) {
  return Nest::repeat(Nest::bytes(bytes), count, stride);
}

}  // namespace concilio::sim
