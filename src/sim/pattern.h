// The access patterns of `concilio bench` without MPI: what every rank asks for in a call, as Accesses. A
// test holds them against the pieces of the benchmark program (tests/bench_patterns).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "pattern/access.h"

namespace concilio::sim {

// What one rank asks for: data [0, bytes) of both.
struct Request {
  Access file = Access::contiguous(0), memory = Access::contiguous(0);
  int64_t bytes = 0;
};

struct Pattern {
  int calls = 1;     // of which each has accesses of its own
  std::string note;  // what a user should know; empty: nothing
  std::function<Request(int rank, int call)> request;
};

struct Size {
  int ranks = 1;
  int64_t bytes_per_rank = 0;  // wanted in a call; a pattern takes what comes near
};

// What stands between the colons behind a pattern's name.
using Parameters = std::vector<std::string>;

struct PatternRow {
  const char* name;
  const char* parameters;
  const char* help;
  Result<Pattern> (*make)(const Parameters& parameters, const Size& size);
};
std::span<const PatternRow> pattern_rows();

// "interleaved:64" -> the pattern.
Result<Pattern> make_pattern(std::string_view text, const Size& size);

// The patterns, each in a file of its own.
Result<Pattern> contiguous(const Parameters& parameters, const Size& size);
Result<Pattern> interleaved(const Parameters& parameters, const Size& size);
Result<Pattern> block3d(const Parameters& parameters, const Size& size);
Result<Pattern> btio(const Parameters& parameters, const Size& size);
Result<Pattern> unstruc(const Parameters& parameters, const Size& size);
Result<Pattern> hpio(const Parameters& parameters, const Size& size);
Result<Pattern> extent(const Parameters& parameters, const Size& size);
Result<Pattern> timesteps(const Parameters& parameters, const Size& size);
Result<Pattern> hacc(const Parameters& parameters, const Size& size);
Result<Pattern> ior(const Parameters& parameters, const Size& size);
Result<Pattern> mpiiotest(const Parameters& parameters, const Size& size);

// What they are made of.

// A whole number of bytes from 1 to 2^30; 0 where the text is none.
int64_t piece_bytes(std::string_view text);
// "64/8" -> both; 0 where one is none.
struct PieceBytesPair {
  int64_t first = 0, second = 0;
};
PieceBytesPair piece_bytes_pair(std::string_view text);
Error malformed(std::string message);
inline constexpr const char* piece_bytes_rule = "a whole number of bytes from 1 to 1073741824";

// All of a nest once, from `displacement` on.
Access whole(const NestRef& nest, int64_t displacement);
// `count` pieces of `bytes`, each `stride` behind the one before.
Result<NestRef> series(int64_t bytes, int64_t count, int64_t stride);

}  // namespace concilio::sim
