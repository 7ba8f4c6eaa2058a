// What calls of one pattern have taken, by method. Every rank holds the same, so that all choose alike.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "plan/facts/method.h"

namespace concilio {

class Experience {
 public:
  // What one more call took: the slowest node's time.
  void add(Method method, double seconds);

  int64_t calls() const { return state_.calls; }
  int64_t calls(Method method) const { return of(method).calls; }
  // The lower quartile of what is remembered: what disturbs a call makes it slower, and hardly ever faster.
  // Nothing where the method has not run.
  std::optional<double> seconds(Method method) const;
  // Of all calls since a method's last one.
  double seconds_since(Method method) const { return state_.total_seconds - of(method).last_at_seconds; }
  // The method of the last call.
  std::optional<Method> last() const { return state_.calls > 0 ? std::optional(state_.last) : std::nullopt; }

  // As it is written down, and read again.
  static constexpr int64_t most_remembered = 16;
  struct OfMethod {
    int64_t calls = 0;
    // Of the last calls, the oldest one's place taken by the next. The first call pays for buffers besides,
    // and is forgotten once there is a second.
    std::array<double, most_remembered> seconds{};
    double last_at_seconds = 0;  // of total_seconds, at the last of them

    int64_t remembered() const;
  };
  struct State {
    int64_t calls = 0;
    double total_seconds = 0;
    Method last = Method::independent;
    std::array<OfMethod, method_count> methods{};
  };
  const State& state() const { return state_; }
  Experience() = default;
  explicit Experience(const State& state) : state_(state) {}

 private:
  const OfMethod& of(Method method) const { return state_.methods[static_cast<size_t>(method)]; }

  State state_;
};

}  // namespace concilio
