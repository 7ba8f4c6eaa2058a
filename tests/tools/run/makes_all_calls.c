// An MPI program that makes MPI-IO calls of every kind, for a record of them. Arguments: FOLDER
// [COUNT]. Each rank checks what it reads.
//   all    all ranks: a view of blocks in turn, blocking, nonblocking, split and ordered calls, a sync
//   pair.N the two ranks 2N and 2N+1, on a communicator of their own, with pieces that lie apart in memory
//   own.N  rank N alone; rank 1 with COUNT short writes more
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { numbers = 256 };
static int rank, ranks, values[2 * numbers], found[2 * numbers];

static MPI_File open_file(MPI_Comm users, const char* folder, const char* name, int number) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s/%s.%d", folder, name, number);
  MPI_File_open(users, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
  return file;
}
static void check(int count, const char* what) {
  for (int i = 0; i < count; ++i) {
    if (found[i] == values[i]) continue;
    fprintf(stderr, "rank %d: %s: number %d is %d\n", rank, what, i, found[i]);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void together(const char* folder) {
  MPI_File file = open_file(MPI_COMM_WORLD, folder, "all", 0);
  MPI_Datatype block, turns;
  MPI_Type_contiguous(16, MPI_INT, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)(16 * sizeof(int)) * ranks, &turns);
  MPI_Type_commit(&turns);
  MPI_File_set_view(file, (MPI_Offset)(16 * sizeof(int)) * rank, MPI_INT, turns, "native", MPI_INFO_NULL);
  MPI_Request requests[2];
  MPI_File_write_all(file, values, numbers, MPI_INT, MPI_STATUS_IGNORE);
  usleep(20000);  // the program's own time
  MPI_File_iwrite_at_all(file, numbers, values, numbers, MPI_INT, &requests[0]);
  MPI_File_iwrite_at(file, 2 * numbers, values, 16, MPI_INT, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_File_write_at_all_begin(file, 3 * numbers, values, numbers, MPI_INT);
  MPI_File_write_at_all_end(file, values, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_File_read_at_all(file, numbers, found, numbers, MPI_INT, MPI_STATUS_IGNORE);
  check(numbers, "a collective read");
  MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  MPI_File_seek_shared(file, (MPI_Offset)4 * numbers * ranks, MPI_SEEK_SET);
  MPI_File_write_ordered(file, values, 8, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_write_ordered_begin(file, values, 8, MPI_INT);
  MPI_File_write_ordered_end(file, values, MPI_STATUS_IGNORE);
  MPI_File_write_shared(file, values, 8, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Type_free(&block);
  MPI_Type_free(&turns);
}

static void in_pairs(const char* folder) {
  MPI_Comm pair;
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pair);
  MPI_File file = open_file(pair, folder, "pair", rank / 2);
  MPI_Datatype every_other;
  MPI_Type_vector(numbers, 1, 2, MPI_INT, &every_other);
  MPI_Type_commit(&every_other);
  const MPI_Offset mine = (MPI_Offset)sizeof values * (rank % 2);
  MPI_File_write_at_all(file, mine, values, 1, every_other, MPI_STATUS_IGNORE);
  MPI_File_read_at(file, mine, found, 1, every_other, MPI_STATUS_IGNORE);
  for (int i = 1; i < 2 * numbers; i += 2) found[i] = values[i];
  check(2 * numbers, "pieces that lie apart in memory");
  MPI_File_set_size(file, (MPI_Offset)4 * sizeof values);
  MPI_File_close(&file);
  MPI_Type_free(&every_other);
  MPI_Comm_free(&pair);
}

static void alone(const char* folder, int count) {
  MPI_File file = open_file(MPI_COMM_SELF, folder, "own", rank);
  MPI_Request request;
  int done = 0;
  for (int i = 0; i < 10; ++i) MPI_File_write(file, values, 10, MPI_INT, MPI_STATUS_IGNORE);
  for (int i = 0; rank == 1 && i < count; ++i)
    MPI_File_write_at(file, 40, values + 10, 2, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_iread_at(file, 0, found, 10, MPI_INT, &request);
  while (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  check(10, "a read of one rank");
  MPI_File_close(&file);
}

int main(int argument_count, char** arguments) {
  if (argument_count < 2) return 2;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 2 * numbers; ++i) values[i] = rank * 1000 + i;
  together(arguments[1]);
  in_pairs(arguments[1]);
  alone(arguments[1], argument_count > 2 ? atoi(arguments[2]) : 0);
  MPI_Finalize();
  return 0;
}
