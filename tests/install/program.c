// Writes and reads a file, and says which Concilio did it, or that none did.
#include <concilio/file.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_File file;
  char text[8] = "";
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file)) return 3;
  MPI_File_write_at_all(file, rank * 4, "abc", 4, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_File_read_at_all(file, rank * 4, text, 4, MPI_CHAR, MPI_STATUS_IGNORE);
  int64_t written = 8;
  if (concilio_file_counter && concilio_file_counter(file, "bytes_written", &written)) return 4;
  if (concilio_version ? written != 4 : written != 8) return 5;
  MPI_File_close(&file);
  if (rank == 0) printf("%s %s\n", concilio_version ? concilio_version() : "without", text);
  MPI_Finalize();
  return 0;
}
