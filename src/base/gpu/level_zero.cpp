// Intel's driver, Level Zero 1.6 and later. What is used of its interface is declared here.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <new>
#include <span>

#include "base/gpu/gpu_driver.h"

namespace concilio {
namespace {

using ZeCode = int;
constexpr ZeCode ze_success = 0;
using ZeHandle = void*;

// ze_structure_type_t
enum Structure : int {
  device_properties = 0x3,
  queue_group_properties = 0x6,
  context_description = 0xd,
  queue_description = 0xe,
  event_pool_description = 0x10,
  event_description = 0x11,
  allocation_properties = 0x17
};
// The beginning of every structure.
struct Head {
  Structure structure;
  void* next = nullptr;
};
struct DeviceProperties {
  Head head{device_properties};
  int kind = 0;
  char others[1024];  // more than there are
};
constexpr int gpu_device = 1;
struct QueueGroupProperties {
  Head head{queue_group_properties};
  unsigned flags = 0;
  size_t longest_pattern = 0;
  unsigned queues = 0;
};
constexpr unsigned computes = 1, copies = 2;
struct ContextDescription {
  Head head{context_description};
  unsigned flags = 0;
};
struct QueueDescription {
  Head head{queue_description};
  unsigned group, index = 0, flags = 0;
  int mode, priority = 0;
};
constexpr int asynchronous = 2;
struct EventPoolDescription {
  Head head{event_pool_description};
  unsigned flags, count;
};
constexpr unsigned host_visible = 1;
struct EventDescription {
  Head head{event_description};
  unsigned index, signal_scope, wait_scope = 0;
};
constexpr unsigned host_scope = 4;
struct AllocationProperties {
  Head head{allocation_properties};
  int kind = 0;
  uint64_t id = 0, page_bytes = 0;
};
constexpr int device_allocation = 2;  // other kinds: 0 memory that it does not know, 1 the host's, 3 shared
// ze_copy_region_t
struct Region {
  unsigned x = 0, y = 0, z = 0;
  unsigned width, height, depth;
};

constexpr uint64_t for_ever = UINT64_MAX;

struct ZeWords {
  ZeCode code;
  const char *words, *name;
};
// The driver has no words for its codes.
constexpr ZeWords ze_failures[] = {
    {0x70000001, "the device was lost", "ZE_RESULT_ERROR_DEVICE_LOST"},
    {0x70000002, "the host is out of memory", "ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY"},
    {0x70000003, "the device is out of memory", "ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY"},
    {0x70010000, "permission is denied", "ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS"},
    {0x70010001, "it is not available", "ZE_RESULT_ERROR_NOT_AVAILABLE"},
    {0x78000001, "the driver is not initialised", "ZE_RESULT_ERROR_UNINITIALIZED"},
    {0x78000003, "it is not supported", "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE"},
    {0x78000004, "an argument is invalid", "ZE_RESULT_ERROR_INVALID_ARGUMENT"},
    {0x78000008, "a size is invalid", "ZE_RESULT_ERROR_INVALID_SIZE"},
    {0x7ffffffe, "an unknown error", "ZE_RESULT_ERROR_UNKNOWN"},
};
std::string ze_words(ZeCode code) {
  const auto* found = std::find_if(std::begin(ze_failures), std::end(ze_failures),
                                   [code](const ZeWords& each) { return each.code == code; });
  if (found == std::end(ze_failures)) return fmt::format("error {:#x}", static_cast<unsigned>(code));
  return fmt::format("{} ({})", found->words, found->name);
}
Status ze_said(const char* what, ZeCode code) {
  if (code == ze_success) return {};
  return Error{ErrorKind::other, 0, fmt::format("Level Zero cannot {}: {}", what, ze_words(code))};
}

// A driver below the loader that has GPUs. The program's contexts cannot be found, so there is one of ours.
// Drivers know memory of all their contexts by any of these.
struct Below {
  ZeHandle driver = nullptr, context = nullptr;
};

class LevelZero : public GpuDriver {
 public:
  ~LevelZero() override { delete below_.load(); }
  // Returns false if the loader lacks one of these functions.
  bool use(void* library) {
    return look_up(library, "zeDriverGet", get_drivers_) && look_up(library, "zeDeviceGet", get_devices_) &&
           look_up(library, "zeDeviceGetProperties", get_device_) &&
           look_up(library, "zeDeviceGetCommandQueueGroupProperties", get_queue_groups_) &&
           look_up(library, "zeContextCreate", create_context_) &&
           look_up(library, "zeContextDestroy", destroy_context_) &&
           look_up(library, "zeMemGetAllocProperties", get_allocation_) &&
           look_up(library, "zeCommandListCreateImmediate", create_list_) &&
           look_up(library, "zeCommandListDestroy", destroy_list_) &&
           look_up(library, "zeCommandListAppendMemoryCopy", copy_) &&
           look_up(library, "zeCommandListAppendMemoryCopyRegion", copy_region_) &&
           look_up(library, "zeCommandListAppendBarrier", append_barrier_) &&
           look_up(library, "zeCommandListHostSynchronize", synchronise_) &&
           look_up(library, "zeEventPoolCreate", create_pool_) &&
           look_up(library, "zeEventPoolDestroy", destroy_pool_) &&
           look_up(library, "zeEventCreate", create_event_) &&
           look_up(library, "zeEventDestroy", destroy_event_) &&
           look_up(library, "zeEventHostSignal", signal_) && look_up(library, "zeEventHostReset", reset_) &&
           look_up(library, "zeEventHostSynchronize", wait_for_event_) &&
           look_up(library, "zeDriverGetExtensionFunctionAddress", get_extension_);
  }

