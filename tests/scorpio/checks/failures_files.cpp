// Files, and objects in files, that are missing, damaged, in the way, or too large.
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "checks.h"

using namespace scorpio_checks;

namespace {

void make_file(const std::string& path, const std::string& contents) {
  on_rank_0([&] {
    if (std::FILE* file = std::fopen(path.c_str(), "w")) {
      std::fwrite(contents.data(), 1, contents.size(), file);
      std::fclose(file);
    }
  });
}

// A file with the dataset "d", closed.
std::string made_file(const char* name) {
  File file(name);
  file.works("d");
  return file.path();
}

int read_ints(const char* dataset, int handle, iogroup_t* group, int columns = 4) {
  const int global[] = {context.ranks, columns}, local[] = {1, columns};
  std::vector<int> data(static_cast<size_t>(columns));
  return scorpio_read_dataset(data.data(), SCORPIO_INTEGER, 2, global, local, handle, dataset, group,
                              SCORPIO_UNIFORM_CONTIGUOUS_READ);
}

int write_ints(const char* dataset, int handle, iogroup_t* group, int columns = 4) {
  const int global[] = {context.ranks, columns}, local[] = {1, columns};
  const std::vector<int> data(static_cast<size_t>(columns), 3);
  return scorpio_write_dataset(data.data(), SCORPIO_INTEGER, 2, global, local, handle, dataset, group,
                               SCORPIO_UNIFORM_CONTIGUOUS_WRITE);
}

}  // namespace

SITUATION(Files, FilesThatCannotBeOpened) {
  Group group(std::min(2, context.ranks));
  const file_mode_t all_modes[] = {SCORPIO_FILE_CREATE, SCORPIO_FILE_READONLY, SCORPIO_FILE_READWRITE,
                                   SCORPIO_FILE_CREATE_NETCDF4};
  const std::string missing = path_of("missing"), folder = path_of("folder"), text = path_of("text"),
                    short_file = path_of("short"), empty = path_of("empty"), cut = made_file("cut");
  on_rank_0([&] { mkdir(folder.c_str(), 0755); });
  make_file(text, std::string(5000, 'x'));
  make_file(short_file, "\211HDF\r\n\032\n");
  make_file(empty, "");
  on_rank_0([&] {
    if (truncate(cut.c_str(), 700) != 0) std::abort();
  });
  for (file_mode_t mode : all_modes) {
    ALL_FAIL(scorpio_open_file((missing + "/in/no/folder").c_str(), group, mode), missing, "file: ");
    ALL_FAIL(scorpio_open_file(folder.c_str(), group, mode), folder);
    ALL_FAIL(scorpio_open_file("", group, mode));
    ALL_FAIL(scorpio_open_file(nullptr, group, mode));
    ALL_FAIL(scorpio_open_file((text + "/below").c_str(), group, mode), text);
  }
  for (file_mode_t mode : {SCORPIO_FILE_READONLY, SCORPIO_FILE_READWRITE}) {
    for (const std::string& path : {missing, text, short_file, cut}) {
      ALL_FAIL(scorpio_open_file(path.c_str(), group, mode), path);
    }
  }
  // If an empty file is opened for writing, HDF5 makes a file of it.
  ALL_FAIL(scorpio_open_file(empty.c_str(), group, SCORPIO_FILE_READONLY), empty);
  ALL_FAIL(scorpio_open_file(missing.c_str(), group, static_cast<file_mode_t>(99)), missing);
  ALL_FAIL(scorpio_open_file(missing.c_str(), group, static_cast<file_mode_t>(-1)), missing);
  EXPECT(access(missing.c_str(), F_OK) != 0);
  File("after").works("d");
}

SITUATION(Files, RanksThatOpenDifferently) {
  if (context.ranks == 1) return;
  Group group(2);
  const std::string path = made_file("h5"), other = made_file("other");
  for (int wrong : {0, context.ranks - 1}) {
    const bool mine = context.rank == wrong;
    ALL_FAIL(scorpio_open_file(mine ? other.c_str() : path.c_str(), group, SCORPIO_FILE_READONLY));
    ALL_FAIL(scorpio_open_file(mine ? nullptr : path.c_str(), group, SCORPIO_FILE_READONLY));
    ALL_FAIL(scorpio_open_file(path.c_str(), group, mine ? SCORPIO_FILE_CREATE : SCORPIO_FILE_READONLY));
  }
  // No new file was created.
  const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_READONLY);
  OK(handle);
  OK(read_ints("d", handle, group));
  OK(scorpio_close_file(handle, group));
}

