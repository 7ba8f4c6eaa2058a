#include "sim/patterns/hacc.h"

#include <algorithm>

#include "sim/pattern.h"

namespace concilio::sim {
namespace {

constexpr int64_t most_particles = INT32_MAX / 8;

}  // namespace

Result<Hacc> hacc_of(const Parameters& parameters, const Size& size) {
  Parameters words = parameters;
  Hacc hacc{size.ranks, std::max<int64_t>(size.bytes_per_rank / Hacc::particle_bytes, 1)};
  const std::string last = words.empty() ? "" : words.back();
  if (last == "shared" || last == "records" || last == "fpp") {
    hacc.layout = last == "shared"    ? Hacc::Layout::shared
                  : last == "records" ? Hacc::Layout::records
                                      : Hacc::Layout::file_per_process;
    words.pop_back();
  }
  if (!words.empty()) hacc.particles = piece_bytes(words[0]);
  if (words.size() > 1 || hacc.particles == 0)
    return malformed(
        "PARTICLES is a whole number from 1 to 1073741824, and shared, records or fpp comes last");
  if (hacc.particles > most_particles) return malformed("more particles a rank than an MPI count can hold");
  return hacc;
}

Result<Pattern> hacc(const Parameters& parameters, const Size& size) {
  const Result<Hacc> made = hacc_of(parameters, size);
  if (!made) return made.error();
  if (made->layout == Hacc::Layout::file_per_process)
    return malformed("each rank has a file of its own: what happens there is that of hacc on one rank");
  return Pattern{
      static_cast<int>(Hacc::variables.size()), "", [hacc = *made](int rank, int call) {
        const Hacc::Variable& variable = Hacc::variables[static_cast<size_t>(call)];
        const int64_t data = hacc.particles * variable.bytes, begin = hacc.begin(rank, variable);
        if (hacc.layout == Hacc::Layout::shared)
          return Request{pattern::Access::contiguous(begin), pattern::Access::contiguous(0), data};
        const Result<pattern::NestRef> values = series(variable.bytes, hacc.particles, Hacc::particle_bytes);
        return values ? Request{whole(*values, begin), pattern::Access::contiguous(0), data} : Request{};
      }};
}

}  // namespace concilio::sim
