// Who may rewrite. To read, modify and write back bytes that are not one's own (data sieving, and two-phase
// windows with holes) undoes what others write into these bytes meanwhile. It is done only with proof that
// every writer of the file keeps out of the way:
//
// Other opens of the file, by the same program, other ranks or other programs. Every open for writing owns
// one of very many bytes far behind the end of any file, its mark, by an exclusive lock that lasts as long as
// the open does. Who rewrites holds shared locks on all other bytes: it gets them only where there is no
// other open, and a later open then gets no mark. That one knows that it must lock the range of each of its
// writes, and it rewrites nothing itself. So plain writes pay nothing until somebody has really rewritten
// before they opened the file.
//
// Other ranks and threads of the same open, on one node: they announce their plain writes on the node's board
// (mpi/nodes/writers_board.h), which costs no system call.
//
// Its ranks on other nodes: they are all within the collective call that rewrites, or the user has asked for
// it (romio_ds_write=enable), and all ranks lock the range of each of their writes.
//
// In all cases what is rewritten is locked. Programs that write without Concilio at the same time are not
// known: see docs/reliability.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "exec/storage.h"
#include "mpi/nodes/writers_board.h"

namespace concilio {

// What an open for writing has learned of the locks of its file; plain data, the same on all ranks.
struct OpenMark {
  int64_t locks_work = 0;  // locks are to be had, and keep out who they should
  int64_t marked = 0;      // it has a mark of its own, at this place among all marks
  int64_t place = 0;
};

// Takes a mark. By one rank for all of its open; the lock stays until that rank's storage is closed.
OpenMark take_mark(Storage& storage);
// The same where nothing is to be written, so that there is no mark.
OpenMark try_locks(Storage& storage);
// Whether a lock on that mark is refused here, as it must be on other nodes than that of its owner.
bool mark_is_respected(Storage& storage, const OpenMark& mark);

class Rewriting {
 public:
  Rewriting(Storage& storage, WritersBoard board, const OpenMark& mark)
      : storage_(storage), board_(board), mark_(mark) {}
  Rewriting(const Rewriting&) = delete;

  WritersBoard& board() { return board_; }
  // Whether this open is known to all that rewrite; else each of its writes must lock its range.
  bool marked() const { return mark_.marked != 0; }
  // False for a while after other opens of the file were met: it is not worth trying.
  bool hopeful();
  // Whether no open of the file but this one writes without locking; if so it stays so. Thread-safe.
  bool alone();

 private:
  Storage& storage_;
  WritersBoard board_;
  const OpenMark mark_;
  std::mutex claiming_;
  std::atomic<bool> alone_ = false;
  // After a refusal: so many questions go by before the next try, twice as many each time.
  std::atomic<int64_t> skips_ = 0;
  int64_t next_skips_ = 1;
};

// The right to rewrite for as long as it lives, as far as other opens and this node's ranks are concerned;
// the range that is rewritten must be locked besides.
class RewritePermit {
 public:
  // among_ranks: other ranks or threads of this open may be writing.
  RewritePermit(Rewriting& rewriting, bool among_ranks);
  ~RewritePermit();
  RewritePermit(const RewritePermit&) = delete;
  bool granted() const { return granted_; }

 private:
  Rewriting& rewriting_;
  bool on_board_ = false, granted_ = false;
};

}  // namespace concilio
