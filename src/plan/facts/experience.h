// How long calls of one pattern took, by method. Every rank holds the same, so that all ranks make the same
// choice.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "plan/facts/method.h"

namespace concilio::plan {

class Experience {
 public:
  // Adds the time of one more call: that of the slowest node.
  void add(Method method, double seconds);
  // Adds the time of calls that nobody has measured, by the method of the last call.
  void pass(double seconds) {
    if (calls() > 0) state_.total_seconds += seconds;
  }

  int64_t calls() const { return state_.calls; }
  int64_t calls(Method method) const { return of(method).calls; }
  // The lower quartile of the remembered times, since disturbances make a call slower and hardly ever faster.
  // Empty if the method has not run.
  std::optional<double> seconds(Method method) const;
  // The total time of all calls since the method's last one.
  double seconds_since(Method method) const { return state_.total_seconds - of(method).last_at_seconds; }
  // The total time of all calls since the last one by another method.
  double seconds_without_others(Method method) const;
  // The method of the last call.
  std::optional<Method> last() const { return state_.calls > 0 ? std::optional(state_.last) : std::nullopt; }

  // The form in which an experience is written to a file and read again.
  static constexpr int64_t most_remembered = 16;
  struct OfMethod {
    int64_t calls = 0;
    // The times of the last calls; a new one replaces the oldest. The first call's time includes the
    // allocation of buffers, so it is forgotten once there is a second.
    std::array<double, most_remembered> seconds{};
    double last_at_seconds = 0;  // total_seconds after the last of these calls

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

}  // namespace concilio::plan
