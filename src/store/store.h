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
#include "store/mapping.h"

namespace concilio {

// One contiguous transfer between memory and the file. length >= 0.
struct Transfer {
  int64_t offset;
  std::byte* data;
  int64_t length;
};

// Which file a name led to, whatever it leads to by now. A file keeps it while it is open.
struct FileIdentity {
  uint64_t device = 0;  // as this host numbers devices; 0: any
  uint64_t inode = 0;   // 0: not known
};
// Whether both may be the same file.
bool may_be_same(const FileIdentity& a, const FileIdentity& b);

struct OpenMode {
  bool read = true, write = false;
  bool create = false, exclusive = false;
  int permissions = 0666;  // of a file that is created, less the umask
  // Where no other file will do than one that is open already: which it is, and a descriptor of it that has
  // these modes and stays the caller's, or -1. With one, the path need not lead to the file any more.
  FileIdentity same_as{};
  int descriptor = -1;
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
  bool uncached = false;       // every request reaches the device: there is no page cache between
  bool common_inodes = false;  // a file has the same inode number on all hosts that have this storage
  std::string name;            // of the file-system type, "ext4"
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
  // had and unsupported where this storage has no working locks. A lock belongs to this StoreFile. Who waits
  // has its turn in the end, whoever else wants the range; with a timeout of 0 nobody waits.
  virtual Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) = 0;
  virtual Status unlock(int64_t offset, int64_t length) = 0;
  virtual Status sync() = 0;  // all that was written has reached the storage
  // From here on reads see what other clients have brought to the storage, where this one keeps pages of its
  // own.
  virtual Status refresh() { return {}; }
  virtual Result<int64_t> size() = 0;
  virtual Status resize(int64_t size) = 0;
  virtual Status preallocate(int64_t size) = 0;  // space for [0, size); never shrinks, contents stay
  virtual Result<StorageLayout> layout() = 0;
  // Ends the file: nothing but its destruction may follow. It is closed and its locks are gone whatever this
  // returns; an error: the storage could not keep what was written.
  virtual Status close() { return {}; }

  // Which file this is, and a descriptor of it; none where the storage has no such thing.
  virtual FileIdentity identity() { return {}; }
  virtual int descriptor() { return -1; }

  // Whether map() and, where bytes are to be written, make_space() may be of use here.
  virtual bool can_map(bool /*write*/) { return false; }
  // Space of [offset, offset + length) for good, so that bytes written there need none; the file ends behind
  // it, or where it did. Contents stay. Kind unsupported where this storage cannot.
  virtual Status make_space(int64_t offset, int64_t length);
  // [offset, offset + length), of at least one byte, as memory whose pages are there. The range must lie in
  // the file; of what is to be written, in space that was made. Kind unsupported where that cannot be done,
  // or no longer, and requests of one's own are the way to go, which tell what is wrong.
  virtual Result<Mapping> map(int64_t offset, int64_t length, bool write);

  Result<int64_t> read(Transfer transfer) { return read(std::span(&transfer, 1)); }
  Status write(Transfer transfer) { return write(std::span(&transfer, 1)); }
};

class Store {
 public:
  virtual ~Store() = default;
  virtual Result<std::unique_ptr<StoreFile>> open(const std::string& path, const OpenMode& mode) = 0;
  // Where the path leads to another file than `same_as`, that stays: kind no_such_file.
  virtual Status remove(const std::string& path, const FileIdentity& same_as) = 0;
  Status remove(const std::string& path) { return remove(path, {}); }
};

}  // namespace concilio
