// What the Fortran routines share. They are plain external ones: lower case, an underscore behind, every
// argument by reference, the lengths of the CHARACTER arguments behind all others. An I/O group is known by
// an integer; `ierr` is 0 or FAILURE.
#pragma once

#include <scorpio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scorpio/c/call.h"
#include "scorpio/fortran/fortran_xdmf.h"

#define FSCORPIO extern "C" __attribute__((visibility("default"))) void

namespace concilio::scorpio::fortran {

static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGERs are handed on as ints");

// One I/O group of a Fortran program.
struct Entry {
  iogroup_t group{};
  int64_t sequence = 0;  // the order in which they were made
  XdmfDraft draft;
};

// Makes room for a group; its id. To be given up again if the group could not be made.
int add_entry();
Entry* find_entry(int id);  // null, and the failure kept, if there is none
void remove_entry(int id);
// The ids there are, in the order of making: two ranks see the groups that they share in the same.
std::vector<int> entry_ids();

// What stands before CHAR(0), or, without one, before the blanks at the end.
std::string fortran_text(const char* text, size_t length);
// The same of a text that stands behind `data` of any type. If that was CHARACTER the compiler passed its
// length, too: 1 for single letters, and ours is the next. For types CHAR and BYTE a length of 1 is taken for
// that, where no CHAR(0) ends the text.
std::string fortran_text_behind_data(int type, const char* text, size_t length, size_t next_length);
// Pads with blanks. False: it is too long, and was cut.
bool put_text(std::string_view text, char* out, size_t length);

// What `ierr` shall be, the same on all ranks of the group, for what each of them found by itself.
// Collective.
int outcome(const iogroup_t& group, const Status& mine);

// Runs a routine's body, which returns what `ierr` shall be; with the group's entry, if there is one.
template <typename Body>
void on_entry(const int* id, int* ierr, Body&& body) {
  *ierr = guarded([&] {
    Entry* entry = find_entry(*id);
    return entry ? body(*entry) : FAILURE;
  });
}

template <typename Body>
void on_group(const int* id, int* ierr, Body&& body) {
  on_entry(id, ierr, [&](Entry& entry) { return body(&entry.group); });
}

}  // namespace concilio::scorpio::fortran
