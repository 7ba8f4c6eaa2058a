#include "pattern.h"

#include <fmt/format.h>

namespace concilio::bench {

namespace {

struct Family {
  const char* name;
  const char* parameters;
  const char* help;
  Made (*make)(const Parameters&, const Size&);
};

constexpr Family families[] = {
    {"contiguous", "", "each rank one contiguous part", make_contiguous},
    {"interleaved", ":B", "blocks of B bytes, in turn over the ranks", make_interleaved},
    {"block3d", "", "3-D array of doubles, decomposed in blocks (coll_perf, DIST3D)", make_block3d},
    {"btio", "", "NAS BTIO: diagonal multipartition of a 3-D grid, ghost cells in memory", make_btio},
    {"unstruc", "[:B]", "irregular map: elements of B (64) bytes, permuted over the ranks", make_unstruc},
    {"hpio", ":SIZE/SPACING[:contigmem][:vector|struct|indexed][:COUNT]",
     "regions of SIZE bytes, SPACING apart, in turn over the ranks; in memory too, unless contigmem; "
     "COUNT a rank; as one vector, as a small structure that is repeated, or enumerated",
     make_hpio},
    {"extent", ":BYTES/PERCENT",
     "PERCENT of every BYTES of the file, in turn over the ranks; the MiB are the file's, holes included",
     make_extent},
    {"timesteps", "[:STEPS[:ELEMENTS/BYTES]]",
     "a call for each of STEPS (32): ELEMENTS (100) of BYTES (32) a data point, in turn over the ranks; "
     "all steps of a point lie together",
     make_timesteps},
    {"hacc", "[:PARTICLES][:shared|records|fpp]",
     "HACC-IO: a call for each of nine variables of PARTICLES a rank (38 bytes each); the file holds one "
     "variable after another (shared), records of a particle each (records), or each rank has its own (fpp)",
     make_hacc},
    {"ior", ":TRANSFER[:BLOCK][:random]",
     "IOR: a call for each TRANSFER bytes of a rank's blocks of BLOCK (all its bytes), in order or at "
     "random; "
     "at most 4096 calls",
     make_ior},
    {"mpiiotest", ":BLOCK",
     "mpi-io-test: calls in which the ranks move BLOCK bytes each, side by side; at most 4096 calls",
     make_mpiiotest},
};

}  // namespace

int64_t Pattern::data_bytes(int rank) const {
  int64_t sum = 0;
  for_each_piece(rank, [&](const Piece& piece) { sum += piece.bytes; });
  return sum;
}

Made make_pattern(const std::string& text, const Size& size) {
  const auto [name, parameters] = sim::parse_pattern(text);
  for (const Family& family : families) {
    if (name != family.name) continue;
    Made pattern = family.make(parameters, size);
    if (pattern) return pattern;
    return sim::malformed(fmt::format("pattern {}: {}; write {}{}", text, pattern.error().message,
                                      family.name, family.parameters));
  }
  return sim::malformed(fmt::format("there is no pattern {}; there are:\n{}", name, list_of_patterns()));
}

std::string list_of_patterns() {
  std::string text;
  for (const Family& family : families)
    text += fmt::format("  {}{}\n      {}\n", family.name, family.parameters, family.help);
  return text;
}

}  // namespace concilio::bench
