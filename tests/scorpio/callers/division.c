/* How ranks are divided, which callers compute for themselves. */
#include "callers.h"

/* A group with this configuration has these sizes. */
static void divide(int number, int preferred, int size) {
  iogroup_conf_t conf;
  iogroup_t group;
  int last = (ranks - 1) / size * size;
  conf.numIOgroups = number;
  conf.preferredGroupSize = preferred;
  conf.commIncoming = MPI_COMM_WORLD;
  EXPECT(scorpio_IOgroup_init(&conf, &group) == 0);
  EXPECT(conf.preferredGroupSize == (size < preferred && number <= 0 ? preferred : size));
  EXPECT(group.preferredGroupSize == size);
  EXPECT(group.numIOgroups == (ranks + size - 1) / size);
  EXPECT(group.iogroupRank == rank / size);
  EXPECT(group.iogroupSize == (rank >= last ? ranks - last : size));
  EXPECT(group.localrank == rank % size);
  EXPECT(group.localsize == group.iogroupSize);
  EXPECT(group.globalrank == rank && group.globalsize == ranks);
  EXPECT(group.numFiles == 0);
  EXPECT(scorpio_IOgroup_cleanup(&group) == 0);
}

void test_division(void) {
  int number, size;
  /* preferredGroupSize is whatever was there, on every rank. */
  for (number = 1; number <= ranks; ++number) divide(number, 22017 * (rank + 1), ranks / number);
  divide(ranks + 5, -7 * rank, ranks);
  for (size = 1; size <= ranks; ++size) divide(0, size, size);
  divide(-3 * rank, ranks + 3, ranks);
}
