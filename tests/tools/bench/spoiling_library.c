// Makes MPI-IO wrong in a way that SPOIL names, to test that the benchmark notices.
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

// The program looks for this function before it measures methods.
const char* concilio_version(void) {
  return "spoiling";
}

static int spoils(const char* what) {
  const char* wanted = getenv("SPOIL");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return wanted && strcmp(wanted, what) == 0 && rank == 1;
}

int MPI_File_read_at_all(MPI_File file, MPI_Offset offset, void* buffer, int count, MPI_Datatype type,
                         MPI_Status* status) {
  const int code = PMPI_File_read_at_all(file, offset, buffer, count, type, status);
  if (spoils("read")) ((unsigned char*)buffer)[130] ^= 1;
  if (spoils("gap")) ((unsigned char*)buffer)[64] ^= 1;
  if (spoils("error")) return MPI_ERR_IO;
  return code;
}

// Writes a byte that no rank writes, between the regions of hpio:64/64. Every rank sets the view, since that
// is collective.
int MPI_File_close(MPI_File* file) {
  const char* wanted = getenv("SPOIL");
  if (wanted && strcmp(wanted, "hole") == 0) {
    const unsigned char byte = 0;
    PMPI_File_set_view(*file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    if (spoils("hole")) PMPI_File_write_at(*file, 100, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE);
  }
  return PMPI_File_close(file);
}

int MPI_File_write_at_all(MPI_File file, MPI_Offset offset, const void* buffer, int count, MPI_Datatype type,
                          MPI_Status* status) {
  unsigned char* bytes = (unsigned char*)buffer;
  if (spoils("lazy")) {
    int type_bytes = 0;
    MPI_Type_size(type, &type_bytes);
    const int none = PMPI_File_write_at_all(file, offset, buffer, 0, type, status);
    MPI_Status_set_elements(status, MPI_BYTE, count * type_bytes);
    return none;
  }
  if (spoils("write")) bytes[5] ^= 1;
  const int code = PMPI_File_write_at_all(file, offset, buffer, count, type, status);
  if (spoils("write")) bytes[5] ^= 1;
  return code;
}
