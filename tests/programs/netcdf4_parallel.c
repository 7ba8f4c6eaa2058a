// netcdf4_parallel FOLDER: all ranks write netCDF-4 files, which are HDF5 files: fixed, record and compressed
// variables.
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdlib.h>

#include "program.h"

enum { rows = 16, columns = 20, records = 4 };

#define NC(call) require_success((call), nc_strerror, __FILE__, __LINE__, #call)

static double number(int record, long row, int column) {
  return record * 1e6 + (double)row * 100 + column;
}

static void fill(double data[rows][columns], int record, int owner) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) data[i][j] = number(record, (long)owner * rows + i, j);
}

static void expect(double data[rows][columns], int record, int owner) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) REQUIRE(data[i][j] == number(record, (long)owner * rows + i, j));
}

static void write_file(void) {
  int file, dimensions[3], fixed, alone, record, packed;
  double data[rows][columns];
  NC(nc_create_par(path_of("variables.nc"), NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  NC(nc_def_dim(file, "time", NC_UNLIMITED, &dimensions[0]));
  NC(nc_def_dim(file, "y", (size_t)rows * ranks, &dimensions[1]));
  NC(nc_def_dim(file, "x", columns, &dimensions[2]));
  NC(nc_def_var(file, "fixed", NC_DOUBLE, 2, dimensions + 1, &fixed));
  NC(nc_def_var(file, "alone", NC_DOUBLE, 2, dimensions + 1, &alone));
  NC(nc_def_var(file, "record", NC_DOUBLE, 3, dimensions, &record));
  NC(nc_def_var(file, "packed", NC_DOUBLE, 3, dimensions, &packed));
  NC(nc_def_var_deflate(file, packed, 1, 1, 4));
  NC(nc_put_att_text(file, fixed, "unit", 1, "m"));
  NC(nc_enddef(file));
  NC(nc_var_par_access(file, fixed, NC_COLLECTIVE));
  NC(nc_var_par_access(file, alone, NC_INDEPENDENT));
  NC(nc_var_par_access(file, record, NC_COLLECTIVE));
  NC(nc_var_par_access(file, packed, NC_COLLECTIVE));

  size_t start[3] = {0, (size_t)rank * rows, 0}, count[3] = {1, rows, columns};
  fill(data, 0, rank);
  NC(nc_put_vara_double(file, fixed, start + 1, count + 1, &data[0][0]));
  if (rank != 0 || ranks == 1) NC(nc_put_vara_double(file, alone, start + 1, count + 1, &data[0][0]));
  for (int i = 0; i < records; ++i) {
    start[0] = i;
    fill(data, i, rank);
    // The last of several ranks has data only in the last record.
    count[1] = ranks > 1 && rank == ranks - 1 && i < records - 1 ? 0 : rows;
    NC(nc_put_vara_double(file, record, start, count, &data[0][0]));
    count[1] = rows;
    NC(nc_put_vara_double(file, packed, start, count, &data[0][0]));
  }
  NC(nc_sync(file));
  MPI_Barrier(MPI_COMM_WORLD);
  int next = (rank + 1) % ranks;
  start[0] = records - 1;
  start[1] = (size_t)next * rows;
  NC(nc_get_vara_double(file, record, start, count, &data[0][0]));
  expect(data, records - 1, next);
  NC(nc_close(file));
}

static void append_and_read(void) {
  int file, record, packed, alone;
  double data[rows][columns];
  NC(nc_open_par(path_of("variables.nc"), NC_WRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  NC(nc_inq_varid(file, "record", &record));
  NC(nc_inq_varid(file, "packed", &packed));
  NC(nc_inq_varid(file, "alone", &alone));
  NC(nc_var_par_access(file, record, NC_COLLECTIVE));
  NC(nc_var_par_access(file, packed, NC_COLLECTIVE));
  size_t start[3] = {records, (size_t)rank * rows, 0}, count[3] = {1, rows, columns};
  fill(data, records, rank);
  NC(nc_put_vara_double(file, record, start, count, &data[0][0]));
  NC(nc_close(file));

  NC(nc_open_par(path_of("variables.nc"), NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file));
  NC(nc_var_par_access(file, packed, NC_COLLECTIVE));
  int owner = ranks - 1 - rank;
  start[1] = (size_t)owner * rows;
  NC(nc_get_vara_double(file, record, start, count, &data[0][0]));
  expect(data, records, owner);
  for (int i = 0; i < records; ++i) {
    start[0] = i;
    NC(nc_get_vara_double(file, packed, start, count, &data[0][0]));
    expect(data, i, owner);
  }
  NC(nc_get_vara_double(file, alone, start + 1, count + 1, &data[0][0]));
  if (owner != 0 || ranks == 1) {
    expect(data, 0, owner);
  } else {
    REQUIRE(data[0][0] == NC_FILL_DOUBLE);
  }
  NC(nc_close(file));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  write_file();
  append_and_read();
  if (rank == 0) printf("netCDF %s on %d ranks\n", nc_inq_libvers(), ranks);
  MPI_Finalize();
  return 0;
}
