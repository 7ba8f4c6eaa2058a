// A program's own work, for the time that it leaves to nonblocking calls: so many steps of arithmetic,
// whatever else the core has to do meanwhile.
#pragma once

#include <cstdint>

namespace concilio::bench {

class Computing {
 public:
  // Steps a second when nothing else goes on; measured at the first call.
  double per_second();
  void run(int64_t steps);

 private:
  double per_second_ = 0;
  double value_ = 1;
};

}  // namespace concilio::bench
