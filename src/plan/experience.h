// What calls of one pattern have taken, by method, and which method the next call takes. Measured time goes
// before a predicted one: a wrong price is found out within a few calls. Every rank holds the same, so that
// all choose alike.
//
// The first three calls try what the prices leave open: the cheapest by price, another that is not much
// dearer, and the first once more, as a pattern's first call pays for much besides; or a third one. After
// that the fastest stays. Another takes its place where it was clearly faster, and each change makes the next
// one harder, so that methods that take equally long do not alternate. What seemed too dear, or not much
// slower, is tried when that costs no more than a tenth of the time that calls have taken since.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "plan/method.h"

namespace concilio {

struct Candidate;

class Experience {
 public:
  // What one more call took: the slowest rank's time.
  void add(Method method, double seconds);

  int64_t calls() const { return state_.calls; }
  int64_t calls(Method method) const { return of(method).calls; }
  // The second least of the last four calls, of two or fewer the least: what disturbs a call makes it slower,
  // and hardly ever faster. Nothing where the method has not run.
  std::optional<double> seconds(Method method) const;
  // Whether all that is known is the pattern's very first call, which pays for much besides.
  bool only_cold(Method method) const {
    return state_.calls > 0 && method == state_.first && calls(method) == 1;
  }
  // Of all calls, and of those since a method's last one.
  double total_seconds() const { return state_.total_seconds; }
  double seconds_since(Method method) const { return state_.total_seconds - of(method).last_at_seconds; }
  // The method of the last call, and how often it was another than that of the call before.
  std::optional<Method> last() const { return state_.calls > 0 ? std::optional(state_.last) : std::nullopt; }
  int64_t changes() const { return state_.changes; }

  // As it is written down, and read again.
  static constexpr int remembered_calls = 4;
  struct OfMethod {
    int64_t calls = 0;
    std::array<double, remembered_calls> seconds{};  // of call i at i modulo their number
    double last_at_seconds = 0;                      // of total_seconds, at the last of them
  };
  struct State {
    int64_t calls = 0, changes = 0;
    double total_seconds = 0;
    Method first = Method::independent, last = Method::independent;
    std::array<OfMethod, method_count> methods{};
  };
  const State& state() const { return state_; }
  Experience() = default;
  explicit Experience(const State& state) : state_(state) {}

 private:
  const OfMethod& of(Method method) const { return state_.methods[static_cast<size_t>(method)]; }

  State state_;
};

// The method of the next call, of candidates in the order of Method of which one at least is legal.
Method next_method(std::span<const Candidate> candidates, const Experience& experience);

}  // namespace concilio
