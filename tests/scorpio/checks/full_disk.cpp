// The disk gets full in the middle of a write. The folder is a small file system that full_disk.sh mounts.
#include <unistd.h>

#include <fstream>

#include "checks.h"

using namespace scorpio_checks;

namespace {

int write_mebibytes(int64_t mebibytes, const char* dataset, int handle, iogroup_t* group) {
  const int64_t rows = mebibytes << 20 >> 3, local[] = {rows}, global[] = {rows * context.ranks};
  const std::vector<double> data(static_cast<size_t>(rows), 1.5);
  return scorpio_write_dataset_64(data.data(), SCORPIO_DOUBLE, 1, global, local, handle, dataset, group,
                                  SCORPIO_UNIFORM_CONTIGUOUS_WRITE);
}

// 16 MiB of columns, which are scattered in the file, so that the roots write together.
int write_columns(const char* dataset, int handle, iogroup_t* group) {
  const int64_t rows = 4096, columns = 512 / context.ranks;
  const int64_t global[] = {rows, columns * context.ranks}, local[] = {rows, columns},
                start[] = {0, columns * context.rank};
  const std::vector<double> data(static_cast<size_t>(rows * columns), 1.5);
  return scorpio_write_dataset_block_64(data.data(), SCORPIO_DOUBLE, 2, global, local, start, handle, dataset,
                                        group);
}

// Uses up the space that is left.
void fill_up(const std::string& path) {
  const std::string bytes(1 << 16, 'x');
  std::ofstream filler(path, std::ios::binary);
  for (size_t piece = bytes.size(); piece > 0; piece /= 2) {
    while (filler.write(bytes.data(), static_cast<std::streamsize>(piece)).flush()) continue;
    filler.clear();
  }
}

// 20 MB are more than the file system holds.
int write_strings(const char* dataset, int handle, iogroup_t* group) {
  std::string text(1000, 'x');
  std::vector<char*> strings(20000, text.data());
  return scorpio_write_str_array(strings.data(), static_cast<int>(strings.size()), handle, dataset, group);
}

using Write = int (*)(const char* dataset, int handle, iogroup_t* group);

void fill_the_disk(Write write) {
  Group group(0, MPI_COMM_WORLD, (context.ranks + 1) / 2);
  OK(scorpio_set_buffer_bytes(1 << 20, group));
  for (int round = 0; round < 2; ++round) {
    const std::string path = path_of("h5");
    const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_CREATE);
    OK(handle);
    ALL_FAIL(write("too large", handle, group), path, "too large");
    // After the failure the contents of the file are undefined, but the close must return, and free the
    // space.
    const int closed = scorpio_close_file(handle, group);
    if (closed != 0) ALL_FAIL(closed, path);
    on_rank_0([&] { unlink(path.c_str()); });
    EXPECT(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) == 0);
  }
  File file("after");
  file.works("d");
}

}  // namespace

SITUATION(FullDisk, AtWrite) {
  fill_the_disk([](const char* dataset, int handle, iogroup_t* group) {
    return write_mebibytes(8, dataset, handle, group);
  });
}

// HDF5 writes the rest of its data when the file is closed.
SITUATION(FullDisk, AtClose) {
  Group group(0, MPI_COMM_WORLD, (context.ranks + 1) / 2);
  for (int round = 0; round < 2; ++round) {
    const std::string path = path_of("h5"), filler = path_of("filler");
    const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_CREATE);
    OK(handle);
    // So many groups that their names and headers are no longer in the first pages of the file.
    for (int i = 0; i < 200; ++i) {
      const std::string name = "group " + std::to_string(i);
      const int64_t made = scorpio_create_dataset_group(name.c_str(), handle, group);
      OK(made);
      OK(scorpio_close_dataset_group(made, handle, group));
    }
    on_rank_0([&] { fill_up(filler); });
    ALL_FAIL(scorpio_close_file(handle, group), path);
    EXPECT(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) == 0);
    on_rank_0([&] {
      unlink(filler.c_str());
      unlink(path.c_str());
    });
  }
  File file("after");
  file.works("d");
}

SITUATION(FullDisk, ByColumns) {
  fill_the_disk(write_columns);
}

SITUATION(FullDisk, ByStrings) {
  fill_the_disk(write_strings);
}
