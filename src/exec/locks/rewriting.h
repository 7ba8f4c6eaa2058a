// Who may rewrite, and when. Rewriting means to read, modify and write back bytes that are not one's own, as
// data sieving does and two-phase I/O does with windows that have holes. It undoes what others write into
// these bytes meanwhile. So it is done only with proof that every other writer of the file keeps out of the
// way. There are three sorts of them:
//
// Other opens of the file, by the same program, by other ranks or by other programs. Every open for writing
// owns a mark: one of very many bytes far behind the end of any file, under an exclusive lock that lasts as
// long as the open does. A rank that rewrites holds shared locks on all other marks. It gets them only if
// there is no other open, and an open that comes later then gets no mark. That open thereby knows that it
// must lock the range of each of its writes, and it does not rewrite itself. So plain writes pay nothing
// unless somebody has rewritten before their file was opened.
//
// Other ranks and threads of the same open on the same node. They announce their plain writes on the node's
// board (mpi/nodes/writers_board.h), which costs no system call.
//
// Ranks of the same open on other nodes, and their threads. Either all ranks are in the collective call that
// rewrites, and have no threads besides or have announced it on the boards of all nodes before they met
// (RewriteNotice). Or the user has asked for rewriting (romio_ds_write=enable), and then all ranks lock the
// range of each of their writes.
//
// In all cases the range that is rewritten is locked. Programs that write the file at the same time without
// Concilio are not noticed: see docs/reliability.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "exec/storage/storage.h"
#include "mpi/nodes/team.h"
#include "mpi/nodes/writers_board.h"

namespace concilio::exec {

// What an open for writing has found out about the locks of its file. Plain data, the same on all ranks.
struct OpenMark {
  int64_t locks_work = 0;  // locks can be had, and keep out whom they should
  int64_t marked = 0;      // the open has a mark of its own
  int64_t held = 0;        // rank 0 has a lock on the byte `offset`: the mark, or else another one
  int64_t offset = 0;
};

// Takes a mark. One rank does this for all ranks of its open; the lock lasts until that rank's storage is
// closed. If there is no mark to be had, takes another lock that lasts as long. Fails if locks fail though
// the storage has them: whoever could not lock would not know who rewrites, and would not be known either.
Result<OpenMark> take_mark(Storage& storage);
// Takes a lock that nobody else wants and that lasts until this rank's storage is closed. While a node holds
// any lock on a file, Linux's NFS client writes only bytes that were written, and not whole pages with old
// ones around them (nfs_can_extend_write). False: none is to be had.
bool take_some_lock(Storage& storage);
// Finds out whether locks work, for an open that does not write and so takes no mark.
OpenMark try_locks(Storage& storage);
// Whether this rank is refused the lock that the mark says is held, as it must be also on other nodes.
bool mark_is_respected(Storage& storage, const OpenMark& mark);

class Rewriting {
 public:
  Rewriting(Storage& storage, mpi::WritersBoard board, const OpenMark& mark)
      : storage_(storage), board_(board), mark_(mark) {}
  Rewriting(const Rewriting&) = delete;

  mpi::WritersBoard& board() { return board_; }
  // Whether every rank that rewrites knows of this open. If not, each write of this open must lock its range.
  bool marked() const { return mark_.marked != 0; }
  // False for a while after other opens of the file were found: another try is not worth its time yet.
  bool hopeful();
  // Whether this is the only open of the file that writes without locks. Once that is so it stays so.
  // Thread-safe.
  bool alone();

 private:
  Storage& storage_;
  mpi::WritersBoard board_;
  const OpenMark mark_;
  std::mutex claiming_;
  std::atomic<bool> alone_ = false;
  // After a refusal, so many questions are answered with no before the next try; twice as many after each
  // refusal.
  std::atomic<int64_t> skips_ = 0;
  int64_t next_skips_ = 1;
};

// The right to rewrite for as long as it lives, with respect to other opens and to this node's ranks. The
// range that is rewritten must be locked besides.
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

// Announces a collective call that may rewrite, on this node's board and for as long as it lives. One rank of
// each node does so before a meeting of all ranks. After the meeting no plain write of any node that was
// under way is left, and each that begins locks its range. It ends when all ranks have done their part.
class RewriteNotice {
 public:
  RewriteNotice() = default;
  // After the team has failed the notice stays: some rank may still be rewriting.
  ~RewriteNotice();
  RewriteNotice(const RewriteNotice&) = delete;
  // Does nothing if it was given before. False: a plain write of this node that is under way does not end,
  // so no rank may rewrite.
  bool give(mpi::Team& team, Rewriting& rewriting);

 private:
  mpi::Team* team_ = nullptr;
  Rewriting* rewriting_ = nullptr;  // where the notice stands; null if nowhere
};

}  // namespace concilio::exec
