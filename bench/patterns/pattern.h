// An access pattern of the benchmark: which bytes of the file and of its buffer each rank moves, in one call
// or in several. The bytes are described as MPI datatypes, for the calls, and as pieces, for the check.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/patterns/parameters.h"

namespace concilio::bench {

struct Piece {
  int64_t file_offset;
  int64_t memory_offset;  // in the buffer; not before the end of the previous piece
  int64_t bytes;
};

// Owns an MPI datatype.
class Datatype {
 public:
  Datatype() = default;
  // Takes ownership of a derived type and commits it.
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

// The arguments of one call of a rank.
struct Access {
  MPI_Offset displacement = 0;  // of the view
  MPI_Datatype etype = MPI_BYTE;
  Datatype filetype;
  Datatype memory;
  MPI_Offset offset = 0;      // of the call, in etypes of the view
  int count = 0;              // of `memory`
  int64_t memory_offset = 0;  // in the buffer
};

// Neighbouring ranks that have whole stretches of the file together. Their data are units, as many for each:
// unit i is the i-th part of the buffer of each, and these parts fill one stretch of the file.
struct Row {
  int first_rank = 0, ranks = 1;
  int64_t units = 0;
  int64_t unit_bytes = 0;                       // of each rank
  std::function<int64_t(int64_t unit)> offset;  // of a unit in the file; the pattern must still be there
};

class Pattern {
 public:
  virtual ~Pattern() = default;
  // Visits the pieces of all calls, in the order of the data, for any rank, because the check looks at the
  // pieces of all ranks.
  virtual void for_each_piece(int rank, const std::function<void(const Piece&)>& visit) const = 0;
  virtual int64_t buffer_bytes(int rank) const = 0;  // including the gaps in memory
  // The number of calls that a repetition consists of; the same on all ranks.
  virtual int calls() const { return 1; }
  virtual Access make_access(int rank, int call) const = 0;
  virtual bool file_per_rank() const { return false; }  // instead of one file for all ranks
  // Whether the ranks move equally many bytes in each call, side by side in their order, one call after
  // another.
  virtual bool side_by_side() const { return false; }
  // The row of a rank, as short as it can be if its stretches are to have so many bytes; nothing if the
  // pattern has no rows.
  virtual std::optional<Row> row_of(int /*rank*/, int64_t /*stretch_bytes*/) const { return {}; }
  virtual std::string note() const { return {}; }  // what a user should know of this run; may be empty

  int64_t data_bytes(int rank) const;
};

using sim::Parameters;
using sim::Size;
using Made = Result<std::unique_ptr<Pattern>>;

// Makes the pattern of a text such as "interleaved:64".
Made make_pattern(const std::string& text, const Size& size);
// One line for each pattern, for --help.
std::string list_of_patterns();

// src/sim/patterns/NAME.h describes each pattern in numbers. A file in this folder makes its datatypes and
// pieces.
Made make_contiguous(const Parameters& parameters, const Size& size);
Made make_interleaved(const Parameters& parameters, const Size& size);
Made make_block3d(const Parameters& parameters, const Size& size);
Made make_block4d(const Parameters& parameters, const Size& size);
Made make_btio(const Parameters& parameters, const Size& size);
Made make_unstruc(const Parameters& parameters, const Size& size);
Made make_hpio(const Parameters& parameters, const Size& size);
Made make_extent(const Parameters& parameters, const Size& size);
Made make_timesteps(const Parameters& parameters, const Size& size);
Made make_variables(const Parameters& parameters, const Size& size);
Made make_hacc(const Parameters& parameters, const Size& size);
Made make_ior(const Parameters& parameters, const Size& size);
Made make_mpiiotest(const Parameters& parameters, const Size& size);

inline constexpr const char* count_rule = "more pieces a rank than an MPI count can hold; take fewer MiB";

}  // namespace concilio::bench