  bool owns(const void* address, DevicePlace& place) const override {
    const AllBelow& all = below();
    for (size_t i = 0; i < all.count; ++i) {
      AllocationProperties found;
      ZeHandle device = nullptr;
      if (get_allocation_(all.each[i].context, address, &found, &device) != ze_success) continue;
      if (found.kind != device_allocation || !device) continue;
      place = {nullptr, static_cast<int>(i), device};
      return true;
    }
    return false;
  }

  Status begin(GpuStream& stream) const override {
    auto status = ze_said("make a stream", make(stream));
    if (!status) end(stream);
    return status;
  }

  Status copy(const GpuStream& stream, Towards towards, std::byte* device, std::byte* host,
              const Shape& shape) const override {
    return ze_said(towards == Towards::host ? "copy from the device" : "copy to the device",
                   begin_copy(stream.stream, towards, device, host, shape));
  }

  // Copies may overtake each other, but not a barrier. A barrier that is still to come would set an event
  // that is reset before it, so that one is waited for; an event that was never used is set.
  Status mark(const GpuStream& stream, size_t which) const override {
    ZeCode code = wait_for_event_(stream.marks[which], for_ever);
    if (code == ze_success) code = reset_(stream.marks[which]);
    if (code == ze_success) code = append_barrier_(stream.stream, stream.marks[which], 0, nullptr);
    if (code != ze_success) (void)signal_(stream.marks[which]);  // nothing else will set it
    return ze_said("mark a stream", code);
  }
  Status wait(const GpuStream& stream, size_t which) const override {
    return ze_said("carry out the copies of a buffer", wait_for_event_(stream.marks[which], for_ever));
  }
  Status wait_for_all(const GpuStream& stream) const override {
    return ze_said("carry out the copies of a buffer", synchronise_(stream.stream, for_ever));
  }

  void end(GpuStream& stream) const override {
    for (ZeHandle mark : stream.marks)
      if (mark) destroy_event_(mark);
    if (stream.pool) destroy_pool_(stream.pool);
    if (stream.stream) destroy_list_(stream.stream);
    stream = {};
  }

  bool pin(const DevicePlace& place, std::byte* begin, int64_t bytes) const override {
    ZeCode (*import)(ZeHandle driver, void*, size_t) = nullptr;
    const ZeHandle driver = of(place).driver;
    return get_extension_(driver, "zexDriverImportExternalPointer", reinterpret_cast<void**>(&import)) ==
               ze_success &&
           import && import(driver, begin, static_cast<size_t>(bytes)) == ze_success;
  }
  void unpin(const DevicePlace& place, std::byte* begin) const override {
    ZeCode (*release)(ZeHandle driver, void*) = nullptr;
    const ZeHandle driver = of(place).driver;
    get_extension_(driver, "zexDriverReleaseImportedPointer", reinterpret_cast<void**>(&release));
    if (release) release(driver, begin);
  }

