/* What counterpart.py does, in C: files with the same contents, and the same question whether a file has
 * them.
 *
 *     python_counterpart write|check FILE SEED        with MPI
 *     python_counterpart layout                       offsets in iogroup_t
 */
#include <scorpio.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/expect.h"

enum { DATASETS = 20, MOST_BYTES = 1 << 20 };

static int rank, ranks;
static uint64_t state;

static int64_t draw(int64_t limit) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int64_t)((state >> 33) % (uint64_t)limit);
}

static int need(int result, const char* what) {
  if (result == FAILURE) {
    note_failure(NULL, 0, what);
    _exit(1);
  }
  return result;
}

static void expect(int holds, const char* what) {
  if (holds) return;
  char text[200];
  snprintf(text, sizeof text, "%s is not what it should be", what);
  note_failure(NULL, 0, text);
}

enum way { UNIFORM, NONUNIFORM, NONCONTIGUOUS, BLOCK, ROWS };

struct dataset {
  char name[64];
  int number, type, ndims, way;
  int64_t shape[3], counts[3], starts[3]; /* of the dataset, of this rank's part */
  int64_t row_count, rows[64];
};

static const size_t size_of[] = {sizeof(int), sizeof(double), sizeof(float), sizeof(int64_t), 1, 1};

/* All ranks draw the same, and keep what is theirs. */
static struct dataset dataset_of(int number) {
  struct dataset d = {.number = number};
  snprintf(d.name, sizeof d.name, "Group %d/Data %d", number % 3, number);
  d.type = (int)draw(6);
  d.ndims = 1 + (int)draw(3);
  d.way = (int)draw(5);
  for (int i = 0; i < d.ndims; ++i) d.counts[i] = d.shape[i] = 1 + draw(7);
  if (d.way == ROWS) {
    d.shape[0] = 1 + draw(20);
    for (int64_t row = 0; row < d.shape[0]; ++row) {
      if (draw(ranks) == rank) d.rows[d.row_count++] = row;
    }
    d.counts[0] = d.row_count;
    return d;
  }
  int cut = d.way == NONCONTIGUOUS ? d.ndims - 1 : d.way == BLOCK ? (int)draw(d.ndims) : 0;
  int64_t part = 1 + draw(4);
  d.shape[cut] = 0;
  for (int other = 0; other < ranks; ++other) {
    if (d.way == NONUNIFORM || d.way == BLOCK) part = draw(4) + (other == 0);
    if (other == rank) {
      d.starts[cut] = d.shape[cut];
      d.counts[cut] = part;
    }
    d.shape[cut] += part;
  }
  return d;
}

static int64_t row_of(const struct dataset* d, int64_t local) {
  return d->way == ROWS ? d->rows[local] : d->starts[0] + local;
}

static void put(void* data, int type, int64_t at, int64_t value) {
  switch (type) {
    case SCORPIO_INTEGER:
      ((int*)data)[at] = (int)value;
      break;
    case SCORPIO_DOUBLE:
      ((double*)data)[at] = (double)value;
      break;
    case SCORPIO_FLOAT:
      ((float*)data)[at] = (float)value;
      break;
    case SCORPIO_LONG:
      ((int64_t*)data)[at] = value;
      break;
    default:
      ((char*)data)[at] = (char)value;
  }
}

static int64_t fill(const struct dataset* d, void* data) {
  int64_t n = 0, second = d->ndims > 1 ? d->counts[1] : 1, third = d->ndims > 2 ? d->counts[2] : 1;
  for (int64_t i = 0; i < d->counts[0]; ++i) {
    for (int64_t j = 0; j < second; ++j) {
      for (int64_t k = 0; k < third; ++k) {
        int64_t at = row_of(d, i);
        if (d->ndims > 1) at = at * d->shape[1] + d->starts[1] + j;
        if (d->ndims > 2) at = at * d->shape[2] + d->starts[2] + k;
        put(data, d->type, n++, (at * 7 + d->number * 13) % 101);
      }
    }
  }
  return n;
}

