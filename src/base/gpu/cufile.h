// NVIDIA's GPUDirect Storage: storage reads and writes the memory of a GPU, and the data do not pass through
// that of the host. Concilio uses the library (cuFile) that the program has loaded, and loads none.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/operation.h"
#include "base/result.h"

namespace concilio {

class CuFile {
 public:
  // Offsets, lengths and addresses that are multiples of this go to storage as they are. Others cuFile would
  // carry out by memory of its own, and would rewrite the bytes around what it writes.
  static constexpr int64_t unit = 4096;

  // nullptr unless the program has loaded it. Takes a few tens of nanoseconds.
  static const CuFile* loaded();

  // Makes an open file known, until remove(). Fails if cuFile does not support its file system. A context of
  // the device must be current in the calling thread for this and for move().
  Result<void*> add(int descriptor) const;
  void remove(void* file) const { remove_(file); }
  // Moves `bytes` bytes between the file and memory of a device. It does not wait for what streams have been
  // given.
  struct Moved {
    int64_t bytes = 0;     // how many it has moved; may be fewer
    int system_errno = 0;  // of a system call that failed
    int code = 0;          // of another failure
    bool failed() const { return system_errno != 0 || code != 0; }
  };
  Moved move(Operation operation, void* file, std::byte* device, int64_t bytes, int64_t offset) const;
  static std::string words(int code);

 private:
  struct Answer {  // CUfileError_t
    int code, cuda_code;
  };
  struct Description;
  bool use(void* library);
  static const CuFile* find();

  Answer (*add_)(void** file, const Description*) = nullptr;
  void (*remove_)(void* file) = nullptr;
  ssize_t (*read_)(void* file, void* device, size_t bytes, off_t offset, off_t device_offset) = nullptr;
  ssize_t (*write_)(void* file, const void* device, size_t bytes, off_t offset,
                    off_t device_offset) = nullptr;
};

}  // namespace concilio
