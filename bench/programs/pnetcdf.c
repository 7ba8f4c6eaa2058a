// PnetCDF: record variables, the first by blocking collective calls, the others posted and waited for
// together.
#include <pnetcdf.h>
#include <string.h>

#include "programs/program.h"

#define NC(call) checked((call), #call)

static void checked(int code, const char* call) {
  if (code != NC_NOERR) fail(call, ncmpi_strerror(code));
}

static MPI_Offset first[4], length[4];

static void place(void) {
  for (int d = 0; d < 4; ++d) {
    first[d] = (MPI_Offset)start[d];
    length[d] = (MPI_Offset)count[d];
  }
}

static void write_file(void) {
  int file, dimensions[4], ids[variables], requests[variables], codes[variables];
  static const char* const names[4] = {"time", "z", "y", "x"};
  double* posted[variables];
  for (int v = 1; v < variables; ++v) {
    posted[v] = malloc(sizeof data);
    if (posted[v] == NULL) fail("malloc", "no memory");
  }
  NC(ncmpi_create(MPI_COMM_WORLD, file_name, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  for (int d = 0; d < 4; ++d)
    NC(ncmpi_def_dim(file, names[d], d == 0 ? NC_UNLIMITED : (MPI_Offset)whole[d], &dimensions[d]));
  for (int v = 0; v < variables; ++v) {
    NC(ncmpi_def_var(file, name_of(v), NC_DOUBLE, 4, dimensions, &ids[v]));
    NC(ncmpi_put_att_text(file, ids[v], "units", 1, "1"));
  }
  NC(ncmpi_enddef(file));
  for (start[0] = 0; start[0] < whole[0]; ++start[0]) {
    place();
    for (int v = 1; v < variables; ++v) {
      fill(v, rank);
      memcpy(posted[v], data, sizeof data);
      NC(ncmpi_iput_vara_double(file, ids[v], first, length, posted[v], &requests[v]));
    }
    fill(0, rank);
    NC(ncmpi_put_vara_double_all(file, ids[0], first, length, data));
    NC(ncmpi_wait_all(file, variables - 1, requests + 1, codes + 1));
    for (int v = 1; v < variables; ++v) NC(codes[v]);
  }
  NC(ncmpi_close(file));
  for (int v = 1; v < variables; ++v) free(posted[v]);
}

static void read_file(int owner) {
  int file, id;
  NC(ncmpi_open(MPI_COMM_WORLD, file_name, NC_NOWRITE, MPI_INFO_NULL, &file));
  go_to_block_of(owner);
  for (int v = 0; v < variables; ++v) {
    NC(ncmpi_inq_varid(file, name_of(v), &id));
    for (start[0] = 0; start[0] < whole[0]; ++start[0]) {
      place();
      NC(ncmpi_get_vara_double_all(file, id, first, length, data));
      check(v, owner);
    }
  }
  NC(ncmpi_close(file));
}

int main(int argc, char** argv) {
  return run(argc, argv, write_file, read_file);
}
