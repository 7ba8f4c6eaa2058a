/* What callers take for granted of reading, and of names while a group of the file is open. */
#include "callers.h"

static iogroup_t group;
static int file;

/* Rank r's element is value + r. */
static void write_by(const char* name, int value, iopattern_t pattern) {
  int all = ranks, one = 1;
  value += rank;
  EXPECT(scorpio_write_dataset(&value, SCORPIO_INTEGER, 1, &all, &one, file, (char*)name, &group, pattern) ==
         0);
}

static void write_block(const char* name, int value) {
  int all = ranks, one = 1, start = rank;
  value += rank;
  EXPECT(scorpio_write_dataset_block(&value, SCORPIO_INTEGER, 1, &all, &one, &start, file, (char*)name,
                                     &group) == 0);
}

static int has(const char* name) {
  return scorpio_dataset_exists((char*)name, file, &group) == 1;
}

static void names(void) {
  int value = 5, *found = NULL, size = 0, one = 0, all = ranks;
  int64_t outer, inner;
  char text[] = "text", *texts[1];
  texts[0] = text;
  outer = scorpio_create_dataset_group("Outer", file, &group);
  EXPECT(outer > 0);
  write_by("nonuniform", 100, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE);
  write_block("block", 200);
  write_by("Outer/twice", 300, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE);
  write_by("/absolute", 350, SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE);
  write_by("uniform", 400, SCORPIO_UNIFORM_CONTIGUOUS_WRITE);
  EXPECT(scorpio_write_str_array(texts, 1, file, "texts", &group) == 0);
  EXPECT(scorpio_write_simple_attr("a", &value, SCORPIO_INTEGER, file, "uniform", &group) == 0);
  EXPECT(has("Outer/nonuniform") && has("Outer/block") && has("Outer/Outer/twice") && has("absolute"));
  EXPECT(has("uniform") && has("texts") && !has("nonuniform") && !has("Outer/uniform") && !has("block"));
  EXPECT(scorpio_group_exists("Outer", file, &group) == 1);
  EXPECT(scorpio_get_dataset_size(&size, file, "Outer/block", &group) == 0 && size == ranks);
  EXPECT(scorpio_read_same_sub_dataset(&value, SCORPIO_INTEGER, 1, &all, &one, file, "nowhere", &group) != 0);
  all = 1;
  EXPECT(scorpio_read_same_sub_dataset(&value, SCORPIO_INTEGER, 1, &all, &one, file, "Outer/block", &group) ==
         0);
  EXPECT(value == 200);
  EXPECT(scorpio_read_simple_attr("a", (void**)&found, SCORPIO_INTEGER, file, "uniform", &group) == 0);
  EXPECT(found && *found == 5);
  free(found);
  /* Groups are made from the root; closing one, whichever, returns to the root. */
  inner = scorpio_create_dataset_group("Inner", file, &group);
  EXPECT(scorpio_group_exists("Inner", file, &group) == 1 &&
         scorpio_group_exists("Outer/Inner", file, &group) == 0);
  write_block("in inner", 500);
  EXPECT(has("Inner/in inner"));
  EXPECT(scorpio_close_dataset_group(inner, file, &group) == 0);
  write_block("at the root", 600);
  EXPECT(has("at the root") && !has("Outer/at the root"));
  EXPECT(scorpio_close_dataset_group(outer, file, &group) == 0);
}

