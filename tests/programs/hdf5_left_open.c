// hdf5_left_open FOLDER: datasets, a group and the file itself are open when MPI ends. HDF5 then writes its
// caches and closes the file, in the delete function of an attribute of MPI_COMM_SELF that it has set at its
// first use.
#include <hdf5.h>

#include "program.h"

enum { rows = 40, columns = 30 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  REQUIRE(H5open() >= 0);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
  REQUIRE(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0);
  REQUIRE(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) >= 0);
  hid_t file = H5Fcreate(path_of("left_open.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  REQUIRE(file >= 0);
  const hsize_t extent[2] = {rows, (hsize_t)columns * ranks}, chunk[2] = {7, columns};
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "group %d", i);
    hid_t group = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t made = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(2, extent, NULL);
    H5Pset_obj_track_times(made, 0);
    if (i % 2) REQUIRE(H5Pset_chunk(made, 2, chunk) >= 0);
    hid_t set = H5Dcreate2(group, "values", H5T_NATIVE_INT, space, H5P_DEFAULT, made, H5P_DEFAULT);
    REQUIRE(set >= 0);
    const hsize_t start[2] = {0, (hsize_t)columns * rank}, count[2] = {rows, columns};
    REQUIRE(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0);
    hid_t memory = H5Screate_simple(2, count, NULL);
    int values[rows * columns];
    for (int cell = 0; cell < rows * columns; cell++) values[cell] = i * 1000000 + rank * 10000 + cell;
    REQUIRE(H5Dwrite(set, H5T_NATIVE_INT, memory, space, transfer, values) >= 0);
  }
  MPI_Finalize();
  return 0;
}