static int move(const struct dataset* d, int write, void* data, int file, iogroup_t* group) {
  if (d->way == BLOCK) {
    return write ? scorpio_write_dataset_block_64(data, d->type, d->ndims, d->shape, d->counts, d->starts,
                                                  file, d->name, group)
                 : scorpio_read_dataset_block_64(data, d->type, d->ndims, d->shape, d->counts, d->starts,
                                                 file, d->name, group);
  }
  if (d->way == ROWS) {
    return write ? scorpio_write_dataset_map(data, d->type, d->ndims, d->shape, d->row_count, d->rows, file,
                                             d->name, group)
                 : scorpio_read_dataset_map(data, d->type, d->ndims, d->shape, d->row_count, d->rows, file,
                                            d->name, group);
  }
  static const iopattern_t reads[] = {SCORPIO_UNIFORM_CONTIGUOUS_READ, SCORPIO_NONUNIFORM_CONTIGUOUS_READ,
                                      SCORPIO_NONCONTIGUOUS_READ};
  static const iopattern_t writes[] = {SCORPIO_UNIFORM_CONTIGUOUS_WRITE, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE,
                                       SCORPIO_NONCONTIGUOUS_WRITE};
  return write ? scorpio_write_dataset_64(data, d->type, d->ndims, d->shape, d->counts, file, d->name, group,
                                          writes[d->way])
               : scorpio_read_dataset_64(data, d->type, d->ndims, d->shape, d->counts, file, d->name, group,
                                         reads[d->way]);
}

static char* names[] = {"one", "zwei", "", "drei und mehr"};
static char* labels[] = {"left", "right"};
static double spacing[] = {0.5, 0.25, 2};
static int spacing_dims[] = {3}, labels_dims[] = {2};
static int count = 42;
static float scale = 0.5F;

static void write_rest(int file, iogroup_t* group) {
  int value = rank + 1, all[1] = {ranks}, mine[1] = {1};
  need(scorpio_write_str_array(names, 4, file, "Names", group), "names");
  need(scorpio_write_simple_attr("title", "a counterpart", SCORPIO_STRING, file, "/", group), "title");
  need(scorpio_write_simple_attr("count", &count, SCORPIO_INTEGER, file, "/", group), "count");
  need(scorpio_write_attr("spacing", spacing, SCORPIO_DOUBLE, 1, spacing_dims, file, "/", group), "spacing");
  need(scorpio_write_attr("labels", labels, SCORPIO_STRING, 1, labels_dims, file, "/", group), "labels");
  need(scorpio_write_simple_attr("scale", &scale, SCORPIO_FLOAT, file, "Group 0/Data 0", group), "scale");
  int64_t made = scorpio_create_dataset_group("Made/Inner", file, group);
  need((int)(made == FAILURE ? FAILURE : 0), "Made/Inner");
  need(scorpio_write_dataset(&value, SCORPIO_INTEGER, 1, all, mine, file, "Inside", group,
                             SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE),
       "Inside");
  need(scorpio_close_dataset_group(made, file, group), "Made/Inner");
  need(scorpio_create_link("/Made/Inner/Inside", 0, "Shortcut", file, group), "Shortcut");
}

static void check_attribute(char* attribute, datatype_t type, const void* value, size_t bytes, int file,
                            char* object, iogroup_t* group) {
  void* data;
  int ndims, *dims;
  need(scorpio_read_attr(attribute, &data, type, &ndims, &dims, file, object, group), attribute);
  expect(memcmp(data, value, bytes) == 0, attribute);
  free(data);
  free(dims);
}