SITUATION(Files, ReadOnlyFiles) {
  const std::string path = made_file("h5");
  Group group(std::min(2, context.ranks));
  const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_READONLY);
  OK(handle);
  int value = 1;
  char word[] = "word";
  char* words[] = {word};
  ALL_FAIL(write_ints("d", handle, group), path, "d");
  ALL_FAIL(write_ints("new", handle, group), path, "new");
  ALL_FAIL(scorpio_write_simple_attr("a", &value, SCORPIO_INTEGER, handle, "d", group), path);
  ALL_FAIL(scorpio_write_str_array(words, 1, handle, "words", group), path, "words");
  ALL_FAIL(scorpio_create_dataset_group("made", handle, group), path, "made");
  ALL_FAIL(scorpio_create_link("d", 0, "link", handle, group), path);
  OK(read_ints("d", handle, group));
  EXPECT(scorpio_dataset_exists("new", handle, group) == 0);
  EXPECT(scorpio_group_exists("made", handle, group) == 0);
  OK(scorpio_close_file(handle, group));
  if (geteuid() == 0) return;  // permissions do not restrict root
  on_rank_0([&] { chmod(path.c_str(), 0444); });
  ALL_FAIL(scorpio_open_file(path.c_str(), group, SCORPIO_FILE_READWRITE), path);
}

SITUATION(Files, MissingThings) {
  File file("h5");
  file.works("d");
  int number = 0, *dims = nullptr;
  int64_t number_64 = 0;
  void* data = nullptr;
  char** strings = nullptr;
  for (const char* name : {"missing", "/no/such/group/dataset", "/", "", "d/below", "./no"}) {
    ALL_FAIL(read_ints(name, file, file.group()), file.path(), name);
    ALL_FAIL(scorpio_get_dataset_ndims(&number, file, name, file.group()), file.path(), name);
    ALL_FAIL(scorpio_get_dataset_dims(&number, file, name, file.group()), file.path(), name);
    ALL_FAIL(scorpio_get_dataset_dims_64(&number_64, file, name, file.group()), file.path(), name);
    ALL_FAIL(scorpio_get_dataset_size(&number, file, name, file.group()), file.path(), name);
    ALL_FAIL(scorpio_get_dataset_size_64(&number_64, file, name, file.group()), file.path(), name);
    ALL_FAIL(scorpio_read_str_array(&strings, &number, file, name, file.group()), file.path(), name);
    if (*name) EXPECT(scorpio_dataset_exists(name, file, file.group()) == 0);
  }
  ALL_FAIL(scorpio_read_simple_attr("a", &data, SCORPIO_INTEGER, file, "d", file.group()), file.path(), "d",
           "a");
  ALL_FAIL(scorpio_read_attr("a", &data, SCORPIO_INTEGER, &number, &dims, file, "d", file.group()),
           file.path());
  ALL_FAIL(scorpio_read_simple_attr("a", &data, SCORPIO_INTEGER, file, "missing", file.group()), file.path(),
           "missing");
  ALL_FAIL(scorpio_write_simple_attr("a", &number, SCORPIO_INTEGER, file, "missing", file.group()),
           "missing");
  // A dataset of numbers cannot be read as strings.
  ALL_FAIL(scorpio_read_str_array(&strings, &number, file, "d", file.group()), file.path(), "d");
  file.works("d");
}

