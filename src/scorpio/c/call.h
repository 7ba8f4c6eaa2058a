// The frame of every function of the C interface: it finds the file, lets all ranks agree on the call, and
// turns the outcome into a return value and the text of scorpio_last_error.
#pragma once

#include <fmt/format.h>
#include <scorpio.h>

#include <exception>
#include <new>
#include <string>

#include "base/exceptions.h"
#include "scorpio/files/group.h"
#include "scorpio/ranks/begin.h"

namespace concilio::scorpio {

// Stores why this rank's call failed. Returns FAILURE.
int fail(const Error& error);
void forget_failure();
const char* last_failure();

// Runs `work` and turns what it throws into an error, since nothing thrown may leave a function of the C
// interface.
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

// Returns a name that the program gave, or "" for a null pointer, for which the call returns an error.
inline std::string text_of(const char* name) {
  return name ? name : "";
}

inline Status at_rank(const Group& group, const Status& mine) {
  if (mine) return {};
  return Error{mine.error().kind, 0, fmt::format("rank {}: {}", group.layout->rank, mine.error().message)};
}

inline Status about(const std::string& file, const Status& status) {
  if (status) return {};
  return Error{status.error().kind, 0, fmt::format("{}: {}", file, status.error().message)};
}

// What the ranks must agree on also says which I/O group it is: those of one communicator have files with the
// same handles.
inline std::string in_group(const Group& group, const std::string& call) {
  return fmt::format("{} (I/O group {})", call, group.number);
}

// Runs work(Group&) -> Status with the I/O group of the call. There must be one: then all its ranks can learn
// of any other error.
template <typename Work>
int with_group(iogroup_t* shown, const std::string& call, Work work) noexcept {
  return guarded([&]() -> int {
    forget_failure();
    if (!shown || !shown->impl)
      return fail({ErrorKind::argument, 0,
                   fmt::format("this rank {} without an I/O group: call scorpio_IOgroup_init "
                               "first",
                               call)});
    const Status status = work(*static_cast<Group*>(shown->impl));
    return status ? 0 : fail(status.error());
  });
}

// Runs work(File&) -> Status, which is collective, on all ranks of the file's group. `call` says what is
// called, with those arguments that must be the same on all ranks, for example "reads dataset rho". `mine` is
// the error that this rank alone finds in its arguments. `work` runs only if `call` is the same and `mine` is
// no error on all ranks. Returns 0 or FAILURE, the same on all ranks.
template <typename Work>
int on_file(iogroup_t* shown, int handle, const std::string& call, const Status& mine, Work work) noexcept {
  return with_group(shown, call, [&](Group& group) -> Status {
    const auto found = group.file(handle);
    File* file = found ? *found : nullptr;
    Status status = begin_together({group.comm, file ? file->name : ""},
                                   in_group(group, fmt::format("{} with file handle {}", call, handle)),
                                   found ? at_rank(group, mine) : Status(found.error()));
    if (status) status = work(*file);
    return about(file ? file->name : "SCORPIO", status);
  });
}

// A call that the roots make together, and that the other ranks of their groups may make or not. The roots do
// not wait for these ranks, but tell them the outcome.
struct RootCall {
  iogroup_t* shown;
  int handle;
  std::string name;        // "closes a file": by this the other ranks know the call
  std::string call;        // the same, with the arguments that must be the same on all roots
  Status mine;             // the error that this rank alone finds in its arguments
  bool ends_file = false;  // no other call on the file follows
};

// Runs work(File&, value) -> Status, which is collective over the roots, on all roots. Then runs
// follow(File&, value) on other ranks that make the call. Returns 0 or FAILURE: the same on all roots, and on
// the other ranks that of their root, unless their own arguments are wrong.
template <typename Work, typename Follow>
int on_roots(const RootCall& asked, Work work, Follow follow) noexcept {
  return with_group(asked.shown, asked.call, [&](Group& group) -> Status {
    const auto found = group.file(asked.handle);
    const std::string name = found ? (*found)->name : "SCORPIO";
    const LayoutRef layout = group.layout_of_file(asked.handle);
    const Status mine = found ? at_rank(group, asked.mine) : Status(found.error());
    Notice notice;
    notice.group = group.number;
    notice.call = in_group(group, fmt::format("{} with file handle {}", asked.name, asked.handle));
    if (layout->is_root()) {
      notice.outcome =
          agree_on({layout->io, found ? name : "", &layout->roots},
                   in_group(group, fmt::format("{} with file handle {}", asked.call, asked.handle)), mine);
      if (notice.outcome) notice.outcome = without_exceptions([&] { return work(**found, notice.value); });
      notice.outcome = about(name, notice.outcome);
      notice.stays = found && asked.ends_file;
      layout->notices.post(layout->local, notice);
      return notice.outcome;
    }
    // This rank waits even if its own arguments are wrong, so that it keeps step with its root.
    Waiting waiting({layout->local, name, &layout->members}, asked.call);
    auto told = layout->notices.await(layout->local, notice.call, waiting);
    if (!mine) return about(name, mine);
    if (!told) return about(name, told.error());
    if (told->outcome || asked.ends_file) follow(**found, told->value);
    return told->outcome;
  });
}

}  // namespace concilio::scorpio
