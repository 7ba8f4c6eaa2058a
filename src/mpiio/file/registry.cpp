#include "mpiio/file/registry.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <set>
#include <shared_mutex>

#include "mpiio/api.h"

namespace concilio::mpiio {
namespace {

struct Registry {
  std::shared_mutex mutex;
  std::set<File*> files;
};
// Takes no memory of its own, since files that are destroyed look into it.
Registry& registry() {
  alignas(Registry) static std::byte room[sizeof(Registry)];
  static auto* registry = new (room) Registry;
  return *registry;
}

// Files that are found without a lock, each in the place that its address gives. Of two files with the same
// place the later one has it, and the other one is looked up in the registry.
constinit std::array<std::atomic<File*>, 64> at_hand{};

std::atomic<File*>& place_at_hand(const File* file) {
  // The upper bits of a product with 2^64 divided by the golden ratio, which depend on all bits.
  return at_hand[reinterpret_cast<uintptr_t>(file) * 0x9E3779B97F4A7C15u >> 58];
}

}  // namespace

void enter_registry(File* file) {
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  all.files.insert(file);
  place_at_hand(file) = file;
}

void leave_registry(File* file) {
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  all.files.erase(file);
  if (place_at_hand(file) == file) place_at_hand(file) = nullptr;
}

std::vector<File*> all_open_files() {
  Registry& all = registry();
  std::shared_lock lock(all.mutex);
  return {all.files.begin(), all.files.end()};
}

File* find(MPI_File handle) {
  auto* pointer = reinterpret_cast<File*>(handle);
  if (handle == MPI_FILE_NULL) return nullptr;
  if (place_at_hand(pointer).load(std::memory_order_acquire) == pointer) return pointer;
  Registry& all = registry();
  std::shared_lock lock(all.mutex);
  return all.files.contains(pointer) ? pointer : nullptr;
}

}  // namespace concilio::mpiio
