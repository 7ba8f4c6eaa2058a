#include "plan/reason.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.h"
#include "base/format_seconds.h"
#include "base/settings/config.h"
#include "plan/layout/windows.h"

namespace concilio {
namespace {

std::string pieces_of(const Digest& digest) {
  const int64_t pieces = std::max<int64_t>(1, digest.file_pieces);
  return fmt::format("{} piece{} of about {}", pieces, pieces == 1 ? "" : "s",
                     format_bytes(digest.bytes / pieces));
}

// What a method takes, as far as that is known: measured, else predicted.
double expected(const Candidate& candidate) {
  return candidate.calls > 0 ? candidate.measured_seconds : candidate.seconds;
}

const char* known_by(const Candidate& candidate) {
  return candidate.calls > 0 ? "measured" : "predicted";
}

// What the choice gains: the best of the others that are legal.
std::string comparison(const Plan& plan) {
  const Candidate& chosen = plan.candidates[static_cast<size_t>(plan.method)];
  const Candidate* other = nullptr;
  for (const Candidate& candidate : plan.candidates) {
    if (!candidate.legal || candidate.method == plan.method) continue;
    if (other == nullptr || expected(candidate) < expected(*other)) other = &candidate;
  }
  std::string took = fmt::format("{} {}", known_by(chosen), format_seconds(expected(chosen)));
  if (other == nullptr) return took;
  // Experience tries what few calls have told of. By less than this it stays with what it has.
  constexpr double much_slower = 1.06;
  const bool is_trial = !plan.wished && expected(chosen) > much_slower * expected(*other);
  // "predicted 1 ms against 2 ms for list"; both are named where they are known differently.
  const bool alike = (chosen.calls > 0) == (other->calls > 0);
  return fmt::format("{}{} against {}{} for {}", is_trial ? "a trial, as it may be faster: " : "", took,
                     alike ? "" : fmt::format("{} ", known_by(*other)), format_seconds(expected(*other)),
                     method_name(other->method));
}

std::string by_price(const Facts& facts, const Plan& plan) {
  const Digest& digest = facts.digest;
  switch (plan.method) {
    case Method::independent:
      return "each rank's bytes are one stretch of the file, which needs no help";
    case Method::list:
      return fmt::format("{} are worth a request each", pieces_of(digest));
    case Method::sieve:
      return fmt::format("{} would need {} requests alone; requests of {} take the holes along",
                         pieces_of(digest), digest.file_pieces, format_bytes(plan.sieve_buffer_bytes));
    case Method::mapped:
      return fmt::format("{} are copied straight {} the file's pages in this node's memory",
                         pieces_of(digest), facts.operation == Operation::read ? "from" : "to");
    case Method::two_phase:
      break;
  }
  int64_t windows = 0;
  for (const Realm& realm : plan.realms) windows += rounds_of(realm);
  return fmt::format("{} would need {} requests alone; together {} window{} of {} {}", pieces_of(digest),
                     digest.file_pieces, windows, windows == 1 ? "" : "s", format_bytes(plan.window_bytes),
                     windows == 1 ? "does" : "do");
}

}  // namespace

std::string reason_for(const Facts& facts, const Plan& plan, const Choice& choice) {
  const char* name = method_name(plan.method);
  if (facts.digest.bytes <= 0) return fmt::format("{}: no rank asks for any bytes", name);
  std::string why = choice.wished ? choice.because : by_price(facts, plan);
  if (!choice.wished && !choice.because.empty()) why = choice.because + "; " + why;
  return fmt::format("{}: {} ({})", name, why, comparison(plan));
}

}  // namespace concilio
