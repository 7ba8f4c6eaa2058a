// The interface to storage. Everything that Concilio reads or writes goes through a StoreFile. Wrappers
// trace, throttle and inject faults. Offsets and lengths are in bytes. It is thread-safe: several threads may
// use one StoreFile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/operation.h"
#include "base/result.h"
#include "store/mapping.h"

namespace concilio {
class DeviceStream;
}

namespace concilio::store {

// One contiguous transfer between memory and the file. length >= 0.
struct Transfer {
  int64_t offset;
  std::byte* data;
  int64_t length;
};

// Identifies a file, whatever its name leads to by now. A file keeps its identity while it is open.
struct FileIdentity {
  uint64_t device = 0;  // as this host numbers devices; 0: any
  uint64_t inode = 0;   // 0: not known
};
// Whether both may be the same file.
bool may_be_same(const FileIdentity& a, const FileIdentity& b);

// How a file that is created is to be striped, if its storage stripes files and lets its users choose
// (Lustre). 0: as the storage does by itself.
struct Striping {
  int64_t bytes = 0;
  int64_t targets = 0;  // -1: all that there are
  bool asked() const { return bytes != 0 || targets != 0; }
};

struct OpenMode {
  bool read = true, write = false;
  bool create = false, exclusive = false;
  int permissions = 0666;  // of a file that is created, before the umask
  // To open a file that is already open: its identity, and a descriptor of it, or -1. The descriptor must
  // allow these modes, and stays the caller's. With it, the path need not lead to the file any more. If it is
  // the descriptor of another process, in whose namespace of processes this one is, the open fails where that
  // does not help.
  FileIdentity same_as{};
  int descriptor = -1;
  int64_t process = 0;  // 0: this one
  Striping striping{};
};

enum class LockMode { shared, exclusive };

// What planning needs to know of the storage that the file lies on. 0 means unknown.
// What the storage's client on this machine keeps of a file, beside what the storage has. coherent: what
// others write is seen at once, as on local and on most parallel file systems. old_reads: pages and the size
// that were read may be old, even under a lock (FUSE). whole_pages: that too, but a lock brings them up to
// date; and what is written stays here until a lock ends, a sync or the close, and may then be written as a
// whole page (NFS, SMB).
enum class ClientCache : int64_t { coherent, old_reads, whole_pages };

struct StorageLayout {
  // In this order: ext4 and the like; tmpfs; NFS, SMB; FUSE, Lustre, GPFS and the like.
  enum class Kind { local, memory, network, parallel, unknown };
  Kind kind = Kind::unknown;
  // For local storage: whether its device has a head to move.
  enum class Medium { unknown, solid, rotational };
  Medium medium = Medium::unknown;
  bool uncached = false;       // every request reaches the device, since there is no page cache above it
  bool common_inodes = false;  // a file has the same inode number on all hosts that have this storage
  std::string name;            // name of the file-system type, "ext4"
  int64_t block_bytes = 0;
  int64_t stripe_bytes = 0;
  int64_t stripe_targets = 0;
  int64_t revoke_ns = 0;  // to get a stripe's lock from another client that wrote in the stripe
  int64_t open_ns = 0;    // of an open, of the server that opens files for all clients
  ClientCache client_cache = ClientCache::coherent;
};

class StoreFile {
 public:
  virtual ~StoreFile() = default;

