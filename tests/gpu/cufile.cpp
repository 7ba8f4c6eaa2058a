// Stands in for NVIDIA's GPUDirect Storage, for memory of the stand-in for NVIDIA's driver. It has the
// functions that Concilio uses, and is stricter than cuFile: a context must be current, files must be open
// with O_DIRECT, and all must be multiples of 4096. It waits for no stream, so that what a program has given
// one is not seen. As with O_DIRECT, a read at the end of a file changes the memory up to the block's end.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int success = 0, io_not_supported = 5008, pointer_range_error = 5014, context_mismatch = 5015,
              direct_not_set = 5020, invalid_value = 5022, not_registered = 5027;
constexpr size_t block = 4096;

struct Answer {  // CUfileError_t
  int code, cuda_code;
};
struct Description {  // CUfileDescr_t
  int kind;
  union {
    int descriptor;
    void* handle;
  };
  const void* operations;
};
struct File {
  int descriptor;
};

std::mutex mutex;
std::set<File*>& files() {
  static auto* all = new std::set<File*>;
  return *all;
}
std::atomic<bool> refusing = false, losing = false;
std::atomic<int> registrations = 0, requests = 0, failing = 0, failing_code = 0, most_bytes = 0;
std::atomic<int64_t> moved_bytes = 0;

template <typename Function>
Function* of_cuda(const char* name) {
  return reinterpret_cast<Function*>(dlsym(dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), name));
}

bool has_context() {
  void* current = nullptr;
  of_cuda<int(void**)>("cuCtxGetCurrent")(&current);
  return current != nullptr;
}

// Moves the bytes by move(descriptor, memory, length), or says why not, as cuFile does.
template <typename Move>
ssize_t transfer(void* handle, const void* device, size_t length, off_t offset, off_t device_offset,
                 Move move) {
  ++requests;
  if (failing > 0 && --failing == 0) {
    if (failing_code < 0) return failing_code;
    errno = failing_code;
    return -1;
  }
  auto* file = static_cast<File*>(handle);
  {
    const std::lock_guard lock(mutex);
    if (!files().contains(file)) return -not_registered;
  }
  if (!has_context()) return -context_mismatch;
  const auto address = reinterpret_cast<uintptr_t>(device) + static_cast<uintptr_t>(device_offset);
  if (address % block != 0 || length % block != 0 || static_cast<size_t>(offset) % block != 0)
    return -invalid_value;
  std::byte* memory = of_cuda<std::byte*(uintptr_t, size_t)>("gpu_reach")(address, length);
  if (!memory) return -pointer_range_error;
  const size_t most = most_bytes > 0 ? static_cast<size_t>(most_bytes) : length;
  const ssize_t moved = move(file->descriptor, memory, std::min(length, most));
  if (moved > 0) moved_bytes += moved;
  return moved;
}

// The kernel has pages of old bytes in its cache, which it could not drop when the file was written.
ssize_t lose(int descriptor, size_t bytes, off_t offset) {
  std::vector<std::byte> old(bytes);
  const std::string name = "/proc/self/fd/" + std::to_string(descriptor);
  const int cached = open(name.c_str(), O_RDONLY);
  const ssize_t got = pread(cached, old.data(), bytes, offset);
  close(cached);
  return got < 0 ? got : static_cast<ssize_t>(bytes);
}

}  // namespace

extern "C" {

Answer cuFileHandleRegister(void** handle, const Description* description) {
  ++registrations;
  if (refusing) return {io_not_supported, 0};
  if (!has_context()) return {context_mismatch, 0};
  if (description->kind != 1 || description->operations) return {invalid_value, 0};
  if ((fcntl(description->descriptor, F_GETFL) & O_DIRECT) == 0) return {direct_not_set, 0};
  auto* file = new File{description->descriptor};
  const std::lock_guard lock(mutex);
  files().insert(file);
  *handle = file;
  return {success, 0};
}

void cuFileHandleDeregister(void* handle) {
  const std::lock_guard lock(mutex);
  files().erase(static_cast<File*>(handle));
  delete static_cast<File*>(handle);
}

ssize_t cuFileRead(void* handle, void* device, size_t length, off_t offset, off_t device_offset) {
  return transfer(handle, device, length, offset, device_offset,
                  [&](int descriptor, std::byte* memory, size_t bytes) {
                    const ssize_t got = pread(descriptor, memory, bytes / block * block, offset);
                    if (got < 0) return got;
                    const size_t behind = (block - static_cast<size_t>(got) % block) % block;
                    std::memset(memory + got, 0xEE, behind);
                    return got;
                  });
}

// A shorter write than a block is made as cuFile would, by memory of its own.
ssize_t cuFileWrite(void* handle, const void* device, size_t length, off_t offset, off_t device_offset) {
  return transfer(handle, device, length, offset, device_offset,
                  [&](int descriptor, const std::byte* memory, size_t bytes) {
                    if (losing) return lose(descriptor, bytes, offset);
                    const ssize_t put =
                        pwrite(descriptor, memory, (bytes + block - 1) / block * block, offset);
                    return std::min(put, static_cast<ssize_t>(bytes));
                  });
}

// For tests. How many files are registered, and how often one was to be; how many requests there were, and
// how many bytes they moved.
int cufile_files() {
  const std::lock_guard lock(mutex);
  return static_cast<int>(files().size());
}
int cufile_registrations() {
  return registrations;
}
int cufile_requests() {
  return requests;
}
int cufile_moved_bytes() {
  return static_cast<int>(moved_bytes);
}
// Whether files are refused from now on.
void cufile_refuse(int whether) {
  refusing = whether != 0;
}
// Request number `which` from now fails, where 1 is the next one: with an errno, or with a negative code of
// cuFile's.
void cufile_fail(int which, int code) {
  failing_code = code;
  failing = which;
}
// Whether the page cache wins over what is written from now on, as it may where others write bytes beside it.
void cufile_lose(int whether) {
  losing = whether != 0;
}
// Requests move no more than this; 0: all that is asked for.
void cufile_shorten(int bytes) {
  most_bytes = bytes;
}

}  // extern "C"
