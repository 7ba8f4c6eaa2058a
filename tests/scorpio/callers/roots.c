/* What the original lets roots do alone: callers make these calls only where rank modulo group size is 0. */
#include <unistd.h>

#include "callers.h"

static iogroup_t group;
static int root;

static void write_row(int file, const char* name) {
  int global[2], local[2], row[3];
  global[0] = ranks;
  local[0] = 1;
  global[1] = local[1] = 3;
  row[0] = row[1] = row[2] = rank;
  EXPECT(scorpio_write_dataset(row, SCORPIO_INTEGER, 2, global, local, file, (char*)name, &group,
                               SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE) == 0);
}

static void read_row(int file, const char* name) {
  int global[2], local[2], row[3];
  global[0] = ranks;
  local[0] = 1;
  global[1] = local[1] = 3;
  EXPECT(scorpio_read_dataset(row, SCORPIO_INTEGER, 2, global, local, file, (char*)name, &group,
                              SCORPIO_NONUNIFORM_CONTIGUOUS_READ) == 0);
  EXPECT(row[0] == rank && row[2] == rank);
}

static void expect_attribute(int file, const char* name, int value) {
  int* found = NULL;
  EXPECT(scorpio_read_simple_attr((char*)name, (void**)&found, SCORPIO_INTEGER, file, "/", &group) == 0);
  EXPECT(found && *found == value);
  free(found);
}

/* Roots alone, all ranks, and roots alone again. */
static void write_file(void) {
  int first, second, value;
  int64_t id = 0;
  char text[] = "Calcium", *texts[1];
  texts[0] = text;
  first = scorpio_open_file(path_of("roots.h5"), &group, SCORPIO_FILE_CREATE);
  EXPECT(first >= 0);
  value = 1;
  if (root) EXPECT(scorpio_write_simple_attr("alone", &value, SCORPIO_INTEGER, first, "/", &group) == 0);
  write_row(first, "rows");
  value = 2;
  if (root) EXPECT(scorpio_write_simple_attr("skipped", &value, SCORPIO_INTEGER, first, "/", &group) == 0);
  value = 3;
  EXPECT(scorpio_write_simple_attr("together", &value, SCORPIO_INTEGER, first, "/", &group) == 0);
  if (root) {
    id = scorpio_create_dataset_group("Group", first, &group);
    EXPECT(id > 0);
    EXPECT(scorpio_create_link("/rows", id, "link", first, &group) == 0);
    EXPECT(scorpio_write_str_array(texts, 1, first, "names", &group) == 0);
  }
  EXPECT(scorpio_close_dataset_group(id, first, &group) == 0); /* the id is the root's to know */
  expect_attribute(first, "alone", 1);
  expect_attribute(first, "skipped", 2);
  expect_attribute(first, "together", 3);
  read_row(first, "/Group/link");
  if (root) EXPECT(scorpio_close_file(first, &group) == 0);
  /* The next file has the same handle on all ranks, and not that of the one before. */
  second = scorpio_open_file(path_of("roots2.h5"), &group, SCORPIO_FILE_CREATE);
  EXPECT(second == first + 1);
  write_row(second, "rows");
  EXPECT(scorpio_close_file(second, &group) == 0);
  /* The others may close the first one later, or never. */
  if (!root && rank % 2) EXPECT(scorpio_close_file(first, &group) == 0);
}

/* As PFLOTRAN reads: only where the rank is a multiple of the group size is the file closed. */
static void read_file(void) {
  int i, file, before = 1;
  for (i = 0; i < 3; ++i) {
    file = scorpio_open_file(path_of("roots2.h5"), &group, SCORPIO_FILE_READONLY);
    EXPECT(file == ++before);
    read_row(file, "rows");
    if (rank % group.preferredGroupSize == 0) EXPECT(scorpio_close_file(file, &group) == 0);
  }
}

void test_roots_alone(void) {
  make_group(&group);
  root = group.localrank == 0;
  write_file();
  read_file();
  EXPECT(scorpio_IOgroup_cleanup(&group) == 0);
}

/* What is printed on stderr while a rank comes late. */
static void expect_complaint(int late, const char* words) {
  char text[2000];
  size_t length;
  FILE* said;
  int kept = dup(2), *dims = NULL, n;
  int file = scorpio_open_file(path_of("late.h5"), &group, SCORPIO_FILE_CREATE);
  write_row(file, "rows");
  MPI_Barrier(MPI_COMM_WORLD);
  snprintf(text, sizeof text, "%s-%d", path_of("stderr"), rank);
  if (!freopen(text, "w+", stderr)) abort();
  if (rank == late) usleep(2500000);
  EXPECT(scorpio_get_dataset_ndims(&n, file, "rows", &group) == 0);
  free(dims);
  fflush(stderr);
  said = fopen(text, "r");
  length = fread(text, 1, sizeof text - 1, said);
  text[length] = 0;
  fclose(said);
  dup2(kept, 2);
  close(kept);
  if (rank == (late == 0)) { /* the first of those who wait */
    EXPECT(strstr(text, "late.h5") && strstr(text, "dimensions of rows") && strstr(text, words));
    if (!strstr(text, words)) fprintf(stderr, "it says: %s\n", text);
  } else {
    EXPECT(text[0] == 0);
  }
  EXPECT(scorpio_close_file(file, &group) == 0);
}

void test_late_ranks(void) {
  char words[40];
  make_group(&group);
  snprintf(words, sizeof words, "has waited 1 s for rank %d ", ranks - 1);
  expect_complaint(ranks - 1, words);
  EXPECT(scorpio_IOgroup_cleanup(&group) == 0);
}
