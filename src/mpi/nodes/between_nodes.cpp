#include "mpi/nodes/between_nodes.h"

#include <mutex>
#include <utility>

namespace concilio::mpi {
namespace {

// The list of all BetweenNodes that have their operation and datatype. Those are freed when the epoch ends.
struct Betweens {
  std::mutex mutex;
  OfEpoch<BetweenNodes*> first;
};
Betweens& betweens() {
  static constinit Betweens instance;  // ranks that meet must not need memory
  return instance;
}

}  // namespace

BetweenNodes::Made made_between_nodes(BetweenNodes& between, size_t bytes) {
  Betweens& all = betweens();
  std::lock_guard lock(all.mutex);
  BetweenNodes::Made& made = *between.made;
  if (made.operation != MPI_OP_NULL) return made;
  PMPI_Op_create(between.function, 1, &made.operation);
  PMPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &made.type);
  PMPI_Type_commit(&made.type);
  made.next = std::exchange(*all.first, &between);
  return made;
}

void free_between_nodes() {
  if (parts_of_mpi() > 1) return;
  Betweens& all = betweens();
  std::lock_guard lock(all.mutex);
  while (BetweenNodes* between = *all.first) {
    BetweenNodes::Made made = std::exchange(*between->made, {});
    PMPI_Op_free(&made.operation);
    PMPI_Type_free(&made.type);
    *all.first = made.next;
  }
}

}  // namespace concilio::mpi
