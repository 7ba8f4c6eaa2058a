// Turns exceptions into Errors. An exception would take one rank out of a step that all ranks take together.
// As an Error it lets the rank go on with the step, and tell the others at the next agreement.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "base/result.h"

namespace concilio {

// The message is short enough for std::string's inline storage, so making it allocates nothing.
inline Error out_of_memory() {
  return {ErrorKind::no_memory, 0, "out of memory"};
}

// Runs work that may be left out where memory is short, and whose failure cannot be reported: messages to
// people, statistics.
template <typename F>
void if_there_is_memory(F&& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
  }
}

// An error with the message that make() returns, or Error::no_room.
template <typename Make>
Error error_with(ErrorKind kind, int system_errno, Make&& make) {
  Error error{kind, system_errno, Error::no_room};
  if_there_is_memory([&] { error.message = make(); });
  return error;
}

// Returns the work's Result or Status. What it throws becomes an Error.
template <typename F>
auto without_exceptions(F&& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& unexpected) {
    return error_with(ErrorKind::other, 0, [&] { return unexpected.what(); });
  }
}

}  // namespace concilio