  // Nothing is current in a thread.
  Status in_place_of(const GpuStream&, FunctionRef<void()> work) const override {
    work();
    return {};
  }

 private:
  struct AllBelow {
    std::array<Below, 8> each{};
    size_t count = 0;
    const Below* begin() const { return each.data(); }
    const Below* end() const { return each.data() + count; }
  };
  // Before the program has initialised them, there are none; afterwards they stay the same. No lock is held,
  // as in device_memory.cpp.
  const AllBelow& below() const {
    static constexpr AllBelow nothing;
    if (const auto* known = below_.load(std::memory_order_acquire)) return *known;
    std::array<ZeHandle, nothing.each.size()> drivers;
    auto count = static_cast<unsigned>(drivers.size());
    if (get_drivers_(&count, drivers.data()) != ze_success) return nothing;
    auto* made = new (std::nothrow) AllBelow;
    if (!made) return nothing;
    for (size_t i = 0; i < std::min<size_t>(count, drivers.size()); ++i) {
      const ContextDescription description;
      ZeHandle context = nullptr;
      if (has_gpus(drivers[i]) && create_context_(drivers[i], &description, &context) == ze_success)
        made->each[made->count++] = {drivers[i], context};
    }
    const AllBelow* other = nullptr;
    // A driver may be initialised, and found, later.
    if (made->count == 0) {
      delete made;
      return nothing;
    }
    if (below_.compare_exchange_strong(other, made)) return *made;
    for (const Below& each : *made) destroy_context_(each.context);  // another thread has made them too
    delete made;
    return *other;
  }

  bool has_gpus(ZeHandle driver) const {
    std::array<ZeHandle, 64> devices;
    auto count = static_cast<unsigned>(devices.size());
    if (get_devices_(driver, &count, devices.data()) != ze_success) return false;
    const auto found = std::span(devices).first(std::min<size_t>(count, devices.size()));
    return std::any_of(found.begin(), found.end(), [&](ZeHandle device) {
      DeviceProperties properties;
      return get_device_(device, &properties) == ze_success && properties.kind == gpu_device;
    });
  }

  // Memory that has a place was found in one of them.
  const Below& of(const DevicePlace& place) const { return below().each[static_cast<size_t>(place.device)]; }

  // An engine that only copies leaves the others to the program's kernels.
  unsigned group_for_copies(ZeHandle device) const {
    std::array<QueueGroupProperties, 16> groups;
    auto count = static_cast<unsigned>(groups.size());
    if (get_queue_groups_(device, &count, groups.data()) != ze_success) return 0;
    unsigned found = 0;
    bool any = false;
    for (unsigned i = 0; i < std::min<size_t>(count, groups.size()); ++i) {
      const unsigned can = groups[i].flags & (computes | copies);
      if (can == copies) return i;
      if (!any && (can & copies)) {
        any = true;
        found = i;
      }
    }
    return found;
  }

  // A mark that has not been set yet is not waited for.
  ZeCode make(GpuStream& stream) const {
    const QueueDescription queue{.group = group_for_copies(stream.place.handle), .mode = asynchronous};
    const ZeHandle context = of(stream.place).context;
    ZeCode code = create_list_(context, stream.place.handle, &queue, &stream.stream);
    const auto count = static_cast<unsigned>(stream.marks.size());
    const EventPoolDescription pool{.flags = host_visible, .count = count};
    if (code == ze_success) code = create_pool_(context, &pool, 1, &stream.place.handle, &stream.pool);
    for (unsigned i = 0; i < count; ++i) {
      const EventDescription event{.index = i, .signal_scope = host_scope};
      if (code == ze_success) code = create_event_(stream.pool, &event, &stream.marks[i]);
      if (code == ze_success) code = signal_(stream.marks[i]);
    }
    return code;
  }

