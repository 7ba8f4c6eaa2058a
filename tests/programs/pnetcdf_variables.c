// pnetcdf_variables FOLDER: PnetCDF's fixed and record variables, blocking and nonblocking, in each of its
// formats.
#include <pnetcdf.h>
#include <stdlib.h>

#include "program.h"

enum { rows = 16, columns = 20, records = 3 };

#define NC(call) require_success((call), ncmpi_strerror, __FILE__, __LINE__, #call)

static int number(int record, long row, int column) {
  return record * 1000000 + (int)row * 100 + column;
}

struct file {
  int id, fixed, columnwise, record, other_record;
};

static struct file make(const char* name, int format) {
  struct file f;
  int dimensions[3];
  NC(ncmpi_create(MPI_COMM_WORLD, path_of(name), NC_CLOBBER | format, MPI_INFO_NULL, &f.id));
  NC(ncmpi_def_dim(f.id, "time", NC_UNLIMITED, &dimensions[0]));
  NC(ncmpi_def_dim(f.id, "y", (MPI_Offset)rows * ranks, &dimensions[1]));
  NC(ncmpi_def_dim(f.id, "x", columns, &dimensions[2]));
  NC(ncmpi_def_var(f.id, "fixed", NC_INT, 2, dimensions + 1, &f.fixed));
  NC(ncmpi_def_var(f.id, "columnwise", NC_DOUBLE, 2, dimensions + 1, &f.columnwise));
  NC(ncmpi_def_var(f.id, "record", NC_INT, 3, dimensions, &f.record));
  NC(ncmpi_def_var(f.id, "other_record", NC_SHORT, 3, dimensions, &f.other_record));
  NC(ncmpi_put_att_text(f.id, NC_GLOBAL, "title", 5, "tests"));
  NC(ncmpi_set_fill(f.id, NC_FILL, NULL));
  NC(ncmpi_enddef(f.id));
  return f;
}

static void fixed_variables(struct file f) {
  int data[rows][columns];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) data[i][j] = number(0, (long)rank * rows + i, j);
  MPI_Offset start[2] = {(MPI_Offset)rank * rows, 0}, count[2] = {rows, columns};
  NC(ncmpi_put_vara_int_all(f.id, f.fixed, start, count, &data[0][0]));
  // Columns that belong to the ranks by turns. The type is converted.
  MPI_Offset from[2] = {0, rank}, size[2] = {(MPI_Offset)rows * ranks, columns / ranks},
             stride[2] = {1, ranks};
  int* wide = malloc(size[0] * size[1] * sizeof *wide);
  for (MPI_Offset i = 0; i < size[0] * size[1]; ++i)
    wide[i] = number(0, i / size[1], rank + (int)(i % size[1]) * ranks);
  NC(ncmpi_put_vars_int_all(f.id, f.columnwise, from, size, stride, wide));
  free(wide);
  // One rank writes one value.
  NC(ncmpi_begin_indep_data(f.id));
  if (rank == ranks - 1) {
    MPI_Offset corner[2] = {0, 0};
    int one = -12345;
    NC(ncmpi_put_var1_int(f.id, f.fixed, corner, &one));
  }
  NC(ncmpi_end_indep_data(f.id));
}

// Record by record. The last of several ranks has no data at first, and later some.
static void record_variables(struct file f) {
  int data[rows][columns];
  for (int record = 0; record < records; ++record) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) data[i][j] = number(record, (long)rank * rows + i, j);
    int nothing = ranks > 1 && rank == ranks - 1 && record < records - 1;
    MPI_Offset start[3] = {record, (MPI_Offset)rank * rows, 0}, count[3] = {1, nothing ? 0 : rows, columns};
    NC(ncmpi_put_vara_int_all(f.id, f.record, start, count, &data[0][0]));
  }
  NC(ncmpi_sync(f.id));
  MPI_Barrier(MPI_COMM_WORLD);
  int back[rows][columns];
  int next = (rank + 1) % ranks;
  MPI_Offset start[3] = {records - 1, (MPI_Offset)next * rows, 0}, count[3] = {1, rows, columns};
  NC(ncmpi_get_vara_int_all(f.id, f.record, start, count, &back[0][0]));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) REQUIRE(back[i][j] == number(records - 1, (long)next * rows + i, j));
}

// Many small requests that wait_all combines. Every rank has a different number of them.
static void nonblocking(struct file f) {
  int mine = rank == ranks - 1 && ranks > 1 ? 0 : 3 + rank;
  int requests[64], states[64], used = 0;
  short data[64][columns];
  for (int record = 0; record < 2; ++record) {
    for (int i = 0; i < mine; ++i) {
      for (int j = 0; j < columns; ++j) data[used][j] = (short)(record * 1000 + (rank * rows + i) * 30 + j);
      MPI_Offset start[3] = {record, (MPI_Offset)rank * rows + i, 0}, count[3] = {1, 1, columns};
      NC(ncmpi_iput_vara_short(f.id, f.other_record, start, count, data[used], &requests[used]));
      ++used;
    }
  }
  NC(ncmpi_wait_all(f.id, used, requests, states));
  for (int i = 0; i < used; ++i) NC(states[i]);
  NC(ncmpi_sync(f.id));
  MPI_Barrier(MPI_COMM_WORLD);
  short back[64][columns];
  for (int i = 0; i < used; ++i) {
    int record = i / mine, row = i % mine;
    MPI_Offset start[3] = {record, (MPI_Offset)rank * rows + row, 0}, count[3] = {1, 1, columns};
    NC(ncmpi_iget_vara_short(f.id, f.other_record, start, count, back[i], &requests[i]));
  }
  NC(ncmpi_wait_all(f.id, used, requests, states));
  for (int i = 0; i < used; ++i)
    for (int j = 0; j < columns; ++j) REQUIRE(back[i][j] == data[i][j]);
}

static void read_back(const char* name) {
  struct file f;
  NC(ncmpi_open(MPI_COMM_WORLD, path_of(name), NC_NOWRITE, MPI_INFO_NULL, &f.id));
  NC(ncmpi_inq_varid(f.id, "columnwise", &f.columnwise));
  NC(ncmpi_inq_varid(f.id, "fixed", &f.fixed));
  double found[rows][columns];
  MPI_Offset start[2] = {(MPI_Offset)rank * rows, 0}, count[2] = {rows, columns};
  NC(ncmpi_get_vara_double_all(f.id, f.columnwise, start, count, &found[0][0]));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns / ranks * ranks; ++j)
      REQUIRE(found[i][j] == number(0, (long)rank * rows + i, j));
  NC(ncmpi_get_vara_double_all(f.id, f.fixed, start, count, &found[0][0]));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      REQUIRE(found[i][j] == (rank + i + j == 0 ? -12345 : number(0, (long)rank * rows + i, j)));
  NC(ncmpi_close(f.id));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct {
    const char* name;
    int format;
  } formats[] = {{"cdf1.nc", 0}, {"cdf2.nc", NC_64BIT_OFFSET}, {"cdf5.nc", NC_64BIT_DATA}};
  for (int i = 0; i < 3; ++i) {
    struct file f = make(formats[i].name, formats[i].format);
    fixed_variables(f);
    record_variables(f);
    nonblocking(f);
    NC(ncmpi_close(f.id));
    read_back(formats[i].name);
  }
  if (rank == 0) printf("PnetCDF %s on %d ranks\n", ncmpi_inq_libvers(), ranks);
  MPI_Finalize();
  return 0;
}
