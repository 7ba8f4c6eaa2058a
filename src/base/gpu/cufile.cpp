#include "base/gpu/cufile.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>

#include "base/gpu/gpu_driver.h"
#include "base/system/loaded_libraries.h"

namespace concilio {
namespace {

struct CuFileWords {
  int code;
  const char* words;
};
// The library's own words are in its header only.
constexpr CuFileWords cufile_failures[] = {
    {5001, "its driver is not loaded"},
    {5004, "the version of its driver does not fit"},
    {5006, "its driver is closing"},
    {5007, "it does not support this machine"},
    {5008, "it does not support this file system"},
    {5009, "it does not support this GPU"},
    {5010, "its driver failed"},
    {5011, "CUDA failed"},
    {5012, "the address is not of a GPU's memory"},
    {5013, "it does not support this kind of memory"},
    {5014, "the range is longer than the memory"},
    {5015, "the memory belongs to another context"},
    {5018, "it does not support this kind of file"},
    {5019, "it does not support how the file was opened"},
    {5020, "the file was not opened with O_DIRECT"},
    {5022, "a value is invalid"},
    {5025, "permission is denied"},
    {5027, "the file is not registered"},
    {5030, "it failed inside"},
    {5036, "it cannot pin memory of the GPU"},
};

}  // namespace

// CUfileDescr_t
struct CuFile::Description {
  int kind;
  union {
    int descriptor;
    void* handle;
  };
  const void* operations;  // of a file system that the program provides
};

bool CuFile::use(void* library) {
  return look_up(library, "cuFileHandleRegister", add_) &&
         look_up(library, "cuFileHandleDeregister", remove_) && look_up(library, "cuFileRead", read_) &&
         look_up(library, "cuFileWrite", write_);
}

const CuFile* CuFile::find() {
  // The library stays open, so that the functions stay valid.
  void* library = dlopen("libcufile.so.0", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return nullptr;
  auto* made = new CuFile;
  if (made->use(library)) return made;
  delete made;
  return nullptr;
}

// As for drivers (device_memory.cpp), no lock of our own is held.
const CuFile* CuFile::loaded() {
  static std::atomic<const CuFile*> known = nullptr;
  static std::atomic<uint64_t> looked_at = 0;
  if (const CuFile* found = known) return found;
  const uint64_t loaded = libraries_loaded();
  if (loaded == looked_at.load(std::memory_order_acquire)) return nullptr;
  const CuFile *none = nullptr, *found = is_library_loaded("libcufile.so") ? find() : nullptr;
  if (!known.compare_exchange_strong(none, found)) delete found;  // another thread has found it too
  looked_at.store(loaded, std::memory_order_release);
  return known;
}

Result<void*> CuFile::add(int descriptor) const {
  constexpr int opaque_descriptor = 1;
  Description description{opaque_descriptor, {descriptor}, nullptr};
  void* file = nullptr;
  const Answer answer = add_(&file, &description);
  if (answer.code == 0) return file;
  return Error{ErrorKind::unsupported, 0, words(answer.code)};
}

// The values that the functions return are the number of bytes, -1 for a system call that failed, and the
// negative code of other failures.
CuFile::Moved CuFile::move(Operation operation, void* file, std::byte* device, int64_t bytes,
                           int64_t offset) const {
  const auto length = static_cast<size_t>(bytes);
  errno = 0;  // not every failed call sets it
  const ssize_t moved = operation == Operation::read ? read_(file, device, length, offset, 0)
                                                     : write_(file, device, length, offset, 0);
  if (moved >= 0) return {moved, 0, 0};
  if (moved == -1) return {0, errno != 0 ? errno : EIO, 0};
  return {0, 0, static_cast<int>(-moved)};
}

std::string CuFile::words(int code) {
  const auto* found = std::find_if(std::begin(cufile_failures), std::end(cufile_failures),
                                   [code](const CuFileWords& each) { return each.code == code; });
  if (found == std::end(cufile_failures)) return fmt::format("cuFile error {}", code);
  return fmt::format("{} (cuFile error {})", found->words, code);
}

}  // namespace concilio
