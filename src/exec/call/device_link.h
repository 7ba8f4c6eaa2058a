// How a call reaches a buffer in the memory of a GPU: by a stream of its own, and by host memory that data
// pass through where the device had better not copy them from or to where they belong.
#pragma once

#include "base/budget.h"
#include "base/function_ref.h"
#include "base/gpu/device_stream.h"
#include "base/gpu/pinned.h"
#include "pattern/copy.h"

namespace concilio::exec {

// concilio_gpu_kernel: whether pieces are put together by a kernel.
enum class GpuKernel : int32_t { automatic, always, never };

class DeviceLink {
 public:
  DeviceLink() = default;  // of a buffer in the host's memory
  DeviceLink(const DeviceLink&) = delete;
  explicit operator bool() const { return static_cast<bool>(stream_); }

  // Called when the program calls, so that what it has given its default stream before is seen.
  Status begin(const DeviceMemory& memory);
  // Makes the memory that data pass through: no more than most_bytes, and no more than serves a call of
  // call_bytes. Must be called before what follows; does nothing if there is enough.
  Status make_room(Budget& budget, int64_t most_bytes, int64_t call_bytes, GpuKernel kernel);

  // Whether it pays to pin memory that only this call uses.
  bool pays_to_pin() const { return pays_to_pin_; }

  // While it lives, copies reach this memory of the host without another copy, if that is better. Sides that
  // lie there have their data in ascending order. Nothing happens without a link.
  class Reach {
   public:
    Reach(DeviceLink* link, PinnedSlices& memory) : link_(link) {
      if (link_) link_->reached_ = &memory;
    }
    Reach(const Reach&) = delete;
    Reach& operator=(const Reach&) = delete;
    // Copies may still be under way after a failure.
    ~Reach() {
      if (!link_) return;
      (void)link_->finish();
      link_->reached_ = nullptr;
    }

   private:
    DeviceLink* const link_;
  };

  // Copies `bytes` bytes between the device's side and the host's, towards one of them.
  Status copy(Towards towards, const pattern::Side& device, const pattern::Side& host, int64_t bytes);
  // The same, but the copy may still go on afterwards, until finish() or until wait() for a mark that was set
  // behind it. If it fails, nothing goes on.
  Status begin_copy(Towards towards, const pattern::Side& device, const pattern::Side& host, int64_t bytes);
  // Whether all of the last one goes on by itself, and nothing of it was left to the CPU.
  bool went_straight() const { return straight_; }
  Status mark(size_t which) { return stream_.mark(which); }
  Status wait(size_t which) { return stream_.wait(which); }
  Status finish() { return stream_.wait_for_all(); }
  // The same as copy() for two sides that the driver's copies fit: the host's memory is contiguous, or has as
  // large pieces as the device's.
  Status copy_straight(Towards towards, const pattern::Side& device, const pattern::Side& host,
                       int64_t bytes);

  // Calls use(part, memory) for the data [0, bytes) of the device's side, counted from its position, part by
  // part. If they go towards the host, `memory` holds the part's data, packed; else use() puts them there.
  // While it works on one part, the device copies another. use() returns how many bytes it has moved; if
  // these are fewer than the part has, it was the last. Returns the sum.
  using Use = FunctionRef<Result<int64_t>(pattern::Interval part, std::byte* memory)>;
  Result<int64_t> in_parts(Towards towards, const pattern::Side& device, int64_t bytes, Use use);
  // The same towards the device, for a use() that may leave out bytes anywhere: `memory` holds what the
  // device has, and parts of which fewer bytes were moved are not the last.
  Result<int64_t> in_parts_with_gaps(const pattern::Side& device, int64_t bytes, Use use);

 private:
  class UntilAllIsCopied;
  Status begin_copies(Towards towards, const pattern::Side& device, const pattern::Side& host, int64_t bytes);
  Status begin_packed(Towards towards, pattern::Side device, pattern::Interval part, size_t half);
  Result<int64_t> parts_to_host(const pattern::Side& device, int64_t bytes, Use use);
  Result<int64_t> parts_to_device(const pattern::Side& device, int64_t bytes, Use use);
  Result<int64_t> parts_to_host_and_back(const pattern::Side& device, int64_t bytes, Use use);
  bool goes_straight(const pattern::Side& device, const pattern::Side& host, int64_t bytes);
  bool kernel_packs(double copies, int64_t bytes);
  bool load_kernel();
  void begin_parts(const pattern::Side& device, int64_t bytes);
  int64_t end_of_part(const pattern::Side& device, int64_t begin, int64_t bytes) const;
  Result<bool> begin_by_kernel(Towards towards, const pattern::Side& device, int64_t bytes, size_t half);
  Status begin_copy_in_slice(Towards towards, const pattern::Side& device, const pattern::Side& host,
                             int64_t bytes, bool pinned);
  void pin_room();
  Status copy_by_parts(Towards towards, const pattern::Side& device, const pattern::Side& host,
                       int64_t bytes);
  std::byte* half(size_t which) const { return room_.data() + static_cast<int64_t>(which) * half_bytes_; }

  DeviceMemory memory_;
  DeviceStream stream_;
  Budget* budget_ = nullptr;
  Buffer room_;  // two halves, which parts alternate in
  int64_t half_bytes_ = 0;
  bool pays_to_pin_ = false, tried_to_pin_ = false;
  Pinned pinned_room_;  // must go before the memory
  PinnedSlices* reached_ = nullptr;
  bool straight_ = false;

  // The kernel that packs and unpacks. Then each half holds data, and behind them the lists of their pieces.
  GpuKernel wish_ = GpuKernel::automatic;
  int64_t call_bytes_ = 0;
  enum class Kernel { untried, loaded, none } kernel_ = Kernel::untried;
  bool by_kernel_ = false;  // in the parts that are under way
};

}  // namespace concilio::exec
