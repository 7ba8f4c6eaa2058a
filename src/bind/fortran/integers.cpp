#include "bind/fortran/integers.h"

#include <limits>
#include <map>
#include <mutex>

namespace concilio::bind {
namespace {

constexpr int first_integer = 0x40000000;

struct Table {
  std::mutex mutex;
  std::map<MPI_File, int> integers;
  std::map<int, MPI_File> handles;
  int next = first_integer;

  // The integer of a closed file is not used again soon, so that a stale one is noticed.
  int unused() {
    for (;;) {
      int integer = next;
      next = next == std::numeric_limits<int>::max() ? first_integer : next + 1;
      if (!handles.contains(integer)) return integer;
    }
  }
};

Table& table() {
  static auto* instance = new Table;  // never destroyed: programs close files while they end
  return *instance;
}

}  // namespace

int integer_of(MPI_File handle) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  auto [place, fresh] = t.integers.try_emplace(handle, 0);
  if (fresh) {
    place->second = t.unused();
    t.handles.emplace(place->second, handle);
  }
  return place->second;
}

MPI_File handle_of(int integer) {
  if (integer < first_integer) return nullptr;
  Table& t = table();
  std::lock_guard lock(t.mutex);
  auto found = t.handles.find(integer);
  return found == t.handles.end() ? nullptr : found->second;
}

void forget_integer(MPI_File handle) {
  Table& t = table();
  std::lock_guard lock(t.mutex);
  auto found = t.integers.find(handle);
  if (found == t.integers.end()) return;
  t.handles.erase(found->second);
  t.integers.erase(found);
}

}  // namespace concilio::bind
