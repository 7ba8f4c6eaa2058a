// The data that an aggregator of persistent file realms holds back: it has received them and not yet written
// them. Pieces of several collective writes lie side by side until the buffer is full, so that the time steps
// of a program become one request. This is the write-back cache that persistent realms allow (Coloma et al.,
// "A New Flexible MPI Collective I/O Implementation", section 6.4), within the memory budget and without help
// from the file system: every byte always goes through the same aggregator, so no other rank has an older or
// newer copy of it.
#pragma once

#include <map>
#include <span>

#include "base/budget.h"
#include "exec/call/running_call.h"
#include "exec/windows/images.h"

namespace concilio::exec {

class WriteBehind {
 public:
  // Allocates room for `bytes` bytes of pieces and for the list of them. It grows only while nothing is held.
  Status prepare(Budget& budget, int64_t bytes);
  // What each piece takes of the buffer besides its bytes, so that many tiny pieces fill it too.
  static constexpr int64_t piece_bytes = 128;

  // Takes over the covered bytes of a window; they replace earlier ones at the same place. If the file
  // becomes longer by them, their last bytes are written at once, so that the file has its right size.
  Status absorb(const RunningCall& call, std::span<const WindowPart> parts);
  // Writes all data that are held, in ascending order, adjacent pieces as one. Data that cannot be written
  // are lost, as after any failed write; the error says so.
  Status flush(const RunningCall& call);
  // The same, and frees the memory. Afterwards somebody may change the size of the file.
  Status end(const RunningCall& call);
  bool empty() const { return pieces_.empty(); }

 private:
  struct Piece {
    int64_t length;
    std::byte* data;  // in buffer_
  };
  Status take(const RunningCall& call, pattern::Interval file, const std::byte* data);
  void forget(pattern::Interval file);
  int64_t room() const;

  Buffer buffer_;
  int64_t used_bytes_ = 0;           // of buffer_; replaced bytes keep their room until the next flush
  std::map<int64_t, Piece> pieces_;  // by file offset; disjoint
  int64_t file_end_ = 0;             // this rank has made the file at least this long
};

}  // namespace concilio::exec
