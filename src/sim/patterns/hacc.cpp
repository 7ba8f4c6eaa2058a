// HACC-IO: particles of nine variables. Each variable is an array in memory, and has a call of its own.
#include <algorithm>
#include <array>

#include "base/checked.h"
#include "sim/pattern.h"

namespace concilio::sim {
namespace {

struct Variable {
  int64_t bytes, before;  // size of the variable, and its offset in a particle's record
};
// xx yy zz vx vy vz phi, pid, mask.
constexpr std::array<Variable, 9> variables = {
    {{4, 0}, {4, 4}, {4, 8}, {4, 12}, {4, 16}, {4, 20}, {4, 24}, {8, 28}, {2, 36}}};
constexpr int64_t particle_bytes = 38;
constexpr int64_t most_particles = INT32_MAX / 8;

}  // namespace

Result<Pattern> hacc(const Parameters& parameters, const Size& size) {
  Parameters words = parameters;
  std::string layout = "shared";
  if (!words.empty() && (words.back() == "shared" || words.back() == "records" || words.back() == "fpp")) {
    layout = words.back();
    words.pop_back();
  }
  const int64_t particles =
      words.empty() ? std::max<int64_t>(size.bytes_per_rank / particle_bytes, 1) : piece_bytes(words[0]);
  if (words.size() > 1 || particles == 0)
    return malformed(
        "PARTICLES is a whole number from 1 to 1073741824, and shared, records or fpp comes last");
  if (particles > most_particles) return malformed("more particles a rank than an MPI count can hold");
  if (layout == "fpp")
    return malformed("each rank has a file of its own: what happens there is that of hacc on one rank");
  const int64_t ranks = size.ranks;
  return Pattern{static_cast<int>(variables.size()), "",
                 [=, records = layout == "records"](int rank, int call) {
                   const auto [bytes, before] = variables[static_cast<size_t>(call)];
                   const int64_t data = particles * bytes;
                   if (!records)
                     return Request{Access::contiguous(particles * (ranks * before + rank * bytes)),
                                    Access::contiguous(0), data};
                   const Result<NestRef> values = series(bytes, particles, particle_bytes);
                   return values ? Request{whole(*values, rank * particles * particle_bytes + before),
                                           Access::contiguous(0), data}
                                 : Request{};
                 }};
}

}  // namespace concilio::sim
