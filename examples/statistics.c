// A program that asks Concilio, where it is there, what became of its calls. It runs without Concilio too.
//
//   mpicc statistics.c $(pkg-config --cflags concilio) -o statistics
//   concilio run mpirun -n 4 statistics FILE
#include <concilio/file.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_statistics(MPI_File file, const char* when) {
  const char* method = NULL;
  char reason[256];
  int64_t limit_bytes, high_water_bytes;
  if (!concilio_file_counter) {
    printf("%s: without Concilio\n", when);
    return;
  }
  int code = concilio_file_last_call(file, &method, reason, sizeof reason);
  if (code != CONCILIO_SUCCESS) {
    printf("%s: %s\n", when, concilio_error_text(code));
    return;
  }
  printf("%s: %s\n", when, method ? reason : "no call yet");
  for (int i = 0; concilio_counter_name(i) != NULL; i++) {
    int64_t value = 0;
    concilio_file_counter(file, concilio_counter_name(i), &value);
    if (value != 0) printf("  %-22s %lld\n", concilio_counter_name(i), (long long)value);
  }
  concilio_file_memory(file, &limit_bytes, NULL, &high_water_bytes);
  printf("  memory: at most %lld bytes of %lld\n", (long long)high_water_bytes, (long long)limit_bytes);
}

// Every rank writes `count` doubles of each row of count * ranks.
static void write_columns(MPI_File file, int rank, int ranks, const double* data, int count, int rows) {
  MPI_Datatype column;
  MPI_Type_vector(rows, count, count * ranks, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  MPI_File_set_view(file, (MPI_Offset)rank * count * (MPI_Offset)sizeof *data, MPI_DOUBLE, column, "native",
                    MPI_INFO_NULL);
  MPI_File_write_all(file, data, count * rows, MPI_DOUBLE, MPI_STATUS_IGNORE);
  MPI_Type_free(&column);
}

int main(int argc, char** argv) {
  enum { count = 16, rows = 4096 };
  static double data[count * rows];
  int rank, ranks;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 2) {
    if (rank == 0) fprintf(stderr, "statistics FILE\n");
    MPI_Finalize();
    return 2;
  }
  for (int i = 0; i < count * rows; i++) data[i] = rank + 1e-6 * i;
  if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file)) {
    fprintf(stderr, "statistics: cannot open %s\n", argv[1]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  write_columns(file, rank, ranks, data, count, rows);
  if (rank == 0) print_statistics(file, "as Concilio chose");
  if (concilio_file_set_method) concilio_file_set_method(file, "list");  // by all ranks
  write_columns(file, rank, ranks, data, count, rows);
  if (rank == 0) print_statistics(file, "with the method list");
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
