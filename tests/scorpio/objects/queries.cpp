#include "objects.h"

using objects::context;
using objects::Session;

SITUATION(Queries, ExtentsOfDatasets) {
  Session session("queries.h5");
  session.write("/flow/rho", {6, 4, 2});
  session.write("ids", {7}, SCORPIO_INTEGER);
  int ndims = 0, dims[3] = {}, size = 0;
  int64_t wide[3] = {}, wide_size = 0;
  WELL(scorpio_get_dataset_ndims(&ndims, session.file(), "/flow/rho", session.group()));
  EXPECT(ndims == 3);
  WELL(scorpio_get_dataset_dims(dims, session.file(), "flow/rho", session.group()));
  EXPECT(dims[0] == 6 && dims[1] == 4 && dims[2] == 2);
  WELL(scorpio_get_dataset_dims_64(wide, session.file(), "//flow//rho", session.group()));
  EXPECT(wide[0] == 6 && wide[1] == 4 && wide[2] == 2);
  WELL(scorpio_get_dataset_size(&size, session.file(), "flow/rho", session.group()));
  EXPECT(size == 48);
  WELL(scorpio_get_dataset_size_64(&wide_size, session.file(), "ids", session.group()));
  EXPECT(wide_size == 7);
  FAILS(scorpio_get_dataset_ndims(&ndims, session.file(), "/flow/none", session.group()), "/flow/none");
  FAILS(scorpio_get_dataset_dims(dims, session.file(), "none", session.group()), "queries.h5");
  FAILS(scorpio_get_dataset_size(&size, session.file(), "flow", session.group()), "/flow is no dataset");
  FAILS(scorpio_get_dataset_size(nullptr, session.file(), "ids", session.group()), "null");
  FAILS(scorpio_get_dataset_size(&size, session.file(), nullptr, session.group()), "no name");
  FAILS(scorpio_get_dataset_size(&size, 99, "ids", session.group()), "99");
  // One rank asks for another object.
  if (context.ranks > 1) {
    const char* name = context.rank == context.ranks - 1 ? "flow/rho" : "ids";
    FAILS(scorpio_get_dataset_ndims(&ndims, session.file(), name, session.group()), "differ");
  }
  WELL(scorpio_get_dataset_ndims(&ndims, session.file(), "ids", session.group()));
}

SITUATION(Queries, ExtentsThatAreNoInts) {
  objects::with_plain_hdf5("large.h5", [](hid_t file) {
    const hsize_t chunk[2] = {1024, 2};
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(properties, 2, chunk);
    const auto make = [&](const char* name, hsize_t rows, hsize_t columns) {
      const hsize_t dims[2] = {rows, columns};
      const hid_t space = H5Screate_simple(2, dims, nullptr);
      H5Dclose(H5Dcreate2(file, name, H5T_NATIVE_CHAR, space, H5P_DEFAULT, properties, H5P_DEFAULT));
      H5Sclose(space);
    };
    make("long", 3000000000U, 2);
    make("many", 65536, 65536);
    make("more", hsize_t{1} << 40, hsize_t{1} << 40);
    H5Dclose(H5Dcreate2(file, "one", H5T_NATIVE_INT, H5Screate(H5S_SCALAR), H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
    H5Pclose(properties);
  });
  Session session("large.h5", SCORPIO_FILE_READONLY);
  int dims[2], size = 0, ndims = -1;
  int64_t wide[2], wide_size = 0;
  FAILS(scorpio_get_dataset_dims(dims, session.file(), "long", session.group()),
        "scorpio_get_dataset_dims_64");
  WELL(scorpio_get_dataset_dims_64(wide, session.file(), "long", session.group()));
  EXPECT(wide[0] == 3000000000 && wide[1] == 2);
  WELL(scorpio_get_dataset_dims(dims, session.file(), "many", session.group()));
  FAILS(scorpio_get_dataset_size(&size, session.file(), "many", session.group()),
        "scorpio_get_dataset_size_64");
  WELL(scorpio_get_dataset_size_64(&wide_size, session.file(), "many", session.group()));
  EXPECT(wide_size == int64_t{1} << 32);
  FAILS(scorpio_get_dataset_size_64(&wide_size, session.file(), "more", session.group()), "2^63");
  WELL(scorpio_get_dataset_ndims(&ndims, session.file(), "one", session.group()));
  WELL(scorpio_get_dataset_size(&size, session.file(), "one", session.group()));
  EXPECT(ndims == 0 && size == 1);
}

SITUATION(Queries, WhatExists) {
  Session session("exists.h5");
  session.write("/a/b/data", {5});
  WELL(scorpio_create_link("/a/b", 0, "to_b", session.file(), session.group()));
  WELL(scorpio_create_link("/a/b/data", 0, "to_data", session.file(), session.group()));
  WELL(scorpio_create_link("/nowhere/at/all", 0, "dangling", session.file(), session.group()));
  WELL(scorpio_create_link("/circle", 0, "circle", session.file(), session.group()));
  const auto group = [&](const char* name) {
    return scorpio_group_exists(name, session.file(), session.group());
  };
  const auto dataset = [&](const char* name) {
    return scorpio_dataset_exists(name, session.file(), session.group());
  };
  EXPECT(group("/") == 1 && group("a") == 1 && group("/a/b/") == 1 && group("to_b") == 1);
  EXPECT(group("a/b/data") == 0 && group("to_data") == 0 && group("dangling") == 0 && group("circle") == 0);
  EXPECT(group("x") == 0 && group("x/y/z") == 0 && group("a/b/data/x") == 0);
  EXPECT(dataset("a/b/data") == 1 && dataset("to_data") == 1 && dataset("to_b/data") == 1);
  EXPECT(dataset("a") == 0 && dataset("/") == 0 && dataset("dangling") == 0 && dataset("dangling/x") == 0);
  EXPECT(dataset("x") == 0 && dataset("x/y/z") == 0 && dataset("a/b/data/x") == 0);
  FAILS(scorpio_dataset_exists(nullptr, session.file(), session.group()), "no name");
  FAILS(scorpio_group_exists("", session.file(), session.group()), "no name");
  FAILS(scorpio_group_exists("/", -1, session.group()), "-1");
  // The name is relative to the open group.
  const int64_t id = scorpio_create_dataset_group("/a", session.file(), session.group());
  EXPECT(dataset("b/data") == 1 && dataset("data") == 0 && dataset("a/b/data") == 1);
  WELL(scorpio_close_dataset_group(id, session.file(), session.group()));
}
