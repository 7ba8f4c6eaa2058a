// A case: a file, how it is opened, and a sequence of operations of all ranks, all of which follow from a
// seed. Every rank makes the whole of it, and so knows what the others do without being told.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/type_spec.h"

namespace oracle {

using namespace tests;

// What one rank sees of the file.
struct View {
  int64_t displacement = 0;
  TypeSpec etype, filetype;
  Form form = Form::memory;  // in the file
  Flat flat;                 // of filetype, there
  int64_t etype_bytes = 1;   // in the file
  int64_t most_bytes = 0;    // data the case may touch through this view
};

// The file's bytes that hold the view's data from `position` on, `bytes` of it.
std::vector<Piece> pieces_of(const View& view, int64_t position, int64_t bytes);

// One rank's part of a transfer.
struct Access {
  bool takes_part = true;  // independent calls only: whether this rank calls at all
  int times = 1;           // independent writes: the same call so often, which others come between
  int64_t offset = 0;      // in etypes, from the start of the view
  int seek = -1;  // before a call at the individual pointer: -1 none, else MPI_SEEK_SET or MPI_SEEK_CUR
  int64_t seek_by = 0;
  TypeSpec memory;
  int count = 0;
  bool absolute = false;     // MPI_BOTTOM and a type of absolute addresses
  Form form = Form::memory;  // in the file
  int64_t bytes = 0, file_bytes = 0;
  std::vector<Piece> file, buffer;  // buffer: relative to the buffer's origin
};

// What a byte of the file holds.
struct Cell {
  int64_t place;  // in the buffer; no_place: filling
  bool ends_item;
};
constexpr int64_t no_place = INT64_MIN;
constexpr uint8_t filling = 0xA5;
// Of all the bytes of the file that an access reaches, in their order there.
std::vector<Cell> cells_of(const Access& access);

enum class OpKind { write, read, set_view, set_size, preallocate, reopen };

struct Op {
  OpKind kind = OpKind::write;
  int open = 0;  // that the ranks make the calls through; of set_view: all
  bool collective = false;
  bool explicit_offset = false;
  bool same_bytes = false;       // ranks overlap: what is written follows from the file offset alone
  bool left_under_way = false;   // a nonblocking call that is waited for only before what needs it
  std::vector<Access> accesses;  // one a rank
  std::vector<View> views;       // of set_view: of the first open one a rank, then of the next
  int64_t size = 0;              // of set_size and preallocate
  bool settle_after = true;      // sync, barrier, sync: required before anything that conflicts
};

// By whom a file is opened, all of whom together have one handle.
enum class Openers { all, all_reversed, copy_of_all, odd_and_even, self, copy_of_self };

struct Opening {
  Openers openers = Openers::all;
  std::vector<std::pair<std::string, std::string>> hints;
};

struct Case {
  uint64_t seed = 0;
  int ranks = 1;
  int amode = 0;
  std::vector<Opening> openings;  // at least one; the first by all ranks
  int64_t initial_bytes = 0;
  std::vector<Op> ops;
};

struct CaseOptions {
  Form form = Form::memory;      // of views that are set
  bool collective_only = false;  // of the same cases, every access is collective
  int most_opens = 1;            // more: the file is opened so often at most, at least twice
};
Case make_case(uint64_t seed, int ranks, const CaseOptions& options);
std::string describe(const Case& c);
std::string describe(const Case& c, size_t op, int rank);

}  // namespace oracle
