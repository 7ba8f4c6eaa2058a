// An ordinary MPI-IO program: a 3-D array of doubles, cut into one block a rank, is written to a file,
// several time steps one behind the other, and read back. It knows nothing of Concilio.
//
//   mpirun -n 4 block3d FILE [NX NY NZ [STEPS]]      x varies fastest
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Most memory this process has had so far, in KiB.
static long peak_kib(void) {
  char line[256];
  long kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  if (status == NULL) return 0;
  while (fgets(line, sizeof line, status)) sscanf(line, "VmHWM: %ld", &kib);
  fclose(status);
  return kib;
}

static void check(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  if (code == MPI_SUCCESS) return;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "block3d: %s: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// What stands at a place of the array in a time step.
static double value_at(int step, long long index) {
  return (double)step * 1e9 + (double)index;
}

typedef struct {
  int whole[3], part[3], start[3];  // z, y, x
} Block;

static size_t count_of(const Block* block) {
  return (size_t)block->part[0] * (size_t)block->part[1] * (size_t)block->part[2];
}

static void fill(double* data, const Block* block, int step) {
  for (int z = 0; z < block->part[0]; z++)
    for (int y = 0; y < block->part[1]; y++)
      for (int x = 0; x < block->part[2]; x++) {
        long long row = (long long)(block->start[0] + z) * block->whole[1] + block->start[1] + y;
        *data++ = value_at(step, row * block->whole[2] + block->start[2] + x);
      }
}

static Block cut(const int whole_xyz[3], MPI_Comm comm) {
  int ranks, rank, grid[3] = {0, 0, 0};  // x, y, z
  Block block;
  MPI_Comm_size(comm, &ranks);
  MPI_Comm_rank(comm, &rank);
  MPI_Dims_create(ranks, 3, grid);
  for (int d = 0; d < 3; d++) {
    int place = rank % grid[d], from = (int)((long long)whole_xyz[d] * place / grid[d]);
    rank /= grid[d];
    block.whole[2 - d] = whole_xyz[d];
    block.start[2 - d] = from;
    block.part[2 - d] = (int)((long long)whole_xyz[d] * (place + 1) / grid[d]) - from;
  }
  return block;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size_xyz[3] = {256, 256, 128}, steps = 3;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc != 2 && argc != 5 && argc != 6) {
    if (rank == 0) fprintf(stderr, "block3d FILE [NX NY NZ [STEPS]]\n");
    MPI_Finalize();
    return 2;
  }
  for (int d = 0; d < 3 && argc > 4; d++) size_xyz[d] = atoi(argv[2 + d]);
  if (argc > 5) steps = atoi(argv[5]);

  const Block block = cut(size_xyz, MPI_COMM_WORLD);
  const size_t count = count_of(&block);
  MPI_Datatype row, filetype;
  MPI_Type_create_subarray(3, block.whole, block.part, block.start, MPI_ORDER_C, MPI_DOUBLE, &filetype);
  MPI_Type_commit(&filetype);
  MPI_Type_contiguous(block.part[2], MPI_DOUBLE, &row);
  MPI_Type_commit(&row);
  double* written = malloc(count * sizeof(double) + 1);
  double* read = malloc(count * sizeof(double) + 1);
  if (written == NULL || read == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(written, 1, count * sizeof(double));
  memset(read, 1, count * sizeof(double));
  const int rows = block.part[0] * block.part[1];
  const long before_kib = peak_kib();
  double seconds[2] = {0, 0};
  int wrong = 0;

  for (int reading = 0; reading < 2; reading++) {
    MPI_File file;
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime();
    const int mode = reading ? MPI_MODE_RDONLY : MPI_MODE_CREATE | MPI_MODE_WRONLY;
    check(MPI_File_open(MPI_COMM_WORLD, argv[1], mode, MPI_INFO_NULL, &file), "open");
    check(MPI_File_set_view(file, 0, MPI_DOUBLE, filetype, "native", MPI_INFO_NULL), "set_view");
    seconds[reading] += MPI_Wtime() - start;
    for (int step = 0; step < steps; step++) {
      fill(written, &block, step);
      MPI_Barrier(MPI_COMM_WORLD);
      start = MPI_Wtime();
      if (reading)
        check(MPI_File_read_all(file, read, rows, row, MPI_STATUS_IGNORE), "read_all");
      else
        check(MPI_File_write_all(file, written, rows, row, MPI_STATUS_IGNORE), "write_all");
      seconds[reading] += MPI_Wtime() - start;
      if (reading && memcmp(written, read, count * sizeof(double)) != 0) wrong = 1;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    check(MPI_File_close(&file), "close");
    seconds[reading] += MPI_Wtime() - start;
  }

  double slowest[2];
  long grown_kib = peak_kib() - before_kib, most_kib;
  int any_wrong;
  MPI_Reduce(seconds, slowest, 2, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&grown_kib, &most_kib, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &any_wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    const double mib =
        (double)block.whole[0] * block.whole[1] * block.whole[2] * steps * sizeof(double) / 1048576;
    printf("write %.3f s, %.0f MiB/s\n", slowest[0], mib / slowest[0]);
    printf("read %.3f s, %.0f MiB/s\n", slowest[1], mib / slowest[1]);
    printf("memory %.1f MiB a rank, taken while reading and writing\n", (double)most_kib / 1024);
    printf("data %s\n", any_wrong ? "WRONG" : "right");
  }
  free(written);
  free(read);
  MPI_Type_free(&row);
  MPI_Type_free(&filetype);
  MPI_Finalize();
  return any_wrong;
}
