#include "want_of_memory.h"

#include <cerrno>
#include <cstddef>
#include <new>

namespace adversary {
namespace {

int64_t left = 0;  // until one fails; 0: none will
bool one_failed = false;

bool fails() {
  if (left == 0 || --left > 0) return false;
  one_failed = true;
  errno = ENOMEM;
  return true;
}

}  // namespace

void let_allocation_fail(int64_t number) {
  left = number;
  one_failed = false;
}

bool let_allocations_succeed() {
  left = 0;
  return one_failed;
}

}  // namespace adversary

// The names that the linker's --wrap asks for.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {

void* __real_malloc(size_t bytes);
void* __real_calloc(size_t count, size_t bytes);
void* __real_realloc(void* old, size_t bytes);
void* __real_aligned_alloc(size_t alignment, size_t bytes);
int __real_posix_memalign(void** result, size_t alignment, size_t bytes);
void* __real__Znwm(size_t bytes);
void* __real__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag);
void* __real__ZnwmSt11align_val_t(size_t bytes, std::align_val_t alignment);

void* __wrap_malloc(size_t bytes) {
  return adversary::fails() ? nullptr : __real_malloc(bytes);
}
void* __wrap_calloc(size_t count, size_t bytes) {
  return adversary::fails() ? nullptr : __real_calloc(count, bytes);
}
void* __wrap_realloc(void* old, size_t bytes) {
  return adversary::fails() ? nullptr : __real_realloc(old, bytes);
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) {
  return adversary::fails() ? nullptr : __real_aligned_alloc(alignment, bytes);
}
int __wrap_posix_memalign(void** result, size_t alignment, size_t bytes) {
  return adversary::fails() ? ENOMEM : __real_posix_memalign(result, alignment, bytes);
}
void* __wrap__Znwm(size_t bytes) {
  if (adversary::fails()) throw std::bad_alloc();
  return __real__Znwm(bytes);
}
void* __wrap__ZnwmRKSt9nothrow_t(size_t bytes, const std::nothrow_t& tag) {
  return adversary::fails() ? nullptr : __real__ZnwmRKSt9nothrow_t(bytes, tag);
}
void* __wrap__ZnwmSt11align_val_t(size_t bytes, std::align_val_t alignment) {
  if (adversary::fails()) throw std::bad_alloc();
  return __real__ZnwmSt11align_val_t(bytes, alignment);
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
