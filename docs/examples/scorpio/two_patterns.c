/* The access patterns of the SCORPIO paper, as a subsurface simulation has them.
 *
 *     two_patterns [FOLDER]
 *
 * Read pattern 1: every rank reads the same contiguous region, the boundary cells. Read pattern 2: every rank
 * reads its chunk of a dataset with a value for each cell. Write pattern 1: every rank writes its 3-D block
 * at its offset.
 */
#include <scorpio.h>
#include <stdio.h>
#include <stdlib.h>

enum { NZ = 16, NY = 20, NX = 24, CELLS = NZ * NY * NX, BOUNDARY_CELLS = NY * NX };

static int world_rank, world_ranks;

static int need(int result) {
  if (result == FAILURE) {
    fprintf(stderr, "rank %d: %s\n", world_rank, scorpio_last_error());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return result;
}

static double sum_of_all(double mine) {
  double sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  return sum;
}

/* Where this rank's part of `size` begins, of `parts` of nearly one size. */
static int begin_of(int part, int parts, int size) {
  return (int)((int64_t)size * part / parts);
}

static void make_input(const char* path, iogroup_t* group) {
  int first = begin_of(world_rank, world_ranks, CELLS), end = begin_of(world_rank + 1, world_ranks, CELLS);
  int all[1] = {CELLS}, mine[1] = {end - first};
  double* porosity = malloc(sizeof(double) * CELLS);
  for (int i = first; i < end; ++i) porosity[i - first] = 0.25 + (i % 64) / 256.0;
  int file = need(scorpio_open_file(path, group, SCORPIO_FILE_CREATE));
  need(scorpio_write_dataset(porosity, SCORPIO_DOUBLE, 1, all, mine, file, "Porosity", group,
                             SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE));
  free(porosity);

  /* The cells of the lowest layer, counted from 1; then of the highest. */
  int regions[1] = {2 * BOUNDARY_CELLS}, cells[2 * BOUNDARY_CELLS];
  first = begin_of(world_rank, world_ranks, regions[0]);
  mine[0] = begin_of(world_rank + 1, world_ranks, regions[0]) - first;
  for (int i = 0; i < mine[0]; ++i) {
    int k = first + i;
    cells[i] = 1 + (k < BOUNDARY_CELLS ? k : CELLS - 2 * BOUNDARY_CELLS + k);
  }
  need(scorpio_write_dataset(cells, SCORPIO_INTEGER, 1, regions, mine, file, "Regions/Boundary Cells", group,
                             SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE));
  need(scorpio_close_file(file, group));
}

static void read_pattern_1(int file, iogroup_t* group) {
  int cells[BOUNDARY_CELLS], count[1] = {BOUNDARY_CELLS}, start[1] = {0};
  double sum = 0, least, most;
  need(scorpio_read_same_sub_dataset(cells, SCORPIO_INTEGER, 1, count, start, file, "Regions/Boundary Cells",
                                     group));
  for (int i = 0; i < BOUNDARY_CELLS; ++i) sum += cells[i];
  MPI_Reduce(&sum, &least, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&sum, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  if (world_rank == 0 && least == most) {
    printf("pattern 1: every rank read the %d boundary cells, sum %.0f\n", BOUNDARY_CELLS, most);
  }
}

static void read_pattern_2(int file, iogroup_t* group) {
  int all, mine[1], start[1];
  need(scorpio_get_dataset_size(&all, file, "Porosity", group));
  start[0] = begin_of(world_rank, world_ranks, all);
  mine[0] = begin_of(world_rank + 1, world_ranks, all) - start[0];
  double *porosity = malloc(sizeof(double) * (size_t)(mine[0] + 1)), sum = 0;
  need(scorpio_read_dataset_block(porosity, SCORPIO_DOUBLE, 1, &all, mine, start, file, "Porosity", group));
  for (int i = 0; i < mine[0]; ++i) sum += porosity[i];
  free(porosity);
  sum = sum_of_all(sum);
  double count = sum_of_all(mine[0]);
  if (world_rank == 0) printf("pattern 2: the ranks read %.0f cells, sum %.4f\n", count, sum);
}

static void write_pattern_1(const char* path, iogroup_t* group) {
  int shape[3] = {NZ, NY, NX}, grid[3] = {0, 0, 0}, counts[3], starts[3], place = world_rank;
  MPI_Dims_create(world_ranks, 3, grid);
  for (int d = 2; d >= 0; --d) {
    starts[d] = begin_of(place % grid[d], grid[d], shape[d]);
    counts[d] = begin_of(place % grid[d] + 1, grid[d], shape[d]) - starts[d];
    place /= grid[d];
  }
  double *pressure = malloc(sizeof(double) * (size_t)(counts[0] * counts[1] * counts[2] + 1)), sum = 0;
  int n = 0;
  for (int z = starts[0]; z < starts[0] + counts[0]; ++z) {
    for (int y = starts[1]; y < starts[1] + counts[1]; ++y) {
      for (int x = starts[2]; x < starts[2] + counts[2]; ++x) {
        pressure[n] = 101325 + (z * NY + y) * NX + x;
        sum += pressure[n++];
      }
    }
  }
  int file = need(scorpio_open_file(path, group, SCORPIO_FILE_CREATE));
  need(scorpio_write_dataset_block(pressure, SCORPIO_DOUBLE, 3, shape, counts, starts, file,
                                   "Time 0/Pressure", group));
  need(scorpio_close_file(file, group));
  free(pressure);
  sum = sum_of_all(sum);
  if (world_rank == 0) printf("write 1: wrote %dx%dx%d values as blocks, sum %.0f\n", NZ, NY, NX, sum);
}

int main(int argc, char** argv) {
  char input[1000], output[1000];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  snprintf(input, sizeof input, "%s/input.h5", argc > 1 ? argv[1] : ".");
  snprintf(output, sizeof output, "%s/output.h5", argc > 1 ? argv[1] : ".");

  /* One reads for all; two ranks to a writer. Groups of both sizes live side by side. */
  iogroup_conf_t for_reads = {.numIOgroups = 1, .commIncoming = MPI_COMM_WORLD};
  iogroup_conf_t for_writes = {.preferredGroupSize = 2, .commIncoming = MPI_COMM_WORLD};
  iogroup_t readers, writers;
  need(scorpio_IOgroup_init(&for_reads, &readers));
  need(scorpio_IOgroup_init(&for_writes, &writers));

  make_input(input, &writers);
  int file = need(scorpio_open_file(input, &readers, SCORPIO_FILE_READONLY));
  read_pattern_1(file, &readers);
  read_pattern_2(file, &readers);
  need(scorpio_close_file(file, &readers));
  write_pattern_1(output, &writers);

  need(scorpio_IOgroup_cleanup(&writers));
  need(scorpio_IOgroup_cleanup(&readers));
  MPI_Finalize();
  return 0;
}
