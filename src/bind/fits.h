// Whether the MPI that the program runs on is one that this library was built for. One soname says too
// little: Open MPI 4 and 5 share it, and what their handles and constants are differs.
#pragma once

namespace concilio::bind {

namespace detail {
bool look();
}

// Looks at the first call, which may come before MPI_Init, and says once a job what does not fit. All entry
// points that do not fit pass everything on to the MPI, if they can.
inline bool fits() {
  static const bool answer = detail::look();
  return answer;
}

// Whether the program's MPI has handles of the same size and kind, so that calls can be passed on to it.
bool can_pass_on();

}  // namespace concilio::bind
