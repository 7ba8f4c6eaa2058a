#include "mpi/shared_segment.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <random>
#include <utility>

namespace concilio {
namespace {

Result<std::byte*> map(int64_t bytes, int flags, int descriptor, const std::string& what) {
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, flags, descriptor, 0);
  if (data == MAP_FAILED)
    return Error::from_errno(errno, fmt::format("cannot map {} bytes of {}", bytes, what));
  return static_cast<std::byte*>(data);
}

}  // namespace

Result<SharedSegment> SharedSegment::make_private(int64_t bytes) {
  auto data = map(bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1, "memory");
  if (!data) return data.error();
  SharedSegment segment;
  segment.data_ = *data;
  segment.bytes_ = bytes;
  return segment;
}

Result<SharedSegment> SharedSegment::create(int64_t bytes) {
  static std::atomic<uint32_t> serial{0};
  static const uint64_t salt = std::random_device{}();
  SharedSegment segment;
  segment.name_ = fmt::format("/concilio-{}-{:x}-{}", getpid(), salt, serial.fetch_add(1));
  int descriptor = shm_open(segment.name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    Error error = Error::from_errno(errno, "cannot create shared memory " + segment.name_);
    segment.name_.clear();
    return error;
  }
  int failed = 0;
  do {
    failed = posix_fallocate(descriptor, 0, bytes);
  } while (failed == EINTR);
  if (failed) {
    close(descriptor);
    segment.remove_name();
    return Error{ErrorKind::no_memory, failed,
                 fmt::format("cannot reserve {} bytes of shared memory (/dev/shm full?)", bytes)};
  }
  auto data = map(bytes, MAP_SHARED, descriptor, segment.name_);
  close(descriptor);
  if (!data) {
    segment.remove_name();
    return data.error();
  }
  segment.data_ = *data;
  segment.bytes_ = bytes;
  return segment;
}

Result<SharedSegment> SharedSegment::attach(const std::string& name, int64_t bytes) {
  int descriptor = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0);
  if (descriptor < 0) return Error::from_errno(errno, "cannot open shared memory " + name);
  auto data = map(bytes, MAP_SHARED, descriptor, name);
  close(descriptor);
  if (!data) return data.error();
  SharedSegment segment;
  segment.data_ = *data;
  segment.bytes_ = bytes;
  return segment;
}

SharedSegment::~SharedSegment() {
  remove_name();
  if (data_) munmap(data_, static_cast<size_t>(bytes_));
}

void SharedSegment::remove_name() {
  if (!name_.empty()) shm_unlink(name_.c_str());
  name_.clear();
}

void SharedSegment::abandon() {
  remove_name();
  data_ = nullptr;
  bytes_ = 0;
}

void SharedSegment::swap(SharedSegment& other) {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(name_, other.name_);
}

}  // namespace concilio
