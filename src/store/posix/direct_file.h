// An open file as GPUDirect Storage has it: by a descriptor of its own, with O_DIRECT, that cuFile knows. To
// the page cache its transfers are like any others with O_DIRECT: what the cache holds for the file is
// written first, and pages of what was written are dropped, or made anew where that cannot be.
#pragma once

#include <atomic>
#include <mutex>

#include "base/gpu/device_stream.h"
#include "base/system/descriptor.h"
#include "store/posix/posix.h"

namespace concilio::store {

class DirectFile {
 public:
  DirectFile() = default;
  DirectFile(const DirectFile&) = delete;
  ~DirectFile() { close(); }

  // Opens the file of the descriptor anew. Whether that works is found out once.
  bool open(int descriptor, const OpenMode& mode, const DeviceStream& stream, const SyscallHook& hook);
  // As StoreFile::move_directly(), for a file that was opened; `path` is for messages.
  Result<int64_t> move(Operation operation, const DeviceStream& stream, const Transfer& transfer,
                       const std::string& path, const SyscallHook& hook);
  void close();

 private:
  bool add(const DeviceStream& stream);
  Result<int64_t> limit(Operation operation, const Transfer& transfer) const;

  std::mutex opening_;
  bool tried_ = false;
  std::atomic<bool> failed_ = false;  // cuFile could not move bytes of it
  Descriptor descriptor_;
  const CuFile* cufile_ = nullptr;
  void* file_ = nullptr;  // cuFile's name of it; nullptr: it is not open
};

}  // namespace concilio::store
