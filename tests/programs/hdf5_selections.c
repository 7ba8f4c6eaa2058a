// hdf5_selections FOLDER: writes HDF5 datasets through every kind of selection, collectively and
// independently.
#include <hdf5.h>
#include <stdlib.h>

#include "program.h"

enum { rows = 24, columns = 30 };

static hid_t collective, independent;

static hid_t transfer(H5FD_mpio_xfer_t mode) {
  hid_t list = H5Pcreate(H5P_DATASET_XFER);
  REQUIRE(H5Pset_dxpl_mpio(list, mode) >= 0);
  return list;
}

// If `metadata` is set, metadata are read and written collectively.
static hid_t file_access(int metadata) {
  hid_t list = H5Pcreate(H5P_FILE_ACCESS);
  REQUIRE(H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  if (metadata) {
    REQUIRE(H5Pset_all_coll_metadata_ops(list, 1) >= 0);
    REQUIRE(H5Pset_coll_metadata_write(list, 1) >= 0);
  }
  return list;
}

static hid_t create(const char* name, int metadata) {
  hid_t access = file_access(metadata);
  hid_t file = H5Fcreate(path_of(name), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  REQUIRE(file >= 0);
  H5Pclose(access);
  return file;
}

static hid_t reopen(const char* name, int metadata) {
  hid_t access = file_access(metadata);
  hid_t file = H5Fopen(path_of(name), H5F_ACC_RDWR, access);
  REQUIRE(file >= 0);
  H5Pclose(access);
  return file;
}

// If chunk is 0, the dataset is contiguous. If gzip is negative, it is not compressed.
static hid_t dataset(hid_t file, const char* name, hsize_t height, hsize_t chunk, int gzip) {
  const hsize_t extent[2] = {height, columns}, chunks[2] = {chunk, chunk};
  const int fill = -1;
  hid_t space = H5Screate_simple(2, extent, NULL), list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(list, 0);
  REQUIRE(H5Pset_fill_value(list, H5T_NATIVE_INT, &fill) >= 0);
  if (chunk) REQUIRE(H5Pset_chunk(list, 2, chunks) >= 0);
  if (gzip >= 0) REQUIRE(H5Pset_deflate(list, gzip) >= 0);
  hid_t made = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
  REQUIRE(made >= 0);
  H5Pclose(list);
  H5Sclose(space);
  return made;
}

static int number(hsize_t row, hsize_t column) {
  return (int)(row * 1000 + column);
}

// The whole dataset, as this rank reads it.
static int* all_of(hid_t set, hsize_t height) {
  int* found = malloc(height * columns * sizeof *found);
  REQUIRE(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, collective, found) >= 0);
  return found;
}

// Cyclic blocks of two rows, with a gap in memory after each row.
static void hyperslabs(hid_t file, const char* name, hsize_t chunk, hid_t how) {
  const hsize_t height = (hsize_t)rows * ranks;
  hid_t set = dataset(file, name, height, chunk, -1);
  hid_t there = H5Dget_space(set);
  const hsize_t start[2] = {2 * rank, 3}, stride[2] = {2 * ranks, 5}, count[2] = {rows / 2, 5},
                block[2] = {2, 4};
  REQUIRE(H5Sselect_hyperslab(there, H5S_SELECT_SET, start, stride, count, block) >= 0);
  const hsize_t memory[2] = {rows, 25}, origin[2] = {0, 2}, size[2] = {rows, 20};
  hid_t here = H5Screate_simple(2, memory, NULL);
  REQUIRE(H5Sselect_hyperslab(here, H5S_SELECT_SET, origin, NULL, size, NULL) >= 0);
  int data[rows][25];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 20; ++j)
      data[i][j + 2] = number(start[0] + i / 2 * stride[0] + i % 2, start[1] + j / 4 * stride[1] + j % 4);
  REQUIRE(H5Dwrite(set, H5T_NATIVE_INT, here, there, how, data) >= 0);
  REQUIRE(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  MPI_Barrier(MPI_COMM_WORLD);
  int* found = all_of(set, height);
  for (hsize_t i = 0; i < height; ++i)
    for (hsize_t j = 0; j < columns; ++j)
      REQUIRE(found[i * columns + j] == (j >= 3 && j < 28 && (j - 3) % 5 < 4 ? number(i, j) : -1));
  free(found);
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(set);
}

// Scattered points, each rank's own, in an order that is not the file's.
static void points(hid_t file, const char* name, hsize_t chunk, hid_t how) {
  const hsize_t height = (hsize_t)rows * ranks;
  enum { many = 50 };
  hid_t set = dataset(file, name, height, chunk, -1);
  hid_t there = H5Dget_space(set);
  hsize_t places[many][2];
  int data[many];
  for (int i = 0; i < many; ++i) {
    hsize_t place = ((hsize_t)(many - 1 - i) * 13 % (rows * columns)) * ranks + rank;
    places[i][0] = place / columns;
    places[i][1] = place % columns;
    data[i] = number(places[i][0], places[i][1]);
  }
  REQUIRE(H5Sselect_elements(there, H5S_SELECT_SET, many, &places[0][0]) >= 0);
  const hsize_t length = many;
  hid_t here = H5Screate_simple(1, &length, NULL);
  REQUIRE(H5Dwrite(set, H5T_NATIVE_INT, here, there, how, data) >= 0);
  int back[many];
  REQUIRE(H5Dread(set, H5T_NATIVE_INT, here, there, how, back) >= 0);
  for (int i = 0; i < many; ++i) REQUIRE(back[i] == data[i]);
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(set);
}

// A union of rectangles that is not a hyperslab. The last of several ranks selects nothing.
static void irregular(hid_t file, const char* name, hsize_t chunk, hid_t how) {
  const hsize_t height = (hsize_t)rows * ranks;
  hid_t set = dataset(file, name, height, chunk, -1);
  hid_t there = H5Dget_space(set);
  const hsize_t first = (hsize_t)rank * rows;
  const hsize_t starts[3][2] = {{first, 0}, {first + 3, 10}, {first + 9, 4}};
  const hsize_t sizes[3][2] = {{5, 12}, {9, 7}, {11, 3}};
  for (int i = 0; i < 3; ++i)
    REQUIRE(H5Sselect_hyperslab(there, i ? H5S_SELECT_OR : H5S_SELECT_SET, starts[i], NULL, sizes[i], NULL) >=
            0);
  if (ranks > 1 && rank == ranks - 1) H5Sselect_none(there);
  hssize_t selected = H5Sget_select_npoints(there);
  const hsize_t length = selected ? (hsize_t)selected : 1;
  hid_t here = H5Screate_simple(1, &length, NULL);
  if (!selected) H5Sselect_none(here);
  int* data = malloc(length * sizeof *data);
  for (hsize_t i = 0; i < length; ++i) data[i] = 7000000 + rank * 1000 + (int)i;
  REQUIRE(H5Dwrite(set, H5T_NATIVE_INT, here, there, how, data) >= 0);
  int* back = calloc(length, sizeof *back);
  REQUIRE(H5Dread(set, H5T_NATIVE_INT, here, there, how, back) >= 0);
  for (hssize_t i = 0; i < selected; ++i) REQUIRE(back[i] == data[i]);
  free(back);
  free(data);
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(set);
}

// Compressed chunks that two ranks share, written twice.
static void compressed(hid_t file, const char* name) {
  const hsize_t height = (hsize_t)rows * ranks;
  hid_t set = dataset(file, name, height, 10, 6);
  hid_t there = H5Dget_space(set);
  const hsize_t start[2] = {(hsize_t)rank * rows, 0}, size[2] = {rows, columns};
  REQUIRE(H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, size, NULL) >= 0);
  hid_t here = H5Screate_simple(2, size, NULL);
  int data[rows][columns];
  for (int pass = 0; pass < 2; ++pass) {
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) data[i][j] = pass ? number(start[0] + i, j) : 5;
    REQUIRE(H5Dwrite(set, H5T_NATIVE_INT, here, there, collective, data) >= 0);
  }
  int* found = all_of(set, height);
  for (hsize_t i = 0; i < height; ++i)
    for (hsize_t j = 0; j < columns; ++j) REQUIRE(found[i * columns + j] == number(i, j));
  free(found);
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(set);
}

