// HDF5: datasets of all steps in collective calls, one of which is in chunks and grows by a step at a time,
// and a small one that rank 0 writes alone.
#include <hdf5.h>

#include "programs/program.h"

enum { growing = 0 };  // the variable that is in chunks

// What a call returned, which is negative if it failed.
#define H(call) checked((call), #call)

static hid_t checked(hid_t result, const char* call) {
  if (result < 0) fail(file_name, call);
  return result;
}

static hid_t open_file(int create) {
  const hid_t access = H(H5Pcreate(H5P_FILE_ACCESS));
  H(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL));
  const hid_t file = create ? H(H5Fcreate(file_name, H5F_ACC_TRUNC, H5P_DEFAULT, access))
                            : H(H5Fopen(file_name, H5F_ACC_RDONLY, access));
  H(H5Pclose(access));
  return file;
}

static hid_t collective(void) {
  const hid_t transfer = H(H5Pcreate(H5P_DATASET_XFER));
  H(H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE));
  return transfer;
}

static void move(hid_t dataset, hid_t transfer, int write) {
  hsize_t first[4], length[4];
  for (int d = 0; d < 4; ++d) {
    first[d] = start[d];
    length[d] = count[d];
  }
  const hid_t there = H(H5Dget_space(dataset)), here = H(H5Screate_simple(4, length, NULL));
  H(H5Sselect_hyperslab(there, H5S_SELECT_SET, first, NULL, length, NULL));
  H(write ? H5Dwrite(dataset, H5T_NATIVE_DOUBLE, here, there, transfer, data)
          : H5Dread(dataset, H5T_NATIVE_DOUBLE, here, there, transfer, data));
  H(H5Sclose(there));
  H(H5Sclose(here));
}

// A dataset of one number a step.
static void write_times(hid_t file) {
  const hsize_t length[1] = {whole[0]};
  const hid_t space = H(H5Screate_simple(1, length, NULL));
  const hid_t times =
      H(H5Dcreate(file, "time", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  double* const values = malloc(whole[0] * sizeof *values);
  if (values == NULL) fail("malloc", "no memory");
  for (int step = 0; step < steps; ++step) values[step] = step;
  if (rank == 0) H(H5Dwrite(times, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  free(values);
  H(H5Dclose(times));
  H(H5Sclose(space));
}

static void write_file(void) {
  const hid_t file = open_file(1), transfer = collective();
  hsize_t length[4], most[4], chunk[4];
  for (int d = 0; d < 4; ++d) {
    length[d] = most[d] = whole[d];
    chunk[d] = count[d];
  }
  const hid_t all_steps = H(H5Screate_simple(4, length, NULL));
  const hid_t creation = H(H5Pcreate(H5P_DATASET_CREATE)), in_chunks = H(H5Pcopy(creation));
  length[0] = 0;
  most[0] = H5S_UNLIMITED;
  const hid_t no_steps = H(H5Screate_simple(4, length, most));
  H(H5Pset_chunk(in_chunks, 4, chunk));
  H(H5Pset_fill_time(in_chunks, H5D_FILL_TIME_NEVER));
  hid_t datasets[variables];
  for (int v = 0; v < variables; ++v)
    datasets[v] = H(H5Dcreate(file, name_of(v), H5T_NATIVE_DOUBLE, v == growing ? no_steps : all_steps,
                              H5P_DEFAULT, v == growing ? in_chunks : creation, H5P_DEFAULT));
  for (start[0] = 0; start[0] < whole[0]; ++start[0]) {
    length[0] = start[0] + 1;
    H(H5Dset_extent(datasets[growing], length));
    for (int v = 0; v < variables; ++v) {
      fill(v, rank);
      move(datasets[v], transfer, 1);
    }
  }
  write_times(file);
  for (int v = 0; v < variables; ++v) H(H5Dclose(datasets[v]));
  H(H5Pclose(creation));
  H(H5Pclose(in_chunks));
  H(H5Pclose(transfer));
  H(H5Sclose(all_steps));
  H(H5Sclose(no_steps));
  H(H5Fclose(file));
}

static void read_file(int owner) {
  const hid_t file = open_file(0), transfer = collective();
  go_to_block_of(owner);
  for (int v = 0; v < variables; ++v) {
    const hid_t dataset = H(H5Dopen(file, name_of(v), H5P_DEFAULT));
    for (start[0] = 0; start[0] < whole[0]; ++start[0]) {
      move(dataset, transfer, 0);
      check(v, owner);
    }
    H(H5Dclose(dataset));
  }
  H(H5Pclose(transfer));
  H(H5Fclose(file));
}

int main(int argc, char** argv) {
  return run(argc, argv, write_file, read_file);
}
