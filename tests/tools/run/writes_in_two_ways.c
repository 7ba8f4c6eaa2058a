// An MPI program whose two ranks write three files: FILE.together, interleaved, by collective calls that rank
// 1 comes late to; and FILE.alone, with hints, by many small independent calls; FILE.strided, by independent
// calls of 64 pieces with gaps. Argument: FILE.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { piece_bytes = 1024, pieces = 64, steps = 5, small_writes = 200000, strided_writes = 20000 };

static MPI_File open_file(const char* name, const char* end, MPI_Info info) {
  char path[4096];
  MPI_File file;
  snprintf(path, sizeof path, "%s.%s", name, end);
  MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  return file;
}

int main(int argument_count, char** arguments) {
  int rank = 0;
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static char data[piece_bytes * pieces];
  MPI_File file = open_file(arguments[1], "together", MPI_INFO_NULL);
  MPI_Datatype interleaved;
  MPI_Type_vector(pieces, piece_bytes, 2 * piece_bytes, MPI_BYTE, &interleaved);
  MPI_Type_commit(&interleaved);
  for (int step = 0; step < steps; ++step) {
    const MPI_Offset begin = (MPI_Offset)step * 2 * (MPI_Offset)sizeof data + (MPI_Offset)rank * piece_bytes;
    MPI_File_set_view(file, begin, MPI_BYTE, interleaved, "native", MPI_INFO_NULL);
    if (rank == 1) usleep(100000);
    MPI_File_write_all(file, data, sizeof data, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&interleaved);
  MPI_File_close(&file);

  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "1");
  MPI_Info_set(info, "cb_buffer_size", "1M");
  MPI_Info_set(info, "cb_nods", "1");
  file = open_file(arguments[1], "alone", info);
  MPI_Info_free(&info);
  for (int i = 0; i < small_writes; ++i) {
    MPI_File_write_at(file, ((MPI_Offset)2 * i + rank) * 8, data, 8, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  MPI_File_close(&file);

  file = open_file(arguments[1], "strided", MPI_INFO_NULL);
  MPI_Datatype strided;
  MPI_Type_vector(pieces * strided_writes, 8, 16, MPI_BYTE, &strided);
  MPI_Type_commit(&strided);
  MPI_File_set_view(file, (MPI_Offset)8 * rank, MPI_BYTE, strided, "native", MPI_INFO_NULL);
  MPI_Type_free(&strided);
  for (int i = 0; i < strided_writes; ++i)
    MPI_File_write(file, data, pieces * 8, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
