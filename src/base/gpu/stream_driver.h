// The drivers of NVIDIA and of AMD have the same functions for streams and events, under other names.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "base/gpu/gpu_driver.h"
#include "base/gpu/runtime_compiler.h"

namespace concilio {

class StreamDriver : public GpuDriver {
 public:
  Status begin(GpuStream& stream) const override;
  Status copy(const GpuStream& stream, Towards towards, std::byte* device, std::byte* host,
              const Shape& shape) const override;
  Status load_kernel(GpuStream& stream) const override;
  Status move_pieces(const GpuStream& stream, Towards towards, const PieceList& pieces) const override;
  Status mark(const GpuStream& stream, size_t which) const override;
  Status wait(const GpuStream& stream, size_t which) const override;
  Status wait_for_all(const GpuStream& stream) const override;
  void end(GpuStream& stream) const override;
  bool pin(const DevicePlace& place, std::byte* begin, int64_t bytes) const override;
  void unpin(const DevicePlace& place, std::byte* begin) const override;
  Status in_place_of(const GpuStream& stream, FunctionRef<void()> work) const override;

 protected:
  using Code = int;
  static constexpr Code success = 0;
  using Work = FunctionRef<Code()>;

  Code (*create_stream_)(void** stream, unsigned flags) = nullptr;
  Code (*destroy_stream_)(void* stream) = nullptr;
  Code (*synchronise_)(void* stream) = nullptr;
  Code (*wait_in_stream_)(void* stream, void* event, unsigned flags) = nullptr;
  Code (*create_event_)(void** event, unsigned flags) = nullptr;
  Code (*destroy_event_)(void* event) = nullptr;
  Code (*record_)(void* event, void* stream) = nullptr;
  Code (*wait_for_event_)(void* event) = nullptr;
  Code (*pin_)(void* begin, size_t bytes, unsigned flags) = nullptr;
  Code (*unpin_)(void* begin) = nullptr;

  // Not every driver has these; `launch` is null then.
  struct Kernels {
    Code (*load)(void** module, const void* code) = nullptr;
    Code (*unload)(void* module) = nullptr;
    Code (*find)(void** function, void* module, const char* name) = nullptr;
    Code (*device_address)(void** address, void* pinned, unsigned flags) = nullptr;
    Code (*launch)(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                   unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** arguments,
                   void** more) = nullptr;
  };
  Kernels kernels_;

 private:
  virtual const char* vendor() const = 0;
  // The driver's words for a code.
  virtual std::string words(Code code) const = 0;
  // Makes sure that what the stream will live in stays until let_go().
  virtual Code hold(GpuStream& stream) const = 0;
  virtual void let_go(const GpuStream& stream) const = 0;
  // Whether the device has a context of its own already. It is not made only to pin memory in it.
  virtual bool has_context(int device) const = 0;
  // Does the work while the place is current in this thread.
  virtual Code within(const DevicePlace& place, Work work) const = 0;
  virtual Code begin_copy(void* stream, Towards towards, std::byte* device, std::byte* host,
                          const Shape& shape) const = 0;

  virtual RuntimeCompiler compiler() const = 0;
  // The code of the kernel that moves pieces.
  const Result<std::string>& compiled_kernel() const;

  mutable std::mutex compiled_guard_;
  mutable std::optional<Result<std::string>> compiled_;
  Code make(GpuStream& stream) const;
  Status said(const char* what, Code code) const;
};

}  // namespace concilio
