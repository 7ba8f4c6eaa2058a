// A case: a file, how it is opened, and a sequence of operations of all ranks. All of it follows from a seed.
// Every rank makes the whole case, so it knows what the others do without communication.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/type_spec.h"

namespace oracle {

using namespace tests;

// The part of the file that one rank sees.
struct View {
  int64_t displacement = 0;
  TypeSpec etype, filetype;
  Form form = Form::memory;  // in the file
  Flat flat;                 // of filetype, there
  int64_t etype_bytes = 1;   // in the file
  int64_t most_bytes = 0;    // bytes of data that the case may touch through this view
};

// The file's bytes that hold the view's data from `position` on, `bytes` of it.
std::vector<Piece> pieces_of(const View& view, int64_t position, int64_t bytes);

// One rank's part of a transfer.
struct Access {
  bool takes_part = true;  // for independent calls: whether this rank makes the call
  int times = 1;           // for independent writes: how often the call is repeated, between calls of others
  int64_t offset = 0;      // in etypes, from the start of the view
  // Before a call at the individual pointer: -1 for no seek, else MPI_SEEK_SET or MPI_SEEK_CUR.
  int seek = -1;
  int64_t seek_by = 0;
  TypeSpec memory;
  int count = 0;
  bool absolute = false;     // MPI_BOTTOM and a type of absolute addresses
  Form form = Form::memory;  // in the file
  int64_t bytes = 0, file_bytes = 0;
  std::vector<Piece> file, buffer;  // buffer: relative to the buffer's origin
};

// The meaning of a byte of the file.
struct Cell {
  int64_t place;  // in the buffer; no_place for filling
  bool ends_item;
};
constexpr int64_t no_place = INT64_MIN;
constexpr uint8_t filling = 0xA5;
// All bytes of the file that an access reaches, in the order of the file.
std::vector<Cell> cells_of(const Access& access);

enum class OpKind { write, read, set_view, set_size, preallocate, reopen };

struct Op {
  OpKind kind = OpKind::write;
  int open = 0;  // the open through which the ranks make the calls; for set_view: all
  bool collective = false;
  bool explicit_offset = false;
  bool same_bytes = false;  // whether ranks overlap; what is written then follows from the file offset alone
  // A nonblocking call that is completed only before the first operation that depends on it.
  bool left_under_way = false;
  std::vector<Access> accesses;  // one for each rank
  // For set_view: those of the first open, one for each rank, then those of the next.
  std::vector<View> views;
  int64_t size = 0;          // for set_size and preallocate
  bool settle_after = true;  // sync, barrier, sync, which must come before any conflicting access
};

// The ranks that open a file together, with one handle.
enum class Openers { all, all_reversed, copy_of_all, odd_and_even, self, copy_of_self };

struct Opening {
  Openers openers = Openers::all;
  std::vector<std::pair<std::string, std::string>> hints;
};

struct Case {
  uint64_t seed = 0;
  int ranks = 1;
  int amode = 0;
  std::vector<Opening> openings;  // at least one; the first is by all ranks
  int64_t initial_bytes = 0;
  std::vector<Op> ops;
};

struct CaseOptions {
  Form form = Form::memory;      // the representation of views that are set
  bool collective_only = false;  // whether every access is collective, in cases that are otherwise the same
  // If more than 1: the greatest number of opens of the file, of which there are at least 2.
  int most_opens = 1;
  // Whether the last views and accesses are repeated by turns, as programs do that write several variables in
  // each time step: in the same place or in another, with other bytes. Else the cases are the same.
  bool by_turns = false;
  // Whether datatypes are made of bytes alone, a list of blocks each, whose first begins at 0. The pieces of
  // the file and their order are the same. SMPI makes many other datatypes wrongly.
  bool plain_types = false;
  int64_t most_bytes = int64_t{1} << 18;  // about how many bytes the file has
};
Case make_case(uint64_t seed, int ranks, const CaseOptions& options);
std::string describe(const Case& c);
std::string describe(const Case& c, size_t op, int rank);

}  // namespace oracle
