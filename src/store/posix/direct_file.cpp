#include "store/posix/direct_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/checked.h"
#include "base/exceptions.h"
#include "base/gpu/cufile.h"
#include "base/log.h"
#include "store/progress.h"

namespace concilio::store {
namespace {

constexpr int64_t most_direct_bytes = most_call_bytes / CuFile::unit * CuFile::unit;

// What a program prints must not go to the file, if it has closed its standard streams.
Descriptor behind_the_standard_streams(Descriptor made) {
  if (made.number() > STDERR_FILENO || !made) return made;
  return Descriptor(fcntl(made.number(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1));
}

// With these errnos another way may work: the file system wants another alignment, or has no such transfers.
bool is_refusal(int system_errno) {
  return system_errno == EINVAL || system_errno == EOPNOTSUPP;
}

// Whether the page cache has some of these bytes, at least one, as a whole page. If that cannot be found out,
// it may have.
bool are_cached(int descriptor, int64_t offset, int64_t length) {
  constexpr int64_t window_bytes = 16 << 20, smallest_page_bytes = 4096;
  const int64_t page_bytes = sysconf(_SC_PAGESIZE), end = offset + length;
  std::array<unsigned char, window_bytes / smallest_page_bytes> present;
  for (int64_t begin = align_down(offset, page_bytes); begin < end; begin += window_bytes) {
    const auto bytes = static_cast<size_t>(std::min(end - begin, window_bytes));
    void* const mapped = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, begin);
    if (mapped == MAP_FAILED) return true;
    const bool known = mincore(mapped, bytes, present.data()) == 0;
    munmap(mapped, bytes);
    const size_t pages = (bytes + static_cast<size_t>(page_bytes) - 1) / static_cast<size_t>(page_bytes);
    if (!known || std::any_of(present.begin(), present.begin() + static_cast<ptrdiff_t>(pages),
                              [](unsigned char flags) { return (flags & 1) != 0; }))
      return true;
  }
  return false;
}

}  // namespace

bool DirectFile::open(int descriptor, const OpenMode& mode, const DeviceStream& stream,
                      const SyscallHook& hook) {
  const std::lock_guard lock(opening_);
  if (tried_) return file_ != nullptr && !failed_;
  tried_ = true;
  if (hook && hook(StoreOperation::open, 0).system_errno != 0) return false;
  // To see its pages in the cache, the descriptor must be able to read.
  const int flags = O_DIRECT | O_CLOEXEC | (mode.write ? O_RDWR : O_RDONLY);
  descriptor_ = behind_the_standard_streams(
      Descriptor(::open(fmt::format("/proc/self/fd/{}", descriptor).c_str(), flags)));
  return descriptor_ && add(stream);
}

bool DirectFile::add(const DeviceStream& stream) {
  cufile_ = stream.cufile();
  Result<void*> added = Error{};
  const Status placed = stream.in_place(
      [&] { added = without_exceptions([&] { return cufile_->add(descriptor_.number()); }); });
  if (placed && added) {
    file_ = *added;
    return true;
  }
  log(LogLevel::info, "storage and the GPU exchange no bytes of a file themselves: {}",
      placed ? added.error().message : placed.error().message);
  (void)descriptor_.close();
  return false;
}

void DirectFile::close() {
  if (file_) cufile_->remove(file_);
  file_ = nullptr;
  (void)descriptor_.close();
}

// How many of the transfer's bytes may go directly. A read of the block in which the file ends would also
// change the memory behind the file's last byte.
Result<int64_t> DirectFile::limit(Operation operation, const Transfer& transfer) const {
  if (operation == Operation::write) return transfer.length;
  struct stat status;
  if (fstat(descriptor_.number(), &status) != 0) return Error::from_errno(errno, "cannot get a file's size");
  return std::clamp<int64_t>(align_down(status.st_size, CuFile::unit) - transfer.offset, 0, transfer.length);
}

Result<int64_t> DirectFile::move(Operation operation, const DeviceStream& stream, const Transfer& transfer,
                                 const std::string& path, const SyscallHook& hook) {
  const auto same = operation == Operation::read ? StoreOperation::read : StoreOperation::write;
  const auto length = limit(operation, transfer);
  if (!length) return length.error();
  int64_t done_bytes = 0;
  while (done_bytes < *length) {
    int64_t bytes = std::min(*length - done_bytes, most_direct_bytes);
    const SyscallOutcome injected = hook ? hook(same, bytes) : SyscallOutcome{};
    if (injected.most_bytes < bytes) bytes = align_down(injected.most_bytes, CuFile::unit);
    if (bytes == 0) break;
    const int64_t offset = transfer.offset + done_bytes;
    CuFile::Moved moved{0, injected.system_errno, 0};
    if (!moved.failed()) {
      const Status placed = stream.in_place(
          [&] { moved = cufile_->move(operation, file_, transfer.data + done_bytes, bytes, offset); });
      if (!placed) return placed.error();
    }
    if (moved.system_errno == EINTR) continue;
    if (is_refusal(moved.system_errno)) break;
    const StoreEvent event{same, path, offset, bytes};
    if (moved.system_errno != 0) return Error::from_errno(moved.system_errno, failure_text(event));
    // What cuFile cannot do, the other way may: it does all of the transfer again, and tells what is wrong
    // with the storage or the device.
    if (moved.code != 0) {
      log_once(LogLevel::warning,
               fmt::format("{} directly: {}; from now on the bytes of this file pass through the host",
                           failure_text(event), CuFile::words(moved.code)));
      failed_ = true;
      break;
    }
    // What a shorter transfer leaves of a block is moved again.
    const int64_t whole = align_down(moved.bytes, CuFile::unit);
    if (whole == 0) break;
    // A unit of the cache may be larger than a block. If somebody wrote to another block of it meanwhile, the
    // kernel could not drop it, and it may have the old bytes of this one. Then all are written once more, by
    // the cache.
    if (operation == Operation::write && are_cached(descriptor_.number(), offset, whole)) break;
    done_bytes += whole;
  }
  return done_bytes;
}

}  // namespace concilio::store
