/*
 * Opens, writes and closes files without end, each on a communicator of its own, so that memory to share is
 * made again and again. To be killed.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { piece = 64, pieces = 500 };

int main(int argc, char** argv) {
  const char* folder = getenv("CONCILIO_TEST_DIR");
  static char mine[piece * pieces];
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Datatype one, tile;
  MPI_Type_contiguous(piece, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, (MPI_Aint)piece * ranks, &tile);
  MPI_Type_commit(&tile);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_method", "two_phase");
  for (int i = 0;; i++) {
    char path[4096];
    MPI_Comm comm;
    MPI_File file;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    snprintf(path, sizeof path, "%s/killed-%d", folder ? folder : "/tmp", i % 10);
    if (MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) != MPI_SUCCESS) return 1;
    MPI_File_set_view(file, (MPI_Offset)piece * rank, MPI_BYTE, tile, "native", MPI_INFO_NULL);
    MPI_File_write_at_all(file, 0, mine, sizeof mine, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Comm_free(&comm);
  }
}
