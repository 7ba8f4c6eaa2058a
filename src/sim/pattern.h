// The access patterns of `concilio bench` without MPI: what every rank asks for in a call, as Accesses. They
// follow from the same numbers (patterns/NAME.h) as the datatypes of the benchmark program. A test
// (tests/bench_patterns) compares them with the pieces that the benchmark program accesses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pattern/access.h"
#include "sim/alike.h"
#include "sim/patterns/parameters.h"

namespace concilio::sim {

// What one rank asks for: data [0, bytes) of both accesses.
struct Request {
  pattern::Access file = pattern::Access::contiguous(0), memory = pattern::Access::contiguous(0);
  int64_t bytes = 0;
};

struct Pattern {
  int calls = 1;     // number of calls, each with accesses of its own
  std::string note;  // what a user should know; empty: nothing
  std::function<Request(int rank, int call)> request;
  std::optional<Alike> alike{};  // if the ranks ask alike, in the only call
};

struct PatternRow {
  PatternWords words;
  Result<Pattern> (*make)(const Parameters& parameters, const Size& size);
  bool alike = false;  // see Pattern
};
std::span<const PatternRow> pattern_rows();
// Whether a text begins with a pattern's name, as "interleaved:64" does.
bool names_pattern(std::string_view text);
// The names of the patterns whose ranks ask alike, with commas between them.
std::string names_of_alike();

// Makes the pattern that a text such as "interleaved:64" names.
Result<Pattern> make_pattern(std::string_view text, const Size& size);

// The patterns. Files in patterns/ define one each, or several of a kind.
Result<Pattern> contiguous(const Parameters& parameters, const Size& size);
Result<Pattern> interleaved(const Parameters& parameters, const Size& size);
Result<Pattern> block3d(const Parameters& parameters, const Size& size);
Result<Pattern> block4d(const Parameters& parameters, const Size& size);
Result<Pattern> btio(const Parameters& parameters, const Size& size);
Result<Pattern> unstruc(const Parameters& parameters, const Size& size);
Result<Pattern> hpio(const Parameters& parameters, const Size& size);
Result<Pattern> extent(const Parameters& parameters, const Size& size);
Result<Pattern> timesteps(const Parameters& parameters, const Size& size);
Result<Pattern> variables(const Parameters& parameters, const Size& size);
Result<Pattern> hacc(const Parameters& parameters, const Size& size);
Result<Pattern> ior(const Parameters& parameters, const Size& size);
Result<Pattern> mpiiotest(const Parameters& parameters, const Size& size);

// What patterns are made of.

// An access of a whole nest, from `displacement` on.
pattern::Access whole(const pattern::NestRef& nest, int64_t displacement);
// `count` pieces of `bytes` bytes, which begin `stride` bytes apart.
Result<pattern::NestRef> series(int64_t bytes, int64_t count, int64_t stride);

}  // namespace concilio::sim
