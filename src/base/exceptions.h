// Where an exception would take one rank out of a step that other ranks take with it: it becomes an Error of
// that rank, which goes on with the step and tells the others at the next agreement.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "base/result.h"

namespace concilio {

// As long as a string holds without memory of its own: there is none.
inline Error out_of_memory() {
  return {ErrorKind::no_memory, 0, "out of memory"};
}

// What the work returns, a Result or Status, or what it threw as an Error.
template <typename F>
auto without_exceptions(F&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& unexpected) {
    return Error{ErrorKind::other, 0, unexpected.what()};
  }
}

// For what nobody would miss, and nobody can be told of: messages to people, statistics.
template <typename F>
void if_there_is_memory(F&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
  }
}

// An error whose message is make()'s, or none of its own where there is no memory for it.
template <typename Make>
Error error_with(ErrorKind kind, int system_errno, Make&& make) {
  Error error{kind, system_errno, "no memory to say"};
  if_there_is_memory([&] { error.message = make(); });
  return error;
}

}  // namespace concilio