SITUATION(Files, NullsInsteadOfResults) {
  File file("h5");
  file.works("d");
  int number = 0;
  void* data = nullptr;
  ALL_FAIL(scorpio_get_dataset_ndims(nullptr, file, "d", file.group()));
  ALL_FAIL(scorpio_get_dataset_dims(nullptr, file, "d", file.group()));
  ALL_FAIL(scorpio_get_dataset_size_64(nullptr, file, "d", file.group()));
  ALL_FAIL(scorpio_get_dataset_ndims(&number, file, nullptr, file.group()));
  ALL_FAIL(scorpio_get_dataset_ndims(context.rank == 0 ? nullptr : &number, file, "d", file.group()));
  ALL_FAIL(scorpio_get_dataset_ndims(context.rank == context.ranks - 1 ? nullptr : &number, file, "d",
                                     file.group()));
  ALL_FAIL(scorpio_dataset_exists(nullptr, file, file.group()));
  ALL_FAIL(scorpio_group_exists(nullptr, file, file.group()));
  ALL_FAIL(scorpio_create_dataset_group(nullptr, file, file.group()));
  ALL_FAIL(scorpio_create_dataset_group("", file, file.group()));
  ALL_FAIL(scorpio_create_link(nullptr, 0, "link", file, file.group()));
  ALL_FAIL(scorpio_create_link("d", 0, nullptr, file, file.group()));
  ALL_FAIL(scorpio_write_str_array(nullptr, 2, file, "words", file.group()));
  ALL_FAIL(scorpio_read_str_array(nullptr, &number, file, "d", file.group()));
  ALL_FAIL(scorpio_write_simple_attr(nullptr, &number, SCORPIO_INTEGER, file, "d", file.group()));
  ALL_FAIL(scorpio_write_simple_attr("a", nullptr, SCORPIO_INTEGER, file, "d", file.group()));
  ALL_FAIL(scorpio_write_simple_attr("a", &number, static_cast<datatype_t>(17), file, "d", file.group()));
  ALL_FAIL(scorpio_read_simple_attr("a", nullptr, SCORPIO_INTEGER, file, "d", file.group()));
  ALL_FAIL(scorpio_read_simple_attr("a", &data, SCORPIO_INTEGER, file, nullptr, file.group()));
  ALL_FAIL(scorpio_write_attr("a", &number, SCORPIO_INTEGER, 1, nullptr, file, "d", file.group()));
  const int wrong[] = {-3};
  ALL_FAIL(scorpio_write_attr("a", &number, SCORPIO_INTEGER, 1, wrong, file, "d", file.group()));
  ALL_FAIL(scorpio_write_attr("a", &number, SCORPIO_INTEGER, -1, wrong, file, "d", file.group()));
  char word[] = "word";
  char* words[] = {word, nullptr};
  ALL_FAIL(scorpio_write_str_array(words, 2, file, "words", file.group()));
  ALL_FAIL(scorpio_write_str_array(words, -1, file, "words", file.group()));
  file.works("d");
}

SITUATION(Files, DatasetsOfOtherExtents) {
  File file("h5");
  file.works("d");
  ALL_FAIL(write_ints("d", file, file.group(), 5), file.path(), "d");
  ALL_FAIL(read_ints("d", file, file.group(), 3), file.path(), "d");
  const int global[] = {4 * context.ranks}, local[] = {4}, start[] = {4 * context.rank};
  int data[4] = {};
  const int64_t rows[] = {4 * context.ranks}, map[] = {context.rank};
  ALL_FAIL(scorpio_read_dataset(data, SCORPIO_INTEGER, 1, global, local, file, "d", file.group(),
                                SCORPIO_UNIFORM_CONTIGUOUS_READ),
           file.path(), "d");
  ALL_FAIL(
      scorpio_write_dataset_block(data, SCORPIO_INTEGER, 1, global, local, start, file, "d", file.group()),
      "d");
  ALL_FAIL(scorpio_read_dataset_map(data, SCORPIO_INTEGER, 1, rows, 1, map, file, "d", file.group()), "d");
  ALL_FAIL(scorpio_read_same_sub_dataset(data, SCORPIO_INTEGER, 1, local, start, file, "d", file.group()),
           "d");
  file.works("d");
}

// A type that differs from the dataset's is refused, or its numbers are converted.
SITUATION(Files, DatasetsOfOtherTypes) {
  File file("h5");
  file.works("d");
  const int global[] = {context.ranks, 4}, local[] = {1, 4};
  double found[4] = {-1, -1, -1, -1};
  const int code = scorpio_read_dataset(found, SCORPIO_DOUBLE, 2, global, local, file, "d", file.group(),
                                        SCORPIO_UNIFORM_CONTIGUOUS_READ);
  for (int i = 0; i < 4 && code == 0; ++i) EXPECT(found[i] == 10 * context.rank + i);
  if (code != 0) ALL_FAIL(code, file.path(), "d");
  file.works("d");
}

// The original SCORPIO writes SCORPIO_BYTE as bytes without a meaning.
SITUATION(Files, OpaqueBytesByMaps) {
  const std::string path = path_of("h5");
  on_rank_0([&] {
    const hsize_t rows = static_cast<hsize_t>(context.ranks);
    const std::vector<unsigned char> bytes(static_cast<size_t>(rows), 200);
    const hid_t file = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &rows, nullptr);
    const hid_t set = H5Dcreate2(file, "d", H5T_NATIVE_OPAQUE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT(H5Dwrite(set, H5T_NATIVE_OPAQUE, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) >= 0);
    H5Dclose(set);
    H5Sclose(space);
    EXPECT(H5Fclose(file) >= 0);
  });
  Group group(std::min(2, context.ranks));
  const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_READWRITE);
  OK(handle);
  const int64_t global[] = {context.ranks}, map[] = {context.ranks - 1 - context.rank};
  unsigned char found = 0;
  const auto mine = static_cast<unsigned char>(100 + context.rank);
  const auto read = [&] {
    return scorpio_read_dataset_map(&found, SCORPIO_BYTE, 1, global, 1, map, handle, "d", group);
  };
  OK(read());
  EXPECT(found == 200);
  OK(scorpio_write_dataset_map(&mine, SCORPIO_BYTE, 1, global, 1, map, handle, "d", group));
  OK(read());
  EXPECT(found == mine);
  OK(scorpio_close_file(handle, group));
}