// Rank 0 alone fills the dataset, and then all ranks overwrite stripes of it.
static void fill_then_overwrite(hid_t file, const char* name) {
  const hsize_t height = (hsize_t)rows * ranks;
  hid_t set = dataset(file, name, height, 0, -1);
  if (rank == 0) {
    int* zeros = calloc(height * columns, sizeof *zeros);
    REQUIRE(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, independent, zeros) >= 0);
    free(zeros);
  }
  REQUIRE(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  MPI_Barrier(MPI_COMM_WORLD);
  hid_t there = H5Dget_space(set);
  const hsize_t start[2] = {0, rank}, stride[2] = {1, ranks}, count[2] = {height, columns / ranks};
  REQUIRE(H5Sselect_hyperslab(there, H5S_SELECT_SET, start, stride, count, NULL) >= 0);
  const hsize_t length = count[0] * count[1];
  hid_t here = H5Screate_simple(1, &length, NULL);
  int* data = malloc(length * sizeof *data);
  for (hsize_t i = 0; i < length; ++i) data[i] = number(i / count[1], rank + i % count[1] * ranks);
  REQUIRE(H5Dwrite(set, H5T_NATIVE_INT, here, there, collective, data) >= 0);
  REQUIRE(H5Fflush(file, H5F_SCOPE_GLOBAL) >= 0);
  MPI_Barrier(MPI_COMM_WORLD);
  int* found = all_of(set, height);
  for (hsize_t i = 0; i < height; ++i)
    for (hsize_t j = 0; j < columns; ++j)
      REQUIRE(found[i * columns + j] == (j < count[1] * ranks ? number(i, j) : 0));
  free(found);
  free(data);
  H5Sclose(here);
  H5Sclose(there);
  H5Dclose(set);
}

