// Requests through a view whose data representation is not the native one: made in rounds, each of which
// converts between the user's buffer and a bounded piece of staging memory and is an ordinary request for
// that piece.
#pragma once

#include "base/function_ref.h"
#include "exec/collective.h"
#include "mpi/conversion.h"

namespace concilio::mpiio {

class Converted {
 public:
  // `whole`: its buffer is the user's, its bytes the file's. `staging_bytes`: the same on every rank; a round
  // takes more only where one item does.
  Converted(const Conversion& conversion, const Request& whole, int64_t staging_bytes)
      : conversion_(conversion), whole_(whole), staging_bytes_(staging_bytes) {}

  // Outcomes are bytes of the items in memory.
  using RunAlone = FunctionRef<Outcome(const Request&)>;
  Outcome run_alone(Budget& budget, const RunAlone& run);

  // Collective: the ranks make as many rounds as the one that needs most. `run` and `agree` give all ranks
  // the error of one.
  using RunTogether = FunctionRef<Outcome(const Request&, const Status& trouble)>;
  using Agree = FunctionRef<Status(const Status& mine)>;
  Outcome run_together(Engine& engine, Status trouble, const RunTogether& run, const Agree& agree);

 private:
  bool reads() const { return whole_.operation == Operation::read; }
  int64_t end_of_round(int64_t begin) const;
  int64_t rounds() const;
  Status allocate(Budget& budget);
  // The next round's request, and what came of it.
  Result<Request> next();
  Status take(int64_t moved_bytes);

  const Conversion& conversion_;
  const Request whole_;
  const int64_t staging_bytes_;
  Buffer staging_;
  int64_t begin_ = 0, end_ = 0;  // the round's part of the request
  bool ended_ = false;           // at the end of the file
};

}  // namespace concilio::mpiio
