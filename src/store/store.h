// The small interface to storage. Everything Concilio reads or writes goes through a StoreFile; wrappers
// trace, throttle and inject faults. Offsets and lengths are bytes. Thread-safe: several threads may use one
// StoreFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace concilio {

// One contiguous transfer between memory and the file. length >= 0.
struct Transfer {
  int64_t offset;
  std::byte* data;
  int64_t length;
};

struct OpenMode {
  bool read = true, write = false;
  bool create = false, exclusive = false;
  int permissions = 0666;  // of a file that is created, less the umask
};

enum class LockMode { shared, exclusive };

// What storage the file lies on, for planning. 0: unknown.
struct StorageLayout {
  enum class Kind {
    local,
    memory,
    network,
    parallel,
    unknown
  };  // ext4 and the like; tmpfs; NFS, SMB; FUSE, Lustre, GPFS...
  Kind kind = Kind::unknown;
  // Of a local one: whether its device has a head to move.
  enum class Medium { unknown, solid, rotational };
  Medium medium = Medium::unknown;
  std::string name;  // of the file-system type, "ext4"
  int64_t block_bytes = 0;
  int64_t stripe_bytes = 0;
  int64_t stripe_targets = 0;
};

class StoreFile {
 public:
  virtual ~StoreFile() = default;

  // Reads the transfers in turn. Stops at end of file; returns the bytes read before it, counted along the
  // transfers (which are in ascending order of offset): memory behind that is untouched.
  virtual Result<int64_t> read(std::span<const Transfer> transfers) = 0;
  // Writes all or fails.
  virtual Status write(std::span<const Transfer> transfers) = 0;
  // The same with many requests under way at once, in no order, where the storage can: transfers ascend and
  // do not overlap. After a failure any of them may have been made; the error is that of the first that
  // failed, in file order.
  virtual Result<int64_t> read_at_once(std::span<const Transfer> transfers) { return read(transfers); }
  virtual Status write_at_once(std::span<const Transfer> transfers) { return write(transfers); }
  // Waits at most timeout_ms for a lock on [offset, offset + length), kind file_in_use if it was not to be
  // had and unsupported where this storage has no working locks. A lock belongs to this StoreFile.
  virtual Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) = 0;
  virtual Status unlock(int64_t offset, int64_t length) = 0;
  virtual Status sync() = 0;  // all that was written has reached the storage
  virtual Result<int64_t> size() = 0;
  virtual Status resize(int64_t size) = 0;
  virtual Status preallocate(int64_t size) = 0;  // space for [0, size); never shrinks, contents stay
  virtual Result<StorageLayout> layout() = 0;

  Result<int64_t> read(Transfer transfer) { return read(std::span(&transfer, 1)); }
  Status write(Transfer transfer) { return write(std::span(&transfer, 1)); }
};

class Store {
 public:
  virtual ~Store() = default;
  virtual Result<std::unique_ptr<StoreFile>> open(const std::string& path, const OpenMode& mode) = 0;
  virtual Status remove(const std::string& path) = 0;
};

}  // namespace concilio