SITUATION(Files, NamesThatAreTaken) {
  File file("h5");
  file.works("g/d");
  ALL_FAIL(write_ints("g", file, file.group()), file.path(), "g");
  ALL_FAIL(write_ints("/", file, file.group()), file.path());
  ALL_FAIL(write_ints("g/d/below", file, file.group()), file.path(), "below");
  ALL_FAIL(scorpio_create_dataset_group("g/d", file, file.group()), file.path(), "g/d");
  ALL_FAIL(scorpio_create_dataset_group("g/d/below", file, file.group()), file.path(), "g/d");
  OK(scorpio_create_link("/g/d", 0, "link", file, file.group()));
  ALL_FAIL(scorpio_create_link("/g/d", 0, "link", file, file.group()), file.path(), "link");
  ALL_FAIL(scorpio_create_link("/g/d", 987654, "other", file, file.group()), file.path());
  OK(read_ints("link", file, file.group()));
  // A link to an object that does not exist.
  OK(scorpio_create_link("/nowhere", 0, "dangling", file, file.group()));
  ALL_FAIL(read_ints("dangling", file, file.group()), file.path(), "dangling");
  EXPECT(scorpio_dataset_exists("dangling", file, file.group()) == 0);
  EXPECT(scorpio_dataset_exists("link", file, file.group()) == 1);
  file.works("g/d");
}

SITUATION(Files, CleanupClosesWhatIsOpen) {
  const std::string path = path_of("h5");
  {
    Group group(std::min(2, context.ranks));
    const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_CREATE);
    OK(handle);
    OK(write_ints("g/d", handle, group));
    EXPECT(scorpio_create_dataset_group("g", handle, group) >= 0);
  }
  EXPECT(H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), H5F_OBJ_ALL) == 0);
  Group group(1);
  const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_READONLY);
  OK(handle);
  OK(read_ints("/g/d", handle, group));
  OK(scorpio_close_file(handle, group));
}

// More elements than an int can count, in a file that consists almost only of a hole.
SITUATION(Files, MoreElementsThanAnInt) {
  File file("h5");
  const int64_t side = int64_t{1} << 31;
  const int64_t global[] = {3, side}, local[] = {1, 5};
  const int64_t start[] = {context.rank % 3, side - 5 * (context.rank + 1)};
  char data[5], found[5] = {};
  for (int i = 0; i < 5; ++i) data[i] = static_cast<char>(10 * context.rank + i + 1);
  OK(scorpio_write_dataset_block_64(data, SCORPIO_CHAR, 2, global, local, start, file, "large",
                                    file.group()));
  OK(scorpio_read_dataset_block_64(found, SCORPIO_CHAR, 2, global, local, start, file, "large",
                                   file.group()));
  EXPECT(std::memcmp(data, found, 5) == 0);
  int dims[2] = {}, size = 0;
  int64_t dims_64[2] = {}, size_64 = 0;
  ALL_FAIL(scorpio_get_dataset_dims(dims, file, "large", file.group()), file.path(), "large");
  ALL_FAIL(scorpio_get_dataset_size(&size, file, "large", file.group()), file.path(), "large");
  OK(scorpio_get_dataset_dims_64(dims_64, file, "large", file.group()));
  OK(scorpio_get_dataset_size_64(&size_64, file, "large", file.group()));
  EXPECT(dims_64[0] == 3 && dims_64[1] == side && size_64 == 3 * side);
  // The extents fit in an int, but their product does not.
  const int64_t many[] = {1 << 16, 1 << 16};
  const int64_t one[] = {1, 1}, end[] = {many[0] - 1 - context.rank, many[1] - 1};
  OK(scorpio_write_dataset_block_64(data, SCORPIO_BYTE, 2, many, one, end, file, "square", file.group()));
  OK(scorpio_get_dataset_dims(dims, file, "square", file.group()));
  EXPECT(dims[0] == 1 << 16 && dims[1] == 1 << 16);
  ALL_FAIL(scorpio_get_dataset_size(&size, file, "square", file.group()), file.path(), "square");
  // A map of rows at the end.
  const int64_t map[] = {end[0], 0};
  std::vector<unsigned char> rows(2 << 16);
  OK(scorpio_read_dataset_map(rows.data(), SCORPIO_BYTE, 2, many, 2, map, file, "square", file.group()));
  EXPECT(rows[many[1] - 1] == static_cast<unsigned char>(data[0]));
  struct stat information = {};
  // The file has 10 GiB. ROMIO leaves some buffers of zeros.
  if (stat(file.path().c_str(), &information) == 0) EXPECT(information.st_blocks < (1 << 30) / 512);
}