static void check_rest(int file, iogroup_t* group) {
  char** strings;
  int n, value, all[1] = {ranks}, mine[1] = {1};
  void* data;
  int ndims, *dims;
  need(scorpio_read_str_array(&strings, &n, file, "Names", group), "names");
  expect(n == 4, "the number of names");
  for (int i = 0; i < n; ++i) {
    if (i < 4) expect(strcmp(strings[i], names[i]) == 0, "a name");
    free(strings[i]);
  }
  free(strings);
  need(scorpio_read_simple_attr("title", &data, SCORPIO_STRING, file, "/", group), "title");
  expect(strcmp(data, "a counterpart") == 0, "title");
  free(data);
  need(scorpio_read_attr("labels", &data, SCORPIO_STRING, &ndims, &dims, file, "/", group), "labels");
  expect(ndims == 1 && dims[0] == 2 && strcmp(((char**)data)[0], "left") == 0 &&
             strcmp(((char**)data)[1], "right") == 0,
         "labels");
  free(data);
  free(dims);
  check_attribute("count", SCORPIO_INTEGER, &count, sizeof count, file, "/", group);
  check_attribute("spacing", SCORPIO_DOUBLE, spacing, sizeof spacing, file, "/", group);
  check_attribute("scale", SCORPIO_FLOAT, &scale, sizeof scale, file, "Group 0/Data 0", group);
  need(scorpio_read_dataset(&value, SCORPIO_INTEGER, 1, all, mine, file, "Shortcut", group,
                            SCORPIO_UNIFORM_CONTIGUOUS_READ),
       "Shortcut");
  expect(value == rank + 1, "Shortcut");
}

static int print_layout(void) {
#define FIELD(name) printf(#name " %zu\n", offsetof(iogroup_t, name))
  FIELD(localrank);
  FIELD(globalrank);
  FIELD(localsize);
  FIELD(globalsize);
  FIELD(iogroupRank);
  FIELD(iogroupSize);
  FIELD(numIOgroups);
  FIELD(preferredGroupSize);
  FIELD(localcomm);
  FIELD(globalcomm);
  FIELD(iocomm);
  FIELD(file);
  FIELD(numFiles);
  FIELD(datatype_size);
  FIELD(mpi_type);
  FIELD(hdf_type);
  FIELD(impl);
  printf("sizes %zu %zu %zu %zu %zu\n", sizeof(iogroup_t), sizeof(iogroup_conf_t), sizeof(scorpio_creation_t),
         sizeof(scorpio_xdmf_field_t), sizeof(scorpio_xdmf_grid_t));
  return 0;
}

int main(int argc, char** argv) {
  if (argc == 2 && strcmp(argv[1], "layout") == 0) return print_layout();
  if (argc != 4) return 2;
  int write = strcmp(argv[1], "write") == 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  state = strtoull(argv[3], NULL, 10);
  iogroup_conf_t conf = {.preferredGroupSize = 1 + (int)draw(ranks), .commIncoming = MPI_COMM_WORLD};
  iogroup_t group;
  need(scorpio_IOgroup_init(&conf, &group), "the group");
  need(scorpio_set_buffer_bytes(4096, &group), "buffers");
  int file =
      need(scorpio_open_file(argv[2], &group, write ? SCORPIO_FILE_CREATE : SCORPIO_FILE_READONLY), argv[2]);
  char *data = malloc(MOST_BYTES), *expected = malloc(MOST_BYTES);
  for (int i = 0; i < DATASETS; ++i) {
    struct dataset d = dataset_of(i);
    scorpio_creation_t creation = {.deflate = i % 4 == 3 ? 4 : 0, .shuffle = i % 4 == 3};
    size_t bytes = (size_t)fill(&d, expected) * size_of[d.type];
    if (write) need(scorpio_set_creation(&creation, file, &group), d.name);
    if (write) memcpy(data, expected, bytes);
    need(move(&d, write, data, file, &group), d.name);
    expect(memcmp(data, expected, bytes) == 0, d.name);
  }
  if (write) {
    write_rest(file, &group);
  } else {
    check_rest(file, &group);
  }
  free(data);
  free(expected);
  need(scorpio_close_file(file, &group), argv[2]);
  need(scorpio_IOgroup_cleanup(&group), "the group");
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return noted_failures ? 1 : 0;
}
