// A computation that runs while nonblocking calls proceed: a given number of steps of arithmetic, whatever
// else uses the core.
#pragma once

#include <cstdint>

namespace concilio::bench {

class Computing {
 public:
  // Steps a second if nothing else runs; measured by the first call.
  double per_second();
  void run(int64_t steps);

 private:
  double per_second_ = 0;
  double value_ = 1;
};

}  // namespace concilio::bench
