// A rank that waits in the library, while messages for it wait to be received, still moves the messages that
// it sends. Rank 0 sends rank 1 a message that goes on only while rank 0 enters MPI, and enters MPI by
// make_progress() alone.
#include "mpi/progress.h"

#include <mpi.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

constexpr int large_tag = 1, waiting_tag = 2;
constexpr int pieces = 1 << 20;
constexpr std::chrono::seconds patience{30};

// With holes, so that the receiver cannot fetch it from the sender's memory by itself.
MPI_Datatype every_second_int() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(pieces, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

bool comes_while_others_wait(MPI_Comm comm, std::atomic<int>& came) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> numbers(2 * size_t{pieces}, rank);
  MPI_Datatype type = every_second_int();
  bool right = true;
  if (rank > 1) {
    MPI_Send(&rank, 1, MPI_INT, 0, waiting_tag, comm);
  } else if (rank == 1) {
    MPI_Recv(numbers.data(), pieces, MPI_INT, 0, large_tag, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < pieces; ++i) right = right && numbers[static_cast<size_t>(i)] == 0;
    came.store(1);
  } else {
    for (int other = 2; other < size; ++other) MPI_Probe(other, waiting_tag, comm, MPI_STATUS_IGNORE);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(numbers.data(), 1, type, 1, large_tag, comm, &request);
    const auto end = std::chrono::steady_clock::now() + patience;
    while (right && came.load() == 0) {
      concilio::mpi::make_progress(comm);
      right = std::chrono::steady_clock::now() < end;
    }
    if (!right)
      std::fprintf(stderr, "the message of rank 0 did not go on while other messages waited for it\n");
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int other = 2; other < size; ++other) {
      int number = 0;
      MPI_Recv(&number, 1, MPI_INT, other, waiting_tag, comm, MPI_STATUS_IGNORE);
      right = right && number == other;
    }
  }
  MPI_Type_free(&type);
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // How rank 1 tells rank 0, which must not enter MPI to hear of it.
  MPI_Win window = MPI_WIN_NULL;
  void* mine = nullptr;
  MPI_Win_allocate_shared(rank == 0 ? sizeof(std::atomic<int>) : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
                          &window);
  MPI_Aint bytes = 0;
  int unit = 0;
  void* memory = nullptr;
  MPI_Win_shared_query(window, 0, &bytes, &unit, &memory);
  auto* came = static_cast<std::atomic<int>*>(memory);
  if (rank == 0) came->store(0);
  MPI_Barrier(MPI_COMM_WORLD);
  const bool right = comes_while_others_wait(MPI_COMM_WORLD, *came);
  int all_right = right ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &all_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  MPI_Win_free(&window);
  MPI_Finalize();
  return all_right ? 0 : 1;
}