static void write_all(const char* name, int metadata) {
  hid_t file = create(name, metadata);
  hyperslabs(file, "hyperslabs", 0, collective);
  hyperslabs(file, "hyperslabs_chunked", 7, collective);
  hyperslabs(file, "hyperslabs_independent", 0, independent);
  points(file, "points", 0, collective);
  points(file, "points_chunked", 7, collective);
  points(file, "points_independent", 0, independent);
  irregular(file, "irregular", 0, collective);
  irregular(file, "irregular_chunked", 7, collective);
  compressed(file, "compressed");
  fill_then_overwrite(file, "overwritten");
  REQUIRE(H5Fclose(file) >= 0);
  // Finds what is in the file again, and adds more.
  file = reopen(name, metadata);
  hid_t set = H5Dopen2(file, "compressed", H5P_DEFAULT);
  REQUIRE(set >= 0);
  int* found = all_of(set, (hsize_t)rows * ranks);
  REQUIRE(found[columns + 1] == number(1, 1));
  free(found);
  H5Dclose(set);
  for (int i = 0; i < 20; ++i) {  // enough groups to make HDF5 write its metadata cache
    char group_name[32];
    snprintf(group_name, sizeof group_name, "group%02d", i);
    hid_t group = H5Gcreate2(file, group_name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(group >= 0);
    H5Dclose(dataset(group, "empty", 3, 0, -1));
    H5Gclose(group);
  }
  REQUIRE(H5Fclose(file) >= 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  collective = transfer(H5FD_MPIO_COLLECTIVE);
  independent = transfer(H5FD_MPIO_INDEPENDENT);
  write_all("metadata_alone.h5", 0);
  write_all("metadata_together.h5", 1);
  H5Pclose(collective);
  H5Pclose(independent);
  unsigned major, minor, release;
  H5get_libversion(&major, &minor, &release);
  if (rank == 0) printf("HDF5 %u.%u.%u on %d ranks\n", major, minor, release, ranks);
  MPI_Finalize();
  return 0;
}
