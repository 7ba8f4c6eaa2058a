// What Concilio asks of a vendor's GPU driver that the program has loaded.
#pragma once

#include <dlfcn.h>

#include <array>
#include <memory>

#include "base/function_ref.h"
#include "base/gpu/device_memory.h"
#include "base/result.h"

namespace concilio {

class CuFile;

enum class Towards { host, device };

// What one copy moves: `planes` planes of `rows` rows of `bytes` bytes each. The strides are the distances
// between the beginnings of rows, and of planes. If there is one row or one plane, that stride means nothing.
struct Shape {
  int64_t bytes = 0, rows = 1;
  int64_t device_stride = 0, host_stride = 0;
  int64_t planes = 1;
  int64_t device_plane_stride = 0, host_plane_stride = 0;
};

// Pieces of a device's memory, and packed data in the host's that have them one behind the other. The data
// and both lists lie in memory that is pinned from `pinned` on, and stay as they are until the stream has
// come to them.
struct PieceList {
  std::byte* pinned;
  const uint64_t* addresses;  // of pieces
  const uint32_t* positions;  // of each in the packed data, and one for their end
  int64_t count;
  std::byte* packed;
};

// A stream of Concilio's own, and marks that are set in it.
struct GpuStream {
  DevicePlace place;
  bool retained = false;  // the context stays at least as long as the stream
  void* stream = nullptr;
  std::array<void*, 2> marks{};
  void* pool = nullptr;                       // which Level Zero takes the marks from
  void *module = nullptr, *kernel = nullptr;  // of load_kernel()
};

// No function changes which context or device is current in the calling thread, which may be one of
// Concilio's own.
class GpuDriver {
 public:
  GpuDriver() = default;
  GpuDriver(const GpuDriver&) = delete;
  virtual ~GpuDriver() = default;

  // Whether `address` lies in a GPU's own memory. If so, `place` becomes what a copy needs to know of it.
  virtual bool owns(const void* address, DevicePlace& place) const = 0;

  // Makes a stream for copies to and from memory at `stream.place`. All that the program has given its
  // default stream before comes before what the stream is given, and nothing that it gives it afterwards
  // waits for that. Level Zero has no default stream.
  virtual Status begin(GpuStream& stream) const = 0;
  // Begins a copy. If there are several rows, their strides must be at least their length and at most
  // most_stride. If there are several planes, there are several rows, and on each side the planes' stride is
  // a whole number of the rows' strides, at least as many as there are rows.
  virtual Status copy(const GpuStream& stream, Towards towards, std::byte* device, std::byte* host,
                      const Shape& shape) const = 0;
  static constexpr int64_t most_stride = INT32_MAX;
  // Makes the stream ready for move_pieces(), by a kernel that is compiled at the first call in the process.
  // An error says why that cannot be.
  virtual Status load_kernel(GpuStream&) const {
    return Error{ErrorKind::unsupported, 0, "this kind of device has no kernel"};
  }
  // Begins to move pieces, in one pass over them.
  virtual Status move_pieces(const GpuStream&, Towards, const PieceList&) const {
    return Error{ErrorKind::unsupported, 0, "this kind of device has no kernel"};
  }
  // Sets a mark behind what the stream was given so far, and waits until the stream has come to it.
  virtual Status mark(const GpuStream& stream, size_t which) const = 0;
  virtual Status wait(const GpuStream& stream, size_t which) const = 0;
  virtual Status wait_for_all(const GpuStream& stream) const = 0;
  // Nothing may be under way any more.
  virtual void end(GpuStream& stream) const = 0;

  // Pins memory of the host, whole pages, so that all devices of the driver reach it without its help. Where
  // the place has no context, that is done in the device's own, which stays until it is unpinned.
  virtual bool pin(const DevicePlace& place, std::byte* begin, int64_t bytes) const = 0;
  virtual void unpin(const DevicePlace& place, std::byte* begin) const = 0;

  // The way between storage and this driver's memory that does not lead through the host's; nullptr: none.
  virtual const CuFile* cufile() const { return nullptr; }
  // Does work, which must not throw, while what the stream lives in is current in this thread.
  virtual Status in_place_of(const GpuStream& stream, FunctionRef<void()> work) const = 0;
};

// Each returns nullptr unless the program has loaded that driver. A driver that is returned is never
// destroyed.
const GpuDriver* find_cuda();
const GpuDriver* find_hip();
const GpuDriver* find_level_zero();

// Looks up a function of a driver. Returns false if it has none of that name.
template <typename Function>
bool look_up(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// What uses a library that the program has loaded, if Loaded::use(library) finds in it what it needs; else
// nullptr. The library stays open, so that its functions stay valid.
template <typename Loaded>
Loaded* use_loaded(const char* name) {
  void* library = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  auto made = std::make_unique<Loaded>();
  return made->use(library) ? made.release() : nullptr;
}

}  // namespace concilio
