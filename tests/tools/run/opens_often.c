// Opens FILE COUNT times, and each time writes and reads so that the record of the close has long tables. By
// its clock there is time for all records. Arguments: FILE COUNT.
#include <mpi.h>
#include <stdlib.h>

#include "../../common/own_clock.h"

int main(int argc, char** argv) {
  static char data[4096];
  MPI_Init(&argc, &argv);
  if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
  for (int i = atoi(argv[2]); i > 0; --i) {
    MPI_File file;
    let_pass(1000000000);
    if (MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file))
      MPI_Abort(MPI_COMM_WORLD, 3);
    for (int bin = 0; bin < 64; ++bin) {
      const int bytes = 1000 + bin;
      MPI_File_write_at(file, 4096 * bin, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
      MPI_File_read_at(file, 4096 * bin, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&file);
  }
  MPI_Finalize();
  return 0;
}
