#include "mpi/nodes/shared_counter.h"

#include "counter/counter_service.h"

namespace concilio {

SharedCounter::SharedCounter() = default;
SharedCounter::~SharedCounter() = default;

Status SharedCounter::set_up(MPI_Comm comm, std::atomic<int64_t>* on_node) {
  here_ = on_node;
  if (here_) return {};
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  // Rank 0 listens only where the other ranks can reach it from.
  Whereabouts of_rank_0;
  if (rank == 0) of_rank_0 = own_whereabouts();
  PMPI_Bcast(&of_rank_0, sizeof of_rank_0, MPI_BYTE, 0, comm);
  WaysIn ways = ways_to(of_rank_0);
  static_assert(sizeof ways == 3 * sizeof(uint32_t));
  PMPI_Allreduce(MPI_IN_PLACE, &ways, 3, MPI_UINT32_T, MPI_BOR, comm);
  CounterAddress address;
  if (rank == 0) {
    offered_ = std::make_unique<OfferedCounter>(of_rank_0, ways);
    here_ = &offered_->value();
    address = offered_->address();
  }
  int code = PMPI_Bcast(&address, sizeof address, MPI_BYTE, 0, comm);
  if (code != MPI_SUCCESS) return Error{ErrorKind::communication, 0, "cannot tell where rank 0's counter is"};
  if (rank != 0) client_ = std::make_unique<CounterClient>(address);
  return {};
}

Result<int64_t> SharedCounter::add(int64_t more) {
  if (here_) return here_->fetch_add(more);
  return client_->ask(CounterClient::Operation::add, more);
}

Result<int64_t> SharedCounter::set(int64_t value) {
  if (here_) return here_->exchange(value);
  return client_->ask(CounterClient::Operation::set, value);
}

}  // namespace concilio
