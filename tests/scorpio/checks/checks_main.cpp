// Runs the situations that the other sources of the program enrolled; arguments name some.
#include <cstdlib>

#include "checks.h"

int main(int argc, char** argv) {
  using scorpio_checks::context;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &context.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &context.ranks);
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  context.folder = folder ? folder : "/tmp";
  const int failures = scorpio_checks::run(std::vector<std::string>(argv + 1, argv + argc));
  MPI_Finalize();
  return failures ? 1 : 0;
}
