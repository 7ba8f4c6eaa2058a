// Where an exception would take one rank out of a collective call that the others are in: it becomes an Error
// of that rank, which all ranks then agree on.
#pragma once

#include <exception>
#include <new>

#include "base/result.h"

namespace concilio::mpiio {

template <typename F>
auto without_exceptions(F&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::no_memory, 0, "out of memory"};
  } catch (const std::exception& unexpected) {
    return Error{ErrorKind::other, 0, unexpected.what()};
  }
}

}  // namespace concilio::mpiio
