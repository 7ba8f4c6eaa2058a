// Reads by each rank for itself: that they happen where they may and nowhere else, that they give what HDF5
// alone gives, and that their errors reach all ranks. They have happened if the root had no buffer. Files are
// made by plain HDF5.
#include <dlfcn.h>
#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <numeric>

#include "checks.h"
#include "common/random.h"

using namespace scorpio_checks;

namespace {

std::atomic<bool> reads_fail = false;

ssize_t read_or_fail(const char* name, int file, void* data, size_t bytes, off64_t offset) {
  if (reads_fail) {
    errno = EIO;
    return -1;
  }
  using Read = ssize_t(int, void*, size_t, off64_t);
  return reinterpret_cast<Read*>(dlsym(RTLD_NEXT, name))(file, data, bytes, offset);
}

}  // namespace

// The library finds these before those of the C library, as the executable comes first in the search.
extern "C" {
__attribute__((visibility("default"))) ssize_t pread(int file, void* data, size_t bytes, off_t offset) {
  return read_or_fail("pread", file, data, bytes, offset);
}
__attribute__((visibility("default"))) ssize_t pread64(int file, void* data, size_t bytes, off64_t offset) {
  return read_or_fail("pread64", file, data, bytes, offset);
}
}

namespace {

constexpr int64_t extents[] = {12, 20, 300};
constexpr int64_t plane = 20 * 300, cells = 12 * plane;

struct Making {
  hid_t file, space, creation;
  hid_t type = H5T_NATIVE_DOUBLE;
};

void write_numbers(hid_t dataset) {
  std::vector<double> numbers(cells);
  std::iota(numbers.begin(), numbers.end(), 1);
  EXPECT(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0);
}

void make_dataset(const Making& making, const char* name = "d", bool written = true) {
  const hid_t dataset =
      H5Dcreate2(making.file, name, making.type, making.space, H5P_DEFAULT, making.creation, H5P_DEFAULT);
  EXPECT(dataset >= 0);
  if (written) write_numbers(dataset);
  H5Dclose(dataset);
}

// Makes a file on rank 0. `make` makes its datasets.
void make_file(const std::string& path, const std::function<void(Making&)>& make, hsize_t user_block = 0) {
  on_rank_0([&] {
    const hid_t file_creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(file_creation, user_block);
    const hsize_t dims[] = {extents[0], extents[1], extents[2]};
    Making making{H5Fcreate(path.c_str(), H5F_ACC_TRUNC, file_creation, H5P_DEFAULT),
                  H5Screate_simple(3, dims, nullptr), H5Pcreate(H5P_DATASET_CREATE)};
    make(making);
    H5Pclose(making.creation);
    H5Sclose(making.space);
    H5Pclose(file_creation);
    EXPECT(H5Fclose(making.file) >= 0);
  });
}

struct Block {
  int64_t count[3], start[3];
  int64_t size() const { return count[0] * count[1] * count[2]; }
};

// Whole planes, so that the part of a rank is one piece.
Block planes() {
  const int64_t each = extents[0] / context.ranks;
  return {{each, extents[1], extents[2]}, {each * context.rank, 0, 0}};
}

std::vector<double> read_by_scorpio(const Block& block, int file, iogroup_t* group) {
  std::vector<double> found(static_cast<size_t>(block.size()), -1);
  OK(scorpio_read_dataset_block_64(found.data(), SCORPIO_DOUBLE, 3, extents, block.count, block.start, file,
                                   "d", group));
  return found;
}

std::vector<double> read_by_hdf5(const Block& block, const std::string& path) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "d", H5P_DEFAULT), space = H5Dget_space(dataset);
  std::vector<hsize_t> start(block.start, block.start + 3), count(block.count, block.count + 3);
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr);
  const hid_t memory = H5Screate_simple(3, count.data(), nullptr);
  std::vector<double> found(static_cast<size_t>(block.size()), -2);
  EXPECT(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, found.data()) >= 0);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  return found;
}

void expect_reads(const std::string& path, bool own) {
  Group group(1);
  const int file = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_READONLY);
  OK(file);
  EXPECT(read_by_scorpio(planes(), file, group) == read_by_hdf5(planes(), path));
  const bool was_own = scorpio_peak_buffer_bytes(group) == 0;
  if (group->localrank == 0 && was_own != own)
    note_failure(__FILE__, __LINE__, path + (own ? ": through the root" : ": each rank for itself"));
  OK(scorpio_close_file(file, group));
}

}  // namespace

SITUATION(OwnReads, OfContiguousDatasets) {
  make_file(path_of("h5"), [](Making& making) { make_dataset(making); });
  expect_reads(path_of("h5"), true);
}

SITUATION(OwnReads, BehindAUserBlock) {
  make_file(
      path_of("h5"), [](Making& making) { make_dataset(making); }, 1024);
  expect_reads(path_of("h5"), true);
}

SITUATION(OwnReads, NotOfOtherLayouts) {
  make_file(path_of("chunked"), [](Making& making) {
    const hsize_t chunk[] = {3, 20, 300};
    H5Pset_chunk(making.creation, 3, chunk);
    make_dataset(making);
  });
  expect_reads(path_of("chunked"), false);
  make_file(
      path_of("external"),
      [](Making& making) {
        H5Pset_external(making.creation, path_of("raw").c_str(), 0, H5F_UNLIMITED);
        make_dataset(making);
      },
      512);
  expect_reads(path_of("external"), false);
}

