// The last rank is killed, and the launcher lets the others live (dead_rank.sh). What these then ask of all
// ranks must fail, soon, and never look like an answer. Each rank that finds it so makes a file "well-RANK"
// in CONCILIO_TEST_RESULTS.
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "scorpio/ranks/small_collectives.h"

namespace {

using concilio::ErrorKind;
using concilio::Result;
using concilio::Status;
namespace scorpio = concilio::scorpio;

int rank, ranks, mistakes;

void mistake(const char* call, const std::string& what) {
  ++mistakes;
  std::fprintf(stderr, "dead_rank: rank %d: %s %s\n", rank, call, what.c_str());
}

template <typename T>
void must_fail(const char* call, const Result<T>& outcome) {
  if (outcome) return mistake(call, "succeeds");
  const auto& error = outcome.error();
  const std::string reason = "rank " + std::to_string(ranks - 1) + " has ended";
  if (error.kind != ErrorKind::rank_lost || error.message.find(reason) == std::string::npos)
    mistake(call, "does not say that " + reason + ": " + error.message);
}

std::string result_of(int of) {
  return std::string(std::getenv("CONCILIO_TEST_RESULTS")) + "/well-" + std::to_string(of);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  constexpr int64_t mine = 5;
  int64_t value = mine;
  if (!scorpio::largest(MPI_COMM_WORLD, &value, 1)) mistake("largest", "fails while all ranks live");
  if (rank == ranks - 1) kill(getpid(), SIGKILL);

  const auto start = std::chrono::steady_clock::now();
  must_fail("first_largest", scorpio::first_largest(MPI_COMM_WORLD, &value, 1, {-1, {}}));
  must_fail("largest", scorpio::largest(MPI_COMM_WORLD, &value, 1));
  must_fail("gathered", scorpio::gathered(MPI_COMM_WORLD, {mine}));
  must_fail("sum_below", scorpio::sum_below(MPI_COMM_WORLD, mine));
  must_fail("told", scorpio::told(MPI_COMM_WORLD, &value, 1));
  if (std::chrono::steady_clock::now() - start > std::chrono::seconds(30)) mistake("all", "take too long");

  // The launcher may end the other ranks when the first one exits.
  if (mistakes == 0) std::fclose(std::fopen(result_of(rank).c_str(), "w"));
  for (int other = 0; other < ranks - 1; ++other) {
    for (int i = 0; i < 100 && access(result_of(other).c_str(), F_OK) != 0; ++i) usleep(100000);
  }
  _exit(0);
}
