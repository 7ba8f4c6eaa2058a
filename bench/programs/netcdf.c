// netCDF-4, which writes HDF5 files: record variables in collective calls, each step in one chunk, and one
// that rank 0 writes alone.
#include <netcdf.h>
#include <netcdf_par.h>

#include "programs/program.h"

#define NC(call) checked((call), #call)

static void checked(int code, const char* call) {
  if (code != NC_NOERR) fail(call, nc_strerror(code));
}

static void write_file(void) {
  int file, dimensions[4], ids[variables], times;
  const size_t step[4] = {1, whole[1], whole[2], whole[3]};
  static const char* const names[4] = {"time", "z", "y", "x"};
  NC(nc_create_par(file_name, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  for (int d = 0; d < 4; ++d)
    NC(nc_def_dim(file, names[d], d == 0 ? NC_UNLIMITED : whole[d], &dimensions[d]));
  for (int v = 0; v < variables; ++v) {
    NC(nc_def_var(file, name_of(v), NC_DOUBLE, 4, dimensions, &ids[v]));
    NC(nc_def_var_chunking(file, ids[v], NC_CHUNKED, step));
    NC(nc_def_var_fill(file, ids[v], NC_NOFILL, NULL));
    NC(nc_put_att_text(file, ids[v], "units", 1, "1"));
  }
  NC(nc_def_dim(file, "step", whole[0], dimensions));
  NC(nc_def_var(file, "times", NC_DOUBLE, 1, dimensions, &times));
  NC(nc_enddef(file));
  for (int v = 0; v < variables; ++v) NC(nc_var_par_access(file, ids[v], NC_COLLECTIVE));
  for (start[0] = 0; start[0] < whole[0]; ++start[0]) {
    const double now = (double)start[0];
    for (int v = 0; v < variables; ++v) {
      fill(v, rank);
      NC(nc_put_vara_double(file, ids[v], start, count, data));
    }
    if (rank == 0) NC(nc_put_var1_double(file, times, start, &now));
  }
  NC(nc_close(file));
}

static void read_file(int owner) {
  int file, id;
  NC(nc_open_par(file_name, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  go_to_block_of(owner);
  for (int v = 0; v < variables; ++v) {
    NC(nc_inq_varid(file, name_of(v), &id));
    NC(nc_var_par_access(file, id, NC_COLLECTIVE));
    for (start[0] = 0; start[0] < whole[0]; ++start[0]) {
      NC(nc_get_vara_double(file, id, start, count, data));
      check(v, owner);
    }
  }
  NC(nc_close(file));
}

int main(int argc, char** argv) {
  return run(argc, argv, write_file, read_file);
}
