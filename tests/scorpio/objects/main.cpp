// Runs the situations, all or those named, once for each group size.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "objects.h"

namespace objects {

Context context;

Session::Session(const std::string& name, file_mode_t mode) : path_(context.path(name)) {
  iogroup_conf_t conf{0, context.group_size, MPI_COMM_WORLD};
  WELL(scorpio_IOgroup_init(&conf, &group_));
  WELL(scorpio_set_relative_names(1, &group_));  // ../callers tests what the original library does
  file_ = scorpio_open_file(path_.c_str(), &group_, mode);
  EXPECT(file_ != FAILURE);
}

Session::~Session() {
  WELL(scorpio_close_file(file_, &group_));
  WELL(scorpio_IOgroup_cleanup(&group_));
}

void Session::again(file_mode_t mode) {
  WELL(scorpio_close_file(file_, &group_));
  file_ = scorpio_open_file(path_.c_str(), &group_, mode);
  EXPECT(file_ != FAILURE);
}

void Session::write(const std::string& name, const std::vector<int64_t>& extents, datatype_t type) {
  // Rank r has the rows from r * rows / ranks on.
  const int64_t first = context.rank * extents[0] / context.ranks;
  const int64_t behind = (context.rank + 1) * extents[0] / context.ranks;
  std::vector<int64_t> local = extents, start(extents.size(), 0);
  local[0] = behind - first;
  start[0] = first;
  const auto product = [](const std::vector<int64_t>& of) {
    return std::accumulate(of.begin() + 1, of.end(), of[0], std::multiplies<>());
  };
  const auto count = static_cast<size_t>(product(local));
  const int64_t row = product(extents) / std::max<int64_t>(1, extents[0]);
  std::vector<double> doubles(count);
  std::vector<int> ints(count);
  std::iota(doubles.begin(), doubles.end(), static_cast<double>(first * row));
  std::iota(ints.begin(), ints.end(), static_cast<int>(first * row));
  const void* data = type == SCORPIO_DOUBLE ? static_cast<const void*>(doubles.data()) : ints.data();
  WELL(scorpio_write_dataset_block_64(data, type, static_cast<int>(extents.size()), extents.data(),
                                      local.data(), start.data(), file_, name.c_str(), &group_));
}

void with_plain_hdf5(const std::string& name, void (*make)(hid_t file)) {
  if (context.rank == 0) {
    const hid_t file = H5Fcreate(context.path(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT(file >= 0);
    make(file);
    EXPECT(H5Fclose(file) >= 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

namespace {

// All group sizes. With more than three ranks, which take long if they poll, one size that divides them and
// one that does not.
std::vector<int> group_sizes(int ranks) {
  if (ranks > 3) return {2, ranks - 1};
  std::vector<int> sizes(static_cast<size_t>(ranks));
  std::iota(sizes.begin(), sizes.end(), 1);
  return sizes;
}

}  // namespace
}  // namespace objects

int main(int argc, char** argv) {
  using namespace objects;
  std::vector<std::string> names(argv + 1, argv + argc);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &context.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &context.ranks);
  expecting_with_reason(scorpio_last_error);
  const char* given = std::getenv("CONCILIO_TEST_DIR");
  const std::string folder = given ? given : "/tmp";
  int ran = 0, failed = 0;
  for (const int size : group_sizes(context.ranks)) {
    context.group_size = size;
    expecting("rank %d of %d, groups of %d", context.rank, context.ranks, size);
    context.folder = folder + "/groups_of_" + std::to_string(size);
    if (context.rank == 0) mkdir(context.folder.c_str(), 0755);
    MPI_Barrier(MPI_COMM_WORLD);
    for (const situations::Situation& situation : situations::all()) {
      if (!situations::wanted(situation, names)) continue;
      ++ran;
      failed += situations::run(situation, folder, "groups of " + std::to_string(size) + ", ");
    }
  }
  if (context.rank == 0) std::printf("%d situations, %d failed\n", ran, failed);
  MPI_Finalize();
  return failed == 0 && ran > 0 ? 0 : 1;
}
