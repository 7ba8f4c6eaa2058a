// The methods that were considered for a call. Planning chooses among them by these numbers; programs,
// reports and summaries show the same numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "plan/facts/method.h"

namespace concilio::plan {

struct Candidate {
  Method method = Method::independent;
  bool legal = false, chosen = false;
  double predicted_seconds = 0;  // meaningless if the method is not legal
  // How many earlier calls of the same pattern took this method, and how long they took (Experience).
  int64_t calls = 0;
  double measured_seconds = 0;  // meaningless if there were no such calls
  // What its first call takes besides: the system fills pages of memory when they are first touched.
  double first_use_seconds = 0;
  // Bit M: it does all that method M does, and more, so it is not faster, whatever the prices are.
  uint32_t outdone_by = 0;
  bool is_outdone_by(Method method) const { return (outdone_by >> static_cast<int>(method) & 1) != 0; }
};

// All methods, in the order of Method; or none, if the call left no choice. The list allocates no memory.
class Candidates {
 public:
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  const Candidate* begin() const { return all_.data(); }
  const Candidate* end() const { return all_.data() + count_; }
  const Candidate& operator[](size_t i) const { return all_[i]; }
  const Candidate& operator[](Method method) const { return all_[static_cast<size_t>(method)]; }
  Candidate& operator[](Method method) { return all_[static_cast<size_t>(method)]; }
  void add(const Candidate& candidate) { all_.at(count_++) = candidate; }

 private:
  std::array<Candidate, method_count> all_{};
  size_t count_ = 0;
};

}  // namespace concilio::plan
