// The frame of every function of the C interface: finds the file, lets all ranks agree on the call, turns
// what comes of it into a return value and scorpio_last_error.
#pragma once

#include <fmt/format.h>
#include <scorpio.h>

#include <exception>
#include <new>
#include <string>

#include "scorpio/group.h"

namespace concilio::scorpio {

// Keeps why this rank's call failed. Returns FAILURE.
int fail(const Error& error);
void forget_failure();
const char* last_failure();

// Nothing thrown leaves a function of the C interface.
template <typename Work>
int guarded(Work work) noexcept {
  try {
    QuietHdf5 quiet;
    return work();
  } catch (const std::bad_alloc&) {
    return fail({ErrorKind::no_memory, 0, "out of memory"});
  } catch (const std::exception& thrown) {
    return fail({ErrorKind::other, 0, thrown.what()});
  }
}

// A name that the program gave; null is an error of the call, not of the program's.
inline std::string text_of(const char* name) {
  return name ? name : "";
}

// Runs work(File&) -> Status, which is collective, on all ranks of the file's group, if they agree on `call`
// (what is called, with those arguments that must be the same everywhere: "reads dataset rho") and `mine` is
// well on all: what this rank alone can say against its arguments. Returns 0 or FAILURE, the same on all.
template <typename Work>
int on_file(iogroup_t* shown, int handle, const std::string& call, const Status& mine, Work work) noexcept {
  return guarded([&]() -> int {
    forget_failure();
    if (!shown || !shown->impl)
      return fail({ErrorKind::argument, 0,
                   fmt::format("this rank {} without an I/O group: call scorpio_IOgroup_init "
                               "first",
                               call)});
    Group& group = *static_cast<Group*>(shown->impl);
    const auto found = group.file(handle);
    Status status = mine;
    if (!mine)
      status =
          Error{mine.error().kind, 0, fmt::format("rank {}: {}", group.layout->rank, mine.error().message)};
    if (!found) status = found.error();
    status = agree_on(group.comm, fmt::format("{} with file handle {}", call, handle), status);
    File* file = found ? *found : nullptr;
    if (status) status = work(*file);
    if (status) return 0;
    Error error = status.error();
    error.message = fmt::format("{}: {}", file ? file->name : "SCORPIO", error.message);
    return fail(error);
  });
}

}  // namespace concilio::scorpio
