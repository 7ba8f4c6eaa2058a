// What the Fortran routines share. They are plain external routines: their names are in lower case with an
// underscore appended, every argument is passed by reference, and the lengths of the CHARACTER arguments
// follow all other arguments. An integer stands for an I/O group; `ierr` is 0 or FAILURE.
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

namespace concilio::scorpio {

static_assert(sizeof(MPI_Fint) == sizeof(int), "INTEGERs are handed on as ints");

// One I/O group of a Fortran program.
struct Entry {
  iogroup_t group{};
  int64_t sequence = 0;  // the order in which they were made
  XdmfDraft draft;
};

// Makes room for a group and returns its id. The caller removes it again if the group could not be made.
int add_entry();
Entry* find_entry(int id);  // null, and the failure is stored, if there is none
void remove_entry(int id);
// Returns all ids in the order in which the groups were made. Two ranks see the groups that they share in the
// same order.
std::vector<int> entry_ids();

// Returns what stands before CHAR(0) or, if there is none, before the blanks at the end.
std::string fortran_text(const char* text, size_t length);
// The same for a text argument that follows `data` of any type. If `data` was of type CHARACTER, the compiler
// passed its length too, which is 1 for single letters, and the text's own length is the next one. For the
// types CHAR and BYTE, a length of 1 is taken for the length of `data` if no CHAR(0) ends the text.
std::string fortran_text_behind_data(int type, const char* text, size_t length, size_t next_length);
// Copies the text and pads it with blanks. Returns false if it was too long and was cut.
bool put_text(std::string_view text, char* out, size_t length);

// Returns the value for `ierr`, which is the same on all ranks of the group. `mine` is what this rank found
// by itself in the results of a call that all of them have made. Collective.
int outcome(const iogroup_t& group, const Status& mine);

// Runs a routine's body with the group's entry, if there is one. The body returns the value for `ierr`.
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

}  // namespace concilio::scorpio
