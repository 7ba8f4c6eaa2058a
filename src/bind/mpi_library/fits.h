// Tells whether the MPI that the program runs on is one that this library was built for. The soname does not
// tell enough: Open MPI 4 and 5 share it, but their handles and constants differ.
#pragma once

namespace concilio::bind {

namespace detail {
bool look();
}

// Looks when it is first called, which may be before MPI_Init. If the MPI does not fit, one rank of the job
// says so, and all entry points pass everything on to the MPI, provided that they can.
inline bool fits() {
  static const bool answer = detail::look();
  return answer;
}

// Whether the program's MPI has handles of the same size and kind, so that calls can be passed on to it.
bool can_pass_on();

}  // namespace concilio::bind
