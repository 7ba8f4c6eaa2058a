#include "device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

namespace gpu {
namespace {

// Never destroyed, because programs copy data until they end.
std::vector<Allocation>& allocations() {
  static auto* all = new std::vector<Allocation>;
  return *all;
}
std::mutex mutex;
std::atomic<int> copies = 0, failing = 0;

bool is_device(Kind kind) {
  return kind == Kind::device || kind == Kind::pool;
}

// The bytes that a row refers to; nullptr if the row is invalid.
std::byte* row(const void* address, size_t bytes, bool of_device) {
  const Allocation* found = find(address);
  if (!of_device)
    return found && is_device(found->kind) ? nullptr : static_cast<std::byte*>(const_cast<void*>(address));
  if (!found || !is_device(found->kind)) return nullptr;
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(address) - found->address);
  return offset + bytes <= found->size ? found->bytes + offset : nullptr;
}

}  // namespace

void* allocate(size_t bytes, Kind kind) {
  const int file = memfd_create("gpu", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return nullptr;
  const int protection = is_device(kind) ? PROT_NONE : PROT_READ | PROT_WRITE;
  void* address = mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  void* reached = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  std::lock_guard lock(mutex);
  allocations().push_back({static_cast<std::byte*>(address), static_cast<std::byte*>(reached), bytes, kind});
  return address;
}

void release(void* address) {
  std::lock_guard lock(mutex);
  std::erase_if(allocations(), [&](const Allocation& each) {
    if (each.address != address) return false;
    munmap(each.address, each.size);
    munmap(each.bytes, each.size);
    return true;
  });
}

const Allocation* find(const void* address) {
  std::lock_guard lock(mutex);
  for (const Allocation& each : allocations())
    if (address >= each.address && address < each.address + each.size) return &each;
  return nullptr;
}

bool copy(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
          bool to_host) {
  ++copies;
  if (failing > 0 && --failing == 0) return false;
  if (height > 1 && (to_pitch < width || from_pitch < width)) return false;
  for (size_t i = 0; i < height; ++i) {
    std::byte* target = row(static_cast<std::byte*>(to) + i * to_pitch, width, !to_host);
    const std::byte* source = row(static_cast<const std::byte*>(from) + i * from_pitch, width, to_host);
    if (!target || !source) return false;
    std::memcpy(target, source, width);
  }
  return true;
}

}  // namespace gpu

extern "C" void gpu_fail_copy(int which) {
  gpu::failing = which;
}
extern "C" int gpu_copies() {
  return gpu::copies;
}
