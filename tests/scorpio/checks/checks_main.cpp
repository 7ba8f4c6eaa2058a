// Runs the situations of the program: all, or those whose names begin with an argument.
#include <cstdlib>

#include "checks.h"

int main(int argc, char** argv) {
  using scorpio_checks::context;
  const std::vector<std::string> names(argv + 1, argv + argc);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &context.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &context.ranks);
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  context.folder = folder ? folder : "/tmp";
  expecting_with_reason(scorpio_last_error);
  int ran = 0, failed = 0;
  for (const situations::Situation& situation : situations::all()) {
    if (!situations::wanted(situation, names)) continue;
    context.situation = situation.name;
    expecting("%s, rank %d of %d", situation.name, context.rank, context.ranks);
    ++ran;
    failed += situations::run(situation, context.folder);
  }
  MPI_Finalize();
  return failed == 0 && ran > 0 ? 0 : 1;
}
