// Converts the data of one transfer between the user's buffer and a file whose data representation is not
// native. Positions count the bytes of the file's stream from the transfer's first byte on. They are
// positions in what the view shows, not offsets in the file.
#pragma once

#include <mpi.h>

#include "mpi/types/own_type.h"
#include "mpi/types/representation.h"

namespace concilio::mpi {

class Conversion {
 public:
  Conversion() = default;  // converts nothing
  // For `count` elements of `type` in memory. The conversion keeps what it needs of the type, so the program
  // may free the type.
  static Result<Conversion> make(MPI_Datatype type, MPI_Count count, const Representation& representation,
                                 Budget& budget);
  Conversion(Conversion&& other) noexcept;
  Conversion& operator=(Conversion&& other) noexcept;

  int64_t memory_bytes() const { return memory_.nest()->memory_bytes() + signature_->memory_bytes(); }
  // Where the items lie in memory, relative to the user's buffer.
  const pattern::Access& memory() const { return memory_; }
  int64_t file_bytes() const { return signature_->total().file_bytes; }
  // A part of a transfer must be at least this long, so that it holds a whole item.
  int64_t widest_item_bytes() const { return signature_->widest_item_bytes(); }
  // The last boundary between items at or before that position.
  int64_t item_boundary(int64_t file_position) const;
  // The items that lie wholly in those bytes.
  pattern::Interval whole_items(pattern::Interval file_bytes) const;
  // How many bytes in memory the whole items before that position take.
  int64_t native_bytes(int64_t file_position) const;

  // Converts the file bytes [begin, end), which are both item boundaries, to or from `staging`, whose first
  // byte holds file byte `begin`. Returns an error of kind `conversion` if a value cannot be converted or a
  // user's function fails.
  Status to_file(const void* buffer, pattern::Interval file_bytes, std::byte* staging) const;
  Status from_file(void* buffer, pattern::Interval file_bytes, const std::byte* staging) const;

 private:
  ItemRange portion(void* buffer, pattern::Interval file_bytes, std::byte* staging) const;
  void swap(Conversion& other);

  const Representation* representation_ = nullptr;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  OwnType own_;  // keeps type_ valid, where it must stay so
  pattern::Access memory_;
  pattern::SignatureRef signature_ = pattern::Signature::empty();
};

}  // namespace concilio::mpi