SITUATION(OwnReads, NotOfOtherTypes) {
  make_file(path_of("big"), [](Making& making) {
    making.type = H5T_IEEE_F64BE;
    make_dataset(making);
  });
  expect_reads(path_of("big"), false);
  make_file(path_of("short"), [](Making& making) {
    making.type = H5T_NATIVE_FLOAT;
    make_dataset(making);
  });
  expect_reads(path_of("short"), false);
}

SITUATION(OwnReads, NotOfWhatWasNeverWritten) {
  for (const hsize_t user_block : {0, 512}) {
    const std::string path = path_of(user_block ? "behind" : "h5");
    make_file(
        path,
        [](Making& making) {
          const double fill = 7;
          H5Pset_fill_value(making.creation, H5T_NATIVE_DOUBLE, &fill);
          make_dataset(making, "d", false);
        },
        user_block);
    expect_reads(path, false);
  }
}

SITUATION(OwnReads, NotOfAnotherFile) {
  make_file(path_of("target"), [](Making& making) { make_dataset(making, "there"); });
  make_file(path_of("h5"), [](Making& making) {
    EXPECT(H5Lcreate_external(path_of("target").c_str(), "there", making.file, "d", H5P_DEFAULT,
                              H5P_DEFAULT) >= 0);
  });
  expect_reads(path_of("h5"), false);
}

// The file that was opened is read, also where its name has become another's.
SITUATION(OwnReads, NotOfAFileInItsPlace) {
  make_file(path_of("h5"), [](Making& making) { make_dataset(making); });
  make_file(path_of("new"), [](Making& making) { make_dataset(making, "d", false); });
  const std::vector<double> expected = read_by_hdf5(planes(), path_of("h5"));
  Group group(1);
  const int file = scorpio_open_file(path_of("h5").c_str(), group, SCORPIO_FILE_READONLY);
  OK(file);
  on_rank_0([] { EXPECT(std::rename(path_of("new").c_str(), path_of("h5").c_str()) == 0); });
  EXPECT(read_by_scorpio(planes(), file, group) == expected);
  OK(scorpio_close_file(file, group));
}

// What one I/O group writes, another reads, which has the file open for reading alone.
SITUATION(OwnReads, OfAFileThatIsWritten) {
  make_file(path_of("h5"), [](Making& making) { make_dataset(making); });
  Group writing(1), reading(1);
  const int written = scorpio_open_file(path_of("h5").c_str(), writing, SCORPIO_FILE_READWRITE);
  const int read = scorpio_open_file(path_of("h5").c_str(), reading, SCORPIO_FILE_READONLY);
  OK(written);
  OK(read);
  const Block block = planes();
  const std::vector<double> numbers(static_cast<size_t>(block.size()), context.rank);
  OK(scorpio_write_dataset_block_64(numbers.data(), SCORPIO_DOUBLE, 3, extents, block.count, block.start,
                                    written, "d", writing));
  EXPECT(read_by_scorpio(block, read, reading) == numbers);
  OK(scorpio_close_file(read, reading));
  OK(scorpio_close_file(written, writing));
}

// Blocks of all shapes: some ranks of a call read for themselves, and others through their root.
SITUATION(OwnReads, RandomBlocks) {
  make_file(path_of("h5"), [](Making& making) { make_dataset(making); });
  tests::Random random(tests::mix(17, static_cast<uint64_t>(context.rank)));
  for (int number = 1; number <= context.ranks; ++number) {
    Group group(number);
    const int file = scorpio_open_file(path_of("h5").c_str(), group, SCORPIO_FILE_READONLY);
    OK(file);
    for (int i = 0; i < 30; ++i) {
      Block block{};
      for (int d = 0; d < 3; ++d) {
        const bool whole = random.chance(50);
        block.start[d] = whole ? 0 : random.between(0, extents[d] - 1);
        block.count[d] = whole ? extents[d] : random.between(1, extents[d] - block.start[d]);
      }
      EXPECT(read_by_scorpio(block, file, group) == read_by_hdf5(block, path_of("h5")));
    }
    OK(scorpio_close_file(file, group));
  }
}

SITUATION(OwnReads, ErrorsReachAllRanks) {
  make_file(path_of("h5"), [](Making& making) { make_dataset(making); });
  Group group(1);
  const int file = scorpio_open_file(path_of("h5").c_str(), group, SCORPIO_FILE_READONLY);
  OK(file);
  reads_fail = context.rank == context.ranks - 1;
  const Block block = planes();
  std::vector<double> found(static_cast<size_t>(block.size()));
  ALL_FAIL(scorpio_read_dataset_block_64(found.data(), SCORPIO_DOUBLE, 3, extents, block.count, block.start,
                                         file, "d", group),
           "dataset /d", "could not read");
  reads_fail = false;
  EXPECT(read_by_scorpio(block, file, group) == read_by_hdf5(block, path_of("h5")));
  OK(scorpio_close_file(file, group));
}
