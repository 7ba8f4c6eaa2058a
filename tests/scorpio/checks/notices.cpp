// What ranks keep of the notices of their roots.
#include "scorpio/ranks/notices.h"

#include <malloc.h>

#include "checks.h"

using namespace scorpio_checks;
using concilio::scorpio::Notice;
using concilio::scorpio::Notices;

// A program makes one I/O group after the other, and only roots close the files.
SITUATION(Notices, OfGroupsThatHaveEnded) {
  constexpr int groups = 2500, warm = 500;
  Notices notices;
  size_t before_bytes = 0;
  for (int group = 0; group < groups; ++group) {
    if (group == warm) before_bytes = mallinfo2().uordblks;
    Notice closed;
    closed.call = "closes file " + std::to_string(group);
    closed.stays = true;
    closed.group = group;
    notices.begin_call();
    if (context.rank == 0) notices.post(MPI_COMM_WORLD, closed);
    MPI_Barrier(MPI_COMM_WORLD);  // as all ranks meet to end a group
    if (context.rank != 0) notices.discard(MPI_COMM_WORLD);
    notices.forget(MPI_COMM_WORLD, group);
  }
  EXPECT(mallinfo2().uordblks < before_bytes + (groups - warm) * sizeof(Notice) / 4);
  notices.end(MPI_COMM_WORLD);
}
