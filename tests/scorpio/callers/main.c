#include "callers.h"

int rank, ranks, group_size;

char* path_of(const char* name) {
  static char paths[4][600];
  static int next;
  const char* folder = getenv("CONCILIO_TEST_DIR");
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%d-%s", folder ? folder : "/tmp", group_size, name);
  return path;
}

void make_group(iogroup_t* group) {
  iogroup_conf_t conf;
  memset(&conf, 0x5a + rank, sizeof conf);
  memset(group, 0x3c + rank, sizeof *group);
  if (group_size == 0) {
    conf.numIOgroups = 1;
  } else {
    conf.numIOgroups = 0;
    conf.preferredGroupSize = group_size;
  }
  conf.commIncoming = MPI_COMM_WORLD;
  EXPECT(scorpio_IOgroup_init(&conf, group) == 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expecting_with_reason(scorpio_last_error);
  expecting("rank %d of %d", rank, ranks);
  test_division();
  test_log();
  if (ranks > 1 && ranks <= 4) test_late_ranks();
  for (group_size = 0; group_size <= 4 && group_size < ranks; ++group_size) {
    expecting("rank %d of %d, groups of %d", rank, ranks, group_size);
    test_strings();
    test_roots_alone();
    test_older_names();
    test_semantics();
    test_undeclared();
  }
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return noted_failures ? 1 : 0;
}
