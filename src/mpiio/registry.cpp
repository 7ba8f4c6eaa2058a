#include "mpiio/registry.h"

#include <mutex>
#include <set>
#include <shared_mutex>

#include "mpiio/api.h"

namespace concilio::mpiio {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::set<File*> files;
};
Registry& registry() {
  static auto* registry = new Registry;
  return *registry;
}

}  // namespace

void enter_registry(File* file) {
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  all.files.insert(file);
}

void leave_registry(File* file) {
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  all.files.erase(file);
}

std::vector<File*> all_open_files() {
  Registry& all = registry();
  std::shared_lock lock(all.mutex);
  return {all.files.begin(), all.files.end()};
}

File* find(MPI_File handle) {
  auto* pointer = reinterpret_cast<File*>(handle);
  if (handle == MPI_FILE_NULL) return nullptr;
  Registry& all = registry();
  std::shared_lock lock(all.mutex);
  return all.files.contains(pointer) ? pointer : nullptr;
}

}  // namespace concilio::mpiio
