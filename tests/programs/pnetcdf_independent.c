// pnetcdf_independent FOLDER: PnetCDF's independent data mode. All ranks write short pieces of a new record
// at the same time, and the neighbours of a piece belong to other ranks. Half of the ranks write many pieces
// in a call, the others one piece. Then every rank reads and checks all data. PnetCDF makes these calls
// through an open of the file by every rank alone.
#include <pnetcdf.h>
#include <stdlib.h>

#include "program.h"

enum { records = 200, pieces_a_call = 20, calls = 4, longest = 4, columns = 240, most_ranks = 16 };

#define NC(call) require_success((call), ncmpi_strerror, __FILE__, __LINE__, #call)

// Who writes which elements of a record of `several`; the same on every rank.
static struct {
  MPI_Offset start, count;
  int owner;
} piece_of[calls * pieces_a_call * most_ranks];
static int pieces;

// Returns the number of those elements.
static MPI_Offset divide(void) {
  unsigned state = 12345;
  MPI_Offset elements = 0;
  pieces = calls * pieces_a_call * ranks;
  for (int i = 0; i < pieces; ++i) {
    state = state * 1103515245u + 12345u;
    piece_of[i].start = elements;
    piece_of[i].count = 1 + (state >> 16) % longest;
    piece_of[i].owner = i % ranks;
    elements += piece_of[i].count;
  }
  return elements;
}

// The value of an element of a record. It is never 0, which is the value of an element that was never
// written.
static int element(int variable, int record, MPI_Offset index) {
  return 1 + (int)index + 10000 * record + 10000000 * variable;
}

struct file {
  int id, several, strided;
  MPI_Offset elements;
};

static struct file make(const char* name, int format) {
  struct file f;
  int dimensions[2], strided[2];
  f.elements = divide();
  NC(ncmpi_create(MPI_COMM_WORLD, path_of(name), NC_CLOBBER | format, MPI_INFO_NULL, &f.id));
  NC(ncmpi_def_dim(f.id, "time", NC_UNLIMITED, &dimensions[0]));
  NC(ncmpi_def_dim(f.id, "elements", f.elements, &dimensions[1]));
  strided[0] = dimensions[0];
  NC(ncmpi_def_dim(f.id, "columns", columns, &strided[1]));
  NC(ncmpi_def_var(f.id, "several", NC_INT, 2, dimensions, &f.several));
  NC(ncmpi_def_var(f.id, "strided", NC_INT, 2, strided, &f.strided));
  NC(ncmpi_enddef(f.id));
  return f;
}

// Writes some of this rank's pieces in one call, beginning with number `from`. Returns the first piece that
// is not yet written.
static int put_several(struct file f, int record, int from, int most) {
  MPI_Offset start[pieces_a_call][2], count[pieces_a_call][2];
  MPI_Offset *starts[pieces_a_call], *counts[pieces_a_call];
  int data[pieces_a_call * longest], used = 0, elements = 0, i = from;
  for (; i < pieces && used < most; ++i) {
    if (piece_of[i].owner != rank) continue;
    start[used][0] = record;
    start[used][1] = piece_of[i].start;
    count[used][0] = 1;
    count[used][1] = piece_of[i].count;
    starts[used] = start[used];
    counts[used] = count[used];
    for (MPI_Offset k = 0; k < piece_of[i].count; ++k)
      data[elements++] = element(0, record, piece_of[i].start + k);
    ++used;
  }
  if (used > 0) NC(ncmpi_put_varn_int(f.id, f.several, used, starts, counts, data));
  return i;
}

// Writes every ranks-th element of a record.
static void put_strided(struct file f, int record) {
  int data[columns];
  MPI_Offset start[2] = {record, rank}, count[2] = {1, (columns - rank + ranks - 1) / ranks},
             stride[2] = {1, ranks};
  for (MPI_Offset k = 0; k < count[1]; ++k) data[k] = element(1, record, rank + k * ranks);
  NC(ncmpi_put_vars_int(f.id, f.strided, start, count, stride, data));
}

static void put_one_by_one(struct file f, int record) {
  for (int column = rank; column < columns; column += ranks) {
    MPI_Offset at[2] = {record, column};
    int value = element(1, record, column);
    NC(ncmpi_put_var1_int(f.id, f.strided, at, &value));
  }
}

static void write_record(struct file f, int record) {
  const int many = (rank + record) % 2;
  NC(ncmpi_begin_indep_data(f.id));
  for (int next = 0; next < pieces;) next = put_several(f, record, next, many ? pieces_a_call : 1);
  if (many) {
    put_strided(f, record);
  } else {
    put_one_by_one(f, record);
  }
  NC(ncmpi_end_indep_data(f.id));
}

// Every rank reads the whole record. Returns the number of wrong elements.
static int wrong_elements(struct file f, int variable, int id, int record) {
  const MPI_Offset elements = variable == 0 ? f.elements : columns;
  int data[calls * pieces_a_call * most_ranks * longest];
  MPI_Offset start[2] = {record, 0}, count[2] = {1, elements};
  int wrong = 0;
  NC(ncmpi_get_vara_int_all(f.id, id, start, count, data));
  for (MPI_Offset i = 0; i < elements; ++i) {
    const int expected = element(variable, record, i);
    if (data[i] != expected && ++wrong <= 3)
      printf("rank %d, record %d, variable %d, element %lld: expected %d, found %d\n", rank, record, variable,
             (long long)i, expected, data[i]);
  }
  return wrong;
}

// Reads the record now, and again at the end.
static int wrong_in_record(struct file f, int record) {
  return wrong_elements(f, 0, f.several, record) + wrong_elements(f, 1, f.strided, record);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct {
    const char* name;
    int format;
  } formats[] = {{"cdf1.nc", 0}, {"cdf5.nc", NC_64BIT_DATA}};
  int wrong = 0;
  REQUIRE(ranks <= most_ranks);
  for (int i = 0; i < 2; ++i) {
    struct file f = make(formats[i].name, formats[i].format);
    for (int record = 0; record < records; ++record) {
      write_record(f, record);
      wrong += wrong_in_record(f, record);
    }
    for (int record = 0; record < records; ++record) wrong += wrong_in_record(f, record);
    NC(ncmpi_close(f.id));
  }
  if (wrong > 0) printf("rank %d: %d elements lost\n", rank, wrong);
  int any;
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return any > 0;
}
