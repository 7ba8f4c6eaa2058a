// An access pattern of the benchmark: which bytes of the file and of its buffer each rank moves, in one call
// or in several, both as MPI datatypes, for the calls, and as plain pieces, for the check.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/patterns/parameters.h"

namespace concilio::bench {

struct Piece {
  int64_t file_offset;
  int64_t memory_offset;  // in the buffer; never before the end of the piece before
  int64_t bytes;
};

// An MPI datatype that is freed with this.
class Datatype {
 public:
  Datatype() = default;
  // Takes over a derived type and commits it.
  explicit Datatype(MPI_Datatype derived) : type_(derived), owned_(true) { MPI_Type_commit(&type_); }
  static Datatype bytes() { return {}; }
  Datatype(Datatype&& other) noexcept { swap(other); }
  Datatype& operator=(Datatype&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Datatype() {
    if (owned_) MPI_Type_free(&type_);
  }
  MPI_Datatype get() const { return type_; }

 private:
  void swap(Datatype& other) {
    std::swap(type_, other.type_);
    std::swap(owned_, other.owned_);
  }
  MPI_Datatype type_ = MPI_BYTE;
  bool owned_ = false;
};

// What a rank hands to MPI in one call.
struct Access {
  MPI_Offset displacement = 0;  // of the view
  MPI_Datatype etype = MPI_BYTE;
  Datatype filetype;
  Datatype memory;
  int count = 0;              // of `memory`
  int64_t memory_offset = 0;  // in the buffer
};

class Pattern {
 public:
  virtual ~Pattern() = default;
  // Of all calls, in the order of the data, for any rank: the check looks at all of them.
  virtual void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const = 0;
  virtual int64_t buffer_bytes(int rank) const = 0;  // with the gaps in memory
  // That a repetition consists of, each with its own view; the same on all ranks.
  virtual int calls() const { return 1; }
  virtual Access make_access(int rank, int call) const = 0;
  virtual bool file_per_rank() const { return false; }  // in place of one for all
  virtual std::string note() const { return {}; }       // what a user should know of this run

  int64_t data_bytes(int rank) const;
};

using sim::Parameters;
using sim::Size;
using Made = Result<std::unique_ptr<Pattern>>;

// "interleaved:64" -> the pattern.
Made make_pattern(const std::string& text, const Size& size);
// One line a pattern, for --help.
std::string list_of_patterns();

// Each pattern in numbers is in src/sim/patterns/NAME.h; a file here makes its datatypes and pieces of them.
Made make_contiguous(const Parameters& parameters, const Size& size);
Made make_interleaved(const Parameters& parameters, const Size& size);
Made make_block3d(const Parameters& parameters, const Size& size);
Made make_btio(const Parameters& parameters, const Size& size);
Made make_unstruc(const Parameters& parameters, const Size& size);
Made make_hpio(const Parameters& parameters, const Size& size);
Made make_extent(const Parameters& parameters, const Size& size);
Made make_timesteps(const Parameters& parameters, const Size& size);
Made make_hacc(const Parameters& parameters, const Size& size);
Made make_ior(const Parameters& parameters, const Size& size);
Made make_mpiiotest(const Parameters& parameters, const Size& size);

inline constexpr const char* count_rule = "more pieces a rank than an MPI count can hold; take fewer MiB";

}  // namespace concilio::bench