// Groups of all sizes at the same time. Communicators must not run out.
SITUATION(Files, VeryManyGroups) {
  std::vector<std::unique_ptr<Group>> groups;
  for (int i = 0; i < (context.ranks > 2 ? 100 : 600); ++i)
    groups.push_back(std::make_unique<Group>(1 + i % context.ranks));
  for (size_t i = 0; i < groups.size(); i += 40) {
    const std::string path = path_of(std::to_string(i).c_str());
    const int handle = scorpio_open_file(path.c_str(), *groups[i], SCORPIO_FILE_CREATE);
    OK(handle);
    OK(write_ints("d", handle, *groups[i]));
    OK(read_ints("d", handle, *groups[i]));
    OK(scorpio_close_file(handle, *groups[i]));
  }
  groups.clear();
  // More groups than MPICH has context numbers. There are fewer if ranks have to wait for a core.
  const int many = context.ranks > 2 ? 100 : 3000;
  for (int i = 0; i < many; ++i) Group(1 + i % context.ranks);
  File("after").works("d");
}

SITUATION(Files, ManyFilesAtATime) {
  Group group(std::min(2, context.ranks));
  std::vector<int> handles;
  for (int i = 0; i < 40; ++i) {
    handles.push_back(
        scorpio_open_file(path_of(std::to_string(i).c_str()).c_str(), group, SCORPIO_FILE_CREATE));
    OK(handles.back());
  }
  for (int handle : handles) OK(write_ints("d", handle, group));
  for (size_t i = 0; i < handles.size(); i += 2) OK(scorpio_close_file(handles[i], group));
  for (size_t i = 1; i < handles.size(); i += 2) OK(read_ints("d", handles[i], group));
  ALL_FAIL(read_ints("d", handles[0], group));
}  // freeing the group closes the others

// The ranks of one communicator in two halves, each with groups of its own.
SITUATION(Files, HalvesOfTheRanks) {
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, context.rank % 2, -context.rank, &half);
  int size = 1, rank = 0;
  MPI_Comm_size(half, &size);
  MPI_Comm_rank(half, &rank);
  {
    Group group(std::min(2, size), half);
    const std::string path = path_of(context.rank % 2 ? "odd" : "even");
    const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_CREATE);
    OK(handle);
    const int global[] = {size}, local[] = {1};
    const int value = context.rank;
    int found[64] = {};
    OK(scorpio_write_dataset(&value, SCORPIO_INTEGER, 1, global, local, handle, "d", group,
                             SCORPIO_UNIFORM_CONTIGUOUS_WRITE));
    OK(scorpio_read_dataset(found, SCORPIO_INTEGER, 1, global, global, handle, "d", group,
                            SCORPIO_EVERYONE_ENTIRE_DATASET_READ));
    EXPECT(found[rank] == context.rank);
    OK(scorpio_close_file(handle, group));
  }
  MPI_Comm_free(&half);
}

// HDF5 must not print messages of failures that SCORPIO reports.
SITUATION(Files, NothingIsPrinted) {
  std::fflush(stderr);
  const int kept = dup(2);
  const std::string path = path_of(("stderr" + std::to_string(context.rank)).c_str());
  if (!std::freopen(path.c_str(), "w", stderr)) std::abort();
  {
    File file("h5");
    file.works("d");
    ALL_FAIL(read_ints("missing", file, file.group()));
    ALL_FAIL(write_ints("d/below", file, file.group()));
    ALL_FAIL(scorpio_open_file("/no/such/folder/file", file.group(), SCORPIO_FILE_READONLY));
  }
  std::fflush(stderr);
  dup2(kept, 2);
  ::close(kept);
  std::string text;
  if (std::FILE* printed = std::fopen(path.c_str(), "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, printed)) text += line;
    std::fclose(printed);
  }
  if (text.find("HDF5") != std::string::npos) note_failure(__FILE__, __LINE__, "stderr has: " + text);
}