  ZeCode begin_copy(ZeHandle list, Towards towards, std::byte* device, std::byte* host,
                    const Shape& shape) const {
    const bool to_host = towards == Towards::host;
    std::byte *to = to_host ? host : device, *from = to_host ? device : host;
    if (shape.rows == 1) return copy_(list, to, from, static_cast<size_t>(shape.bytes), nullptr, 0, nullptr);
    // The distance of planes has 32 bits only.
    if (shape.planes > 1 &&
        std::max(shape.device_plane_stride, shape.host_plane_stride) > int64_t{UINT32_MAX}) {
      Shape plane = shape;
      plane.planes = 1;
      for (int64_t i = 0; i < shape.planes; ++i) {
        const ZeCode code = begin_copy(list, towards, device + i * shape.device_plane_stride,
                                       host + i * shape.host_plane_stride, plane);
        if (code != ze_success) return code;
      }
      return ze_success;
    }
    const auto number = [](int64_t value) { return static_cast<unsigned>(value); };
    const bool solid = shape.planes > 1;
    const Region region{.width = number(shape.bytes),
                        .height = number(shape.rows),
                        .depth = solid ? number(shape.planes) : 0};
    const unsigned device_pitch = number(shape.device_stride), host_pitch = number(shape.host_stride);
    const unsigned device_plane = solid ? number(shape.device_plane_stride) : 0;
    const unsigned host_plane = solid ? number(shape.host_plane_stride) : 0;
    return copy_region_(list, to, &region, to_host ? host_pitch : device_pitch,
                        to_host ? host_plane : device_plane, from, &region,
                        to_host ? device_pitch : host_pitch, to_host ? device_plane : host_plane, nullptr, 0,
                        nullptr);
  }

  ZeCode (*get_drivers_)(unsigned* count, ZeHandle* drivers) = nullptr;
  ZeCode (*get_devices_)(ZeHandle driver, unsigned* count, ZeHandle* devices) = nullptr;
  ZeCode (*get_device_)(ZeHandle device, DeviceProperties*) = nullptr;
  ZeCode (*get_queue_groups_)(ZeHandle device, unsigned* count, QueueGroupProperties*) = nullptr;
  ZeCode (*create_context_)(ZeHandle driver, const ContextDescription*, ZeHandle* context) = nullptr;
  ZeCode (*destroy_context_)(ZeHandle context) = nullptr;
  ZeCode (*get_allocation_)(ZeHandle context, const void*, AllocationProperties*, ZeHandle* device) = nullptr;
  ZeCode (*create_list_)(ZeHandle context, ZeHandle device, const QueueDescription*,
                         ZeHandle* list) = nullptr;
  ZeCode (*destroy_list_)(ZeHandle list) = nullptr;
  ZeCode (*copy_)(ZeHandle list, void*, const void*, size_t, ZeHandle signal, unsigned,
                  ZeHandle* waits) = nullptr;
  ZeCode (*copy_region_)(ZeHandle list, void*, const Region*, unsigned pitch, unsigned plane_pitch,
                         const void*, const Region*, unsigned from_pitch, unsigned from_plane_pitch,
                         ZeHandle signal, unsigned, ZeHandle* waits) = nullptr;
  ZeCode (*append_barrier_)(ZeHandle list, ZeHandle signal, unsigned, ZeHandle* waits) = nullptr;
  ZeCode (*synchronise_)(ZeHandle list, uint64_t timeout_ns) = nullptr;
  ZeCode (*create_pool_)(ZeHandle context, const EventPoolDescription*, unsigned, ZeHandle* devices,
                         ZeHandle* pool) = nullptr;
  ZeCode (*destroy_pool_)(ZeHandle pool) = nullptr;
  ZeCode (*create_event_)(ZeHandle pool, const EventDescription*, ZeHandle* event) = nullptr;
  ZeCode (*destroy_event_)(ZeHandle event) = nullptr;
  ZeCode (*signal_)(ZeHandle event) = nullptr;
  ZeCode (*reset_)(ZeHandle event) = nullptr;
  ZeCode (*wait_for_event_)(ZeHandle event, uint64_t timeout_ns) = nullptr;
  ZeCode (*get_extension_)(ZeHandle driver, const char* name, void** function) = nullptr;

  mutable std::atomic<const AllBelow*> below_ = nullptr;
};

}  // namespace

const GpuDriver* find_level_zero() {
  return use_loaded<LevelZero>("libze_loader.so.1");
}

}  // namespace concilio
