#include "mpi/nodes/shared_counter.h"

#include "base/exceptions.h"
#include "counter/counter_service.h"
#include "mpi/error.h"

namespace concilio::mpi {

SharedCounter::SharedCounter() = default;
SharedCounter::~SharedCounter() = default;

Status SharedCounter::set_up(MPI_Comm comm, std::atomic<int64_t>* on_node) {
  here_ = on_node;
  if (here_) return {};
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  // A rank that lacks memory takes all steps, and says so at the end.
  int well = 1;
  const auto attempt = [&](const auto& step) {
    const Status done = without_exceptions([&]() -> Status {
      step();
      return {};
    });
    if (!done) well = 0;
  };
  // Rank 0 listens only where the other ranks can reach it from.
  counter::Whereabouts of_rank_0;
  if (rank == 0) attempt([&] { of_rank_0 = counter::own_whereabouts(); });
  PMPI_Bcast(&of_rank_0, sizeof of_rank_0, MPI_BYTE, 0, comm);
  counter::WaysIn ways;
  attempt([&] { ways = ways_to(of_rank_0); });
  static_assert(sizeof ways == 3 * sizeof(uint32_t));
  PMPI_Allreduce(MPI_IN_PLACE, &ways, 3, MPI_UINT32_T, MPI_BOR, comm);
  counter::CounterAddress address;
  if (rank == 0) {
    attempt([&] {
      offered_ = std::make_unique<counter::OfferedCounter>(of_rank_0, ways);
      here_ = &offered_->value();
      address = offered_->address();
    });
  }
  PMPI_Bcast(&address, sizeof address, MPI_BYTE, 0, comm);
  if (rank != 0) attempt([&] { client_ = std::make_unique<counter::CounterClient>(address); });
  if (int code = PMPI_Allreduce(MPI_IN_PLACE, &well, 1, MPI_INT, MPI_MIN, comm); code != MPI_SUCCESS)
    return checked_mpi(code, "telling where rank 0's counter is");
  if (well) return {};
  return error_with(ErrorKind::no_memory, 0, [] { return "a rank has no memory for the shared pointer"; });
}

Result<int64_t> SharedCounter::add(int64_t more) {
  if (more != 0 && !moved_here_.load(std::memory_order_relaxed)) moved_here_ = true;
  if (here_) return here_->fetch_add(more);
  return client_->ask(counter::CounterClient::Operation::add, more);
}

Result<int64_t> SharedCounter::set(int64_t value) {
  moved_here_ = value != 0;
  if (here_) return here_->exchange(value);
  return client_->ask(counter::CounterClient::Operation::set, value);
}

}  // namespace concilio::mpi
