#include "kernel.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

namespace gpu {
namespace {

std::atomic<int> modules = 0, launches = 0;
constexpr uintptr_t of_device = uintptr_t{1} << 63;

// The kernel, and what the language has for it. One thread runs at a time.
std::mutex running;
Size threadIdx{}, blockIdx{}, blockDim{}, gridDim{};
#define __global__
#define KERNEL(...) __VA_ARGS__
#include "base/gpu/piece_kernel.inc"

struct Arguments {
  const uint64_t* addresses;
  const uint32_t* positions;
  unsigned long long pieces;
  std::byte* packed;
  int gathers;
};

// Where the CPU has what the device reaches at this address; nullptr if that many bytes are not registered.
std::byte* at_host(const void* address, size_t bytes) {
  const auto number = reinterpret_cast<uintptr_t>(address);
  auto* const host = reinterpret_cast<std::byte*>(number & ~of_device);
  return (number & of_device) && is_pinned(host, bytes) ? host : nullptr;
}

int run(Arguments arguments, const Size& grid, const Size& block) {
  std::vector<unsigned long long> addresses(arguments.pieces);
  for (size_t i = 0; i < addresses.size(); ++i) {
    const uint32_t bytes = arguments.positions[i + 1] - arguments.positions[i];
    std::byte* const reached = bytes_of_device(reinterpret_cast<const void*>(arguments.addresses[i]), bytes);
    if (!reached) return failed;
    addresses[i] = reinterpret_cast<unsigned long long>(reached);
  }
  std::lock_guard lock(running);
  gridDim = grid;
  blockDim = block;
  for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x)
    for (threadIdx.y = 0; threadIdx.y < block.y; ++threadIdx.y)
      for (threadIdx.x = 0; threadIdx.x < block.x; ++threadIdx.x)
        concilio_move_pieces(addresses.data(), arguments.positions, arguments.pieces,
                             reinterpret_cast<unsigned char*>(arguments.packed), arguments.gathers);
  return success;
}

}  // namespace

int load_module(void** module, const void* code) {
  if (std::strcmp(static_cast<const char*>(code), kernel_code) != 0) return invalid_value;
  ++modules;
  *module = new int(0);
  return success;
}

int unload_module(void* module) {
  --modules;
  delete static_cast<int*>(module);
  return success;
}

int find_function(void** function, void* module, const char* name) {
  *function = module;
  return std::strcmp(name, "concilio_move_pieces") == 0 ? success : invalid_value;
}

int device_address(void** address, void* host) {
  *address = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(host) | of_device);
  return is_pinned_from(host) ? success : invalid_value;
}

int launch(void* function, const Size& grid, const Size& block, Stream& stream, void** arguments) {
  constexpr unsigned most_blocks = INT32_MAX, most_threads = 1024;
  if (!function || grid.x == 0 || grid.x > most_blocks || grid.y != 1 || grid.z != 1 || block.z != 1 ||
      block.x * block.y == 0 || block.x * block.y > most_threads)
    return invalid_value;
  Arguments all{};
  std::memcpy(&all.addresses, arguments[0], sizeof all.addresses);
  std::memcpy(&all.positions, arguments[1], sizeof all.positions);
  std::memcpy(&all.pieces, arguments[2], sizeof all.pieces);
  std::memcpy(&all.packed, arguments[3], sizeof all.packed);
  std::memcpy(&all.gathers, arguments[4], sizeof all.gathers);
  all.addresses = reinterpret_cast<const uint64_t*>(at_host(all.addresses, all.pieces * sizeof(uint64_t)));
  all.positions =
      reinterpret_cast<const uint32_t*>(at_host(all.positions, (all.pieces + 1) * sizeof(uint32_t)));
  if (!all.addresses || !all.positions) return invalid_value;
  const size_t bytes = all.positions[all.pieces];
  all.packed = at_host(all.packed, bytes);
  if (!all.packed) return invalid_value;
  ++launches;
  return give_copy(stream, bytes, [all, grid, block] { return run(all, grid, block); });
}

}  // namespace gpu

extern "C" {

int gpu_modules() {
  return gpu::modules;
}
int gpu_launches() {
  return gpu::launches;
}

}  // extern "C"
