#include "device.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

namespace gpu {
namespace {

// Never destroyed, because programs copy data until they end.
std::vector<Allocation>& allocations() {
  static auto* all = new std::vector<Allocation>;
  return *all;
}
struct Pinned {
  std::byte* begin;
  size_t bytes;
};
std::vector<Pinned>& all_pinned() {
  static auto* all = new std::vector<Pinned>;
  return *all;
}
std::recursive_mutex mutex;
std::atomic<int> copies = 0, failing = 0, failing_later = 0, queries = 0, pins = 0;
std::atomic<bool> refuses_to_pin = false;
std::atomic<int64_t> copied_bytes = 0, unpinned_bytes = 0, pinned_bytes = 0, most_pinned_bytes = 0,
                     copy_ns = 0, mib_per_second = 0;

int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

bool is_device(Kind kind) {
  return kind == Kind::device || kind == Kind::pool;
}

const Allocation* look_up(const void* address) {
  std::lock_guard lock(mutex);
  for (const Allocation& each : allocations())
    if (address >= each.address && address < each.address + each.size) return &each;
  return nullptr;
}

// The bytes that a row refers to; nullptr if the row is invalid.
std::byte* row(const void* address, size_t bytes, bool of_device) {
  const Allocation* found = look_up(address);
  if (!of_device)
    return found && is_device(found->kind) ? nullptr : static_cast<std::byte*>(const_cast<void*>(address));
  if (!found || !is_device(found->kind)) return nullptr;
  const auto offset = static_cast<size_t>(static_cast<const std::byte*>(address) - found->address);
  return offset + bytes <= found->size ? found->bytes + offset : nullptr;
}

// Calls use(to, from) for all rows. Returns false if one is invalid.
template <typename Use>
bool for_each_row(const Copy& what, Use use) {
  const auto address = [](const CopySide& side, size_t plane, size_t row) {
    return side.address + (plane * side.plane_rows + row) * side.pitch;
  };
  for (size_t plane = 0; plane < what.depth; ++plane) {
    for (size_t i = 0; i < what.height; ++i) {
      std::byte* to = row(address(what.to, plane, i), what.width, !what.to_host);
      const std::byte* from = row(address(what.from, plane, i), what.width, what.to_host);
      if (!to || !from) return false;
      use(to, from);
    }
  }
  return true;
}

bool overlaps(const Copy& what, const CopySide& side) {
  return (what.height > 1 && side.pitch < what.width) || (what.depth > 1 && side.plane_rows < what.height);
}

// How much of the host's side of a copy is pinned. A driver knows the memory that is pinned by its first
// byte.
enum class HostSide { unpinned, pinned, pinned_in_part };
HostSide state_of(const Copy& what) {
  const CopySide& host = what.to_host ? what.to : what.from;
  const size_t rows = what.depth > 1 ? (what.depth - 1) * host.plane_rows + what.height : what.height;
  const std::byte* end = host.address + (rows - 1) * host.pitch + what.width;
  std::lock_guard lock(mutex);
  for (const Pinned& each : all_pinned()) {
    if (end <= each.begin || host.address >= each.begin + each.bytes) continue;
    const bool whole = host.address >= each.begin && end <= each.begin + each.bytes;
    return whole ? HostSide::pinned : HostSide::pinned_in_part;
  }
  return HostSide::unpinned;
}

bool its_turn(std::atomic<int>& which) {
  return which > 0 && --which == 0;
}

void give(Stream& stream, std::function<int()> work, int64_t ns) {
  std::lock_guard lock(mutex);
  stream.work.push_back(std::move(work));
  ++stream.given;
  stream.free_ns = std::max(stream.free_ns, now_ns()) + ns;
  stream.end_ns.push_back(stream.free_ns);
}

// The stream's work up to the one that was number `given`.
int carry_out(Stream& stream, int64_t given) {
  std::unique_lock lock(mutex);
  int outcome = success;
  while (stream.done < given) {
    const std::function<int()> work = std::move(stream.work.front());
    stream.work.pop_front();
    const int64_t end_ns = stream.end_ns.front();
    stream.end_ns.pop_front();
    ++stream.done;
    const int code = work();
    if (outcome == success) outcome = code;
    if (const int64_t left_ns = end_ns - now_ns(); left_ns > 1000) {
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::nanoseconds(left_ns));
      lock.lock();
    }
  }
  return outcome;
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
  ++queries;
  return look_up(address);
}

bool pin(void* begin, size_t bytes) {
  if (refuses_to_pin) return false;
  std::lock_guard lock(mutex);
  auto* first = static_cast<std::byte*>(begin);
  for (const Pinned& each : all_pinned())
    if (first < each.begin + each.bytes && each.begin < first + bytes) return false;
  all_pinned().push_back({first, bytes});
  ++pins;
  pinned_bytes += static_cast<int64_t>(bytes);
  most_pinned_bytes = std::max<int64_t>(most_pinned_bytes, pinned_bytes);
  return true;
}

bool unpin(void* begin) {
  std::lock_guard lock(mutex);
  return std::erase_if(all_pinned(), [&](const Pinned& each) {
           if (each.begin != begin) return false;
           pinned_bytes -= static_cast<int64_t>(each.bytes);
           return true;
         }) > 0;
}

Stream& default_stream() {
  static auto* stream = new Stream;
  return *stream;
}

Stream& stream_of(void* handle) {
  return handle ? *static_cast<Stream*>(handle) : default_stream();
}

void record(Event& event, Stream& stream) {
  std::lock_guard lock(mutex);
  event = {&stream, stream.given};
}

void wait_in_stream(Stream& stream, const Event& event) {
  give(
      stream, [event] { return wait(event); }, 0);
}

int wait(Stream& stream) {
  return carry_out(stream, stream.given);
}

int wait(const Event& event) {
  return event.stream ? carry_out(*event.stream, event.given) : success;
}

std::byte* bytes_of_device(const void* address, size_t bytes) {
  return row(address, bytes, true);
}

bool is_pinned(const void* host, size_t bytes) {
  std::lock_guard lock(mutex);
  const auto* begin = static_cast<const std::byte*>(host);
  return std::any_of(all_pinned().begin(), all_pinned().end(), [&](const Pinned& each) {
    return begin >= each.begin && begin + bytes <= each.begin + each.bytes;
  });
}

bool is_pinned_from(const void* host) {
  std::lock_guard lock(mutex);
  return std::any_of(all_pinned().begin(), all_pinned().end(),
                     [&](const Pinned& each) { return each.begin == host; });
}

int give_copy(Stream& stream, size_t bytes, std::function<int()> work) {
  ++copies;
  if (its_turn(failing)) return failed;
  const bool fails = its_turn(failing_later);
  const auto count = static_cast<int64_t>(bytes);
  copied_bytes += count;
  const int64_t rate = mib_per_second;
  give(
      stream, [work = std::move(work), fails]() -> int { return fails ? failed : work(); },
      copy_ns + (rate > 0 ? count * 1000000000 / (rate << 20) : 0));
  return success;
}

int copy(Stream& stream, const Copy& what) {
  const HostSide host = state_of(what);
  if (host == HostSide::pinned_in_part || overlaps(what, what.to) || overlaps(what, what.from) ||
      !for_each_row(what, [](std::byte*, const std::byte*) {}))
    return invalid_value;
  const size_t bytes = what.width * what.height * what.depth;
  if (host == HostSide::unpinned) unpinned_bytes += static_cast<int64_t>(bytes);
  return give_copy(stream, bytes, [what]() -> int {
    const bool valid =
        for_each_row(what, [&](std::byte* to, const std::byte* from) { std::memcpy(to, from, what.width); });
    return valid ? success : failed;
  });
}

}  // namespace gpu