static void reading(void) {
  int global[2], local[2], start[2], rows[2][3], all[16][3], i;
  global[0] = 2 * ranks;
  local[0] = 2;
  start[0] = 2 * rank;
  global[1] = local[1] = 3;
  start[1] = 0;
  for (i = 0; i < 6; ++i) rows[i / 3][i % 3] = 100 * (2 * rank + i / 3) + i % 3;
  EXPECT(scorpio_write_dataset_block(rows, SCORPIO_INTEGER, 2, global, local, start, file, "rows", &group) ==
         0);
  /* localdims of a read of everything are not looked at. */
  memset(local, 0x77 + rank, sizeof local);
  EXPECT(scorpio_read_dataset(all, SCORPIO_INTEGER, 2, global, local, file, "rows", &group,
                              SCORPIO_EVERYONE_ENTIRE_DATASET_READ) == 0);
  for (i = 0; i < 2 * ranks; ++i) EXPECT(all[i][2] == 100 * i + 2);
  EXPECT(scorpio_read_dataset(all, SCORPIO_INTEGER, 2, global, NULL, file, "rows", &group,
                              SCORPIO_EVERYONE_ENTIRE_DATASET_READ) == 0);
  /* Of fewer rows than there are the first are read. */
  global[0] = ranks;
  memset(all, 0, sizeof all);
  EXPECT(scorpio_read_dataset(all, SCORPIO_INTEGER, 2, global, local, file, "rows", &group,
                              SCORPIO_EVERYONE_ENTIRE_DATASET_READ) == 0);
  for (i = 0; i < 2 * ranks; ++i) EXPECT(all[i][2] == (i < ranks ? 100 * i + 2 : 0));
  local[0] = 1;
  local[1] = 3;
  for (i = 0; i < 2; ++i) {
    memset(rows, 0, sizeof rows);
    EXPECT(scorpio_read_dataset(rows, SCORPIO_INTEGER, 2, global, local, file, "rows", &group,
                                i ? SCORPIO_UNIFORM_CONTIGUOUS_READ : SCORPIO_NONUNIFORM_CONTIGUOUS_READ) ==
           0);
    EXPECT(rows[0][0] == 100 * rank && rows[0][2] == 100 * rank + 2 && rows[1][0] == 0);
  }
  global[0] = 2 * ranks + 1;
  EXPECT(scorpio_read_dataset(rows, SCORPIO_INTEGER, 2, global, local, file, "rows", &group,
                              SCORPIO_NONUNIFORM_CONTIGUOUS_READ) != 0);
}

/* Bytes as the original writes them: of no type that HDF5 converts. */
static void bytes(void) {
  const char* path = path_of("opaque.h5");
  int all = ranks, one = 1, opaque;
  signed char mine;
  unsigned char byte = 0, *attribute = NULL;
  if (rank == 0) {
    unsigned char values[16];
    hsize_t extent = ranks;
    hid_t plain = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(1, &extent, NULL);
    hid_t set = H5Dcreate2(plain, "bytes", H5T_NATIVE_OPAQUE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t attr = H5Acreate2(set, "byte", H5T_NATIVE_OPAQUE, scalar, H5P_DEFAULT, H5P_DEFAULT);
    for (one = 0; one < 16; ++one) values[one] = 250 - one;
    one = 1;
    EXPECT(H5Dwrite(set, H5T_NATIVE_OPAQUE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    EXPECT(H5Awrite(attr, H5T_NATIVE_OPAQUE, values) >= 0);
    H5Aclose(attr);
    H5Sclose(scalar);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(plain);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  opaque = scorpio_open_file(path, &group, SCORPIO_FILE_READWRITE);
  EXPECT(scorpio_read_dataset(&byte, SCORPIO_BYTE, 1, &all, &one, opaque, "bytes", &group,
                              SCORPIO_UNIFORM_CONTIGUOUS_READ) == 0);
  EXPECT(byte == 250 - rank);
  EXPECT(scorpio_read_dataset(&mine, SCORPIO_CHAR, 1, &all, &one, opaque, "bytes", &group,
                              SCORPIO_NONUNIFORM_CONTIGUOUS_READ) == 0);
  EXPECT(mine == (signed char)(250 - rank));
  EXPECT(scorpio_read_simple_attr("byte", (void**)&attribute, SCORPIO_BYTE, opaque, "bytes", &group) == 0);
  EXPECT(attribute && *attribute == 250);
  free(attribute);
  byte = 7 + rank;
  EXPECT(scorpio_write_dataset_block(&byte, SCORPIO_BYTE, 1, &all, &one, &rank, opaque, "bytes", &group) ==
         0);
  byte = 0;
  EXPECT(scorpio_read_dataset(&byte, SCORPIO_BYTE, 1, &all, &one, opaque, "bytes", &group,
                              SCORPIO_UNIFORM_CONTIGUOUS_READ) == 0);
  EXPECT(byte == 7 + rank);
  EXPECT(scorpio_close_file(opaque, &group) == 0);
}

void test_semantics(void) {
  make_group(&group);
  file = scorpio_open_file(path_of("semantics.h5"), &group, SCORPIO_FILE_CREATE);
  names();
  reading();
  EXPECT(scorpio_close_file(file, &group) == 0);
  bytes();
  EXPECT(scorpio_IOgroup_cleanup(&group) == 0);
}
