// What an aggregator of persistent realms has taken over and not yet written: pieces of several collective
// writes lie side by side until the buffer is full, so that the time steps of a program become one request.
// This is the write-back cache that persistent realms allow (Coloma et al., "A New Flexible MPI Collective
// I/O Implementation", section 6.4), inside the memory budget and without the file system's help: since every
// byte always goes through the same aggregator, nobody else has an older or newer one.
#pragma once

#include <map>
#include <span>

#include "base/budget.h"
#include "exec/running_call.h"
#include "exec/two_phase/images.h"

namespace concilio {

class WriteBehind {
 public:
  // Room for `bytes` of pieces and what it takes to know them; grows only while nothing is held.
  Status prepare(Budget& budget, int64_t bytes);
  // What a piece costs besides its bytes: many tiny ones fill the buffer too.
  static constexpr int64_t piece_bytes = 128;

  // Takes over the covered bytes of a window; later ones replace earlier ones. Where the file would become
  // longer its last bytes are written at once, so that its size is what it should be.
  Status absorb(const RunningCall& call, std::span<const WindowPart> parts);
  // Writes all that is held, in ascending order, neighbours as one. What cannot be written is lost, as after
  // any failed write: the error says so.
  Status flush(const RunningCall& call);
  // The same, and gives the memory back; the file may have another size afterwards.
  Status end(const RunningCall& call);
  bool empty() const { return pieces_.empty(); }

 private:
  struct Piece {
    int64_t length;
    std::byte* data;  // in buffer_
  };
  Status take(const RunningCall& call, Interval file, const std::byte* data);
  void forget(Interval file);
  int64_t room() const;

  Buffer buffer_;
  int64_t used_bytes_ = 0;           // of buffer_; what is replaced stays until the next flush
  std::map<int64_t, Piece> pieces_;  // by file offset; disjoint
  int64_t file_end_ = 0;             // as far as this rank has made the file
};

}  // namespace concilio
