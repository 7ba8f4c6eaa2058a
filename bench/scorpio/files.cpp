#include "scorpio/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "scorpio/hdf5_support.h"

namespace concilio::bench::scorpio {

namespace fs = std::filesystem;

namespace {

// Calls use(part, memory) for slabs of a dataset, each of at most about 4 MiB. Stops at the first failure.
template <typename Use>
std::string for_each_slab(const Dataset& dataset, const Extents& extents, Use use) {
  const int64_t row_bytes = elements(extents) / extents[0] * dataset.element_bytes();
  const int64_t most = std::max<int64_t>(1, (int64_t{4} << 20) / row_bytes);
  std::vector<unsigned char> memory(static_cast<size_t>(std::min(most, extents[0]) * row_bytes));
  std::string failure;
  for (int64_t start = 0; start < extents[0] && failure.empty(); start += most) {
    Part slab{extents, Extents(extents.size(), 0)};
    slab.extents[0] = std::min(most, extents[0] - start);
    slab.starts[0] = start;
    failure = use(slab, memory.data());
  }
  return failure;
}

std::string write_dataset(hid_t file, const Dataset& dataset, const Extents& extents) {
  Handle set = create_dataset(file, dataset, extents);
  if (!set.ok()) return hdf5_failure("create " + dataset.name);
  const std::string failure =
      for_each_slab(dataset, extents, [&](const Part& slab, void* memory) -> std::string {
        const Handle here = make_space(slab.extents), there = make_space(extents, slab);
        fill(dataset, extents, slab, memory);
        return H5Dwrite(set.id(), memory_type(dataset.type), here.id(), there.id(), H5P_DEFAULT, memory) < 0
                   ? hdf5_failure("write " + dataset.name)
                   : "";
      });
  if (failure.empty() && !set.close()) return hdf5_failure("close " + dataset.name);
  return failure;
}

std::string check_dataset(hid_t file, const Dataset& dataset, const Extents& extents) {
  const Handle set(H5Dopen2(file, dataset.name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!set.ok()) return hdf5_failure("open " + dataset.name);
  return for_each_slab(dataset, extents, [&](const Part& slab, void* memory) -> std::string {
    const Handle here = make_space(slab.extents), there = make_space(extents, slab);
    if (H5Dread(set.id(), memory_type(dataset.type), here.id(), there.id(), H5P_DEFAULT, memory) < 0)
      return hdf5_failure("read " + dataset.name);
    return check(dataset, extents, slab, memory);
  });
}

}  // namespace

std::string make_input(const std::string& path, const Workload& workload) {
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
  if (!file.ok()) return hdf5_failure("create " + path);
  for (const Dataset& dataset : workload.datasets) {
    const std::string failure = write_dataset(file.id(), dataset, workload.extents);
    if (!failure.empty()) return failure;
  }
  return file.close() ? "" : hdf5_failure("close " + path);
}

std::string check_output(const std::string& path, const Workload& workload) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file.ok()) return hdf5_failure("open " + path);
  for (const Dataset& dataset : workload.datasets) {
    const std::string failure = check_dataset(file.id(), dataset, workload.extents);
    if (!failure.empty()) return failure;
  }
  return {};
}

Diff h5diff(const std::string& one, const std::string& other, std::string& words) {
  const std::string said = other + ".h5diff";
  // h5diff does not use MPI, so it is started without the libraries that are preloaded into this program.
  std::vector<std::string> command = {"env", "-u", "LD_PRELOAD", "h5diff", one, other};
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, said.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  int status = -1;
  const bool started = posix_spawnp(&child, "env", &actions, nullptr, arguments.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  const bool ended = started && waitpid(child, &status, 0) == child && WIFEXITED(status);
  std::ostringstream text;
  text << std::ifstream(said).rdbuf();
  words = text.str().substr(0, 500);
  unlink(said.c_str());
  constexpr int not_found = 127;
  if (!started || (ended && WEXITSTATUS(status) == not_found)) return Diff::not_installed;
  return ended && WEXITSTATUS(status) == 0 ? Diff::same : Diff::different;
}

bool has_open(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::canonical(path, failed);
  if (failed) return false;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd", failed)) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone) == whole) return true;
  }
  return false;
}

}  // namespace concilio::bench::scorpio