extern "C" {

int gpu_copies() {
  return gpu::copies;
}
int gpu_copied_bytes() {
  return static_cast<int>(gpu::copied_bytes);
}
int gpu_unpinned_bytes() {
  return static_cast<int>(gpu::unpinned_bytes);
}
int gpu_pinned_bytes() {
  return static_cast<int>(gpu::pinned_bytes);
}
int gpu_most_pinned_bytes() {
  return static_cast<int>(gpu::most_pinned_bytes);
}
int gpu_pins() {
  return gpu::pins;
}
int gpu_queries() {
  return gpu::queries;
}
void gpu_fail_copy(int which) {
  gpu::failing = which;
}
void gpu_fail_later(int which) {
  gpu::failing_later = which;
}
void gpu_refuse_to_pin(int refuse) {
  gpu::refuses_to_pin = refuse;
}
void gpu_slow_down(int copy_us, int mib_per_second) {
  gpu::copy_ns = int64_t{copy_us} * 1000;
  gpu::mib_per_second = mib_per_second;
}
void* gpu_reach(uintptr_t address, size_t bytes) {
  return gpu::row(reinterpret_cast<void*>(address), bytes, true);
}
void gpu_fill(uintptr_t address, size_t bytes, int value) {
  gpu::give(
      gpu::default_stream(),
      [=]() -> int {
        std::byte* memory = gpu::row(reinterpret_cast<void*>(address), bytes, true);
        if (!memory) return gpu::failed;
        std::memset(memory, value, bytes);
        return gpu::success;
      },
      0);
}

}  // extern "C"