  // Reads the transfers one after another. Stops at the end of the file, and returns the bytes that were read
  // before it, counted along the transfers (which are in ascending order of offset). Memory behind these
  // stays untouched.
  virtual Result<int64_t> read(std::span<const Transfer> transfers) = 0;
  // Writes all or fails.
  virtual Status write(std::span<const Transfer> transfers) = 0;
  // The same with many requests under way at once, in any order, where the storage can do that. Transfers
  // must be in ascending order and must not overlap. After a failure any of them may have been made. The
  // error is that of the first one that failed, in file order.
  virtual Result<int64_t> read_at_once(std::span<const Transfer> transfers) { return read(transfers); }
  virtual Status write_at_once(std::span<const Transfer> transfers) { return write(transfers); }
  // Waits at most timeout_ms for a lock on [offset, offset + length). Fails with kind file_in_use if it was
  // not to be had, and with unsupported if this storage has no working locks. A lock belongs to this
  // StoreFile. A caller that waits gets its turn in the end, whoever else wants the range; with a timeout of
  // 0 it does not wait.
  virtual Status lock(int64_t offset, int64_t length, LockMode mode, int64_t timeout_ms) = 0;
  virtual Status unlock(int64_t offset, int64_t length) = 0;
  virtual Status sync() = 0;  // afterwards, all that was written has reached the storage
  // Afterwards, other clients can see what was written, even if this client caches pages.
  virtual Status flush() { return {}; }
  // Afterwards, reads of [offset, offset + length) and of the size see what other clients have brought to the
  // storage, even if this client caches pages. A length of 0: to the end of the file.
  virtual Status refresh(int64_t /*offset*/, int64_t /*length*/) { return {}; }
  virtual Result<int64_t> size() = 0;
  virtual Status resize(int64_t size) = 0;
  // Allocates space for [0, size). Never shrinks the file; contents stay.
  virtual Status preallocate(int64_t size) = 0;
  virtual Result<StorageLayout> layout() = 0;
  // Closes the file. Only its destruction may follow. It is closed and its locks are released whatever this
  // returns; an error means that the storage could not keep what was written.
  virtual Status close() { return {}; }

  // The file's identity, and a descriptor of it, if the storage has these.
  virtual FileIdentity identity() { return {}; }
  virtual int descriptor() { return -1; }
  // The descriptor if requests of this kind are allowed and are nothing but system calls for it; else -1.
  virtual int descriptor_of_plain(Operation) { return -1; }

  // Whether map() may work here, and make_space() too if bytes are to be written.
  virtual bool can_map(bool /*write*/) { return false; }
  // Allocates space for [offset, offset + length) for good, so that writing there needs no more. If the file
  // ended before the range's end, it ends there afterwards. Contents stay. Fails with kind unsupported where
  // this storage cannot do it.
  virtual Status make_space(int64_t offset, int64_t length);
  // Returns [offset, offset + length), at least one byte, as memory whose pages are present. The range must
  // lie in the file, and, if it is to be written, in space that was made. Fails with kind unsupported where
  // that cannot be done, or no longer; plain requests are then the way to go, and they report what is wrong.
  virtual Result<Mapping> map(int64_t offset, int64_t length, bool write);

  // Whether move_directly() may work for the GPU that the stream is of.
  virtual bool reaches(const DeviceStream& /*stream*/) { return false; }
  // Moves bytes between the file and memory of that GPU, whose address the transfer has, without the host's
  // memory. Nothing that was given to streams may still be using that memory. Address, offset and length must
  // be multiples of CuFile::unit. Returns how many bytes it has moved, a multiple of it too, and maybe 0; the
  // others are to be moved in other ways, also those at the end of a file.
  virtual Result<int64_t> move_directly(Operation, const DeviceStream&, const Transfer&) { return 0; }

  Result<int64_t> read(Transfer transfer) { return read(std::span(&transfer, 1)); }
  Status write(Transfer transfer) { return write(std::span(&transfer, 1)); }
};

class Store {
 public:
  virtual ~Store() = default;
  virtual Result<std::unique_ptr<StoreFile>> open(const std::string& path, const OpenMode& mode) = 0;
  // If the path leads to a file other than `same_as`, that file stays, and the call fails with kind
  // no_such_file.
  virtual Status remove(const std::string& path, const FileIdentity& same_as) = 0;
  Status remove(const std::string& path) { return remove(path, {}); }
};

}  // namespace concilio::store
