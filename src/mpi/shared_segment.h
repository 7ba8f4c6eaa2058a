// Memory that several processes of one node share. The name it is made under is removed as soon as all have
// it, so that nothing stays behind however the program ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace concilio {

class SharedSegment {
 public:
  SharedSegment() = default;
  // Memory of this process alone.
  static Result<SharedSegment> make_private(int64_t bytes);
  // Zero-filled shared memory under a fresh name. The space is reserved: kind no_memory now, not a signal
  // later.
  static Result<SharedSegment> create(int64_t bytes);
  static Result<SharedSegment> attach(const std::string& name, int64_t bytes);

  SharedSegment(SharedSegment&& other) noexcept { swap(other); }
  SharedSegment& operator=(SharedSegment&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedSegment();

  void remove_name();  // the memory stays
  // The memory stays mapped until the process ends, for somebody who may still use it.
  void abandon();
  std::byte* data() const { return data_; }
  int64_t size() const { return bytes_; }
  const std::string& name() const { return name_; }

 private:
  void swap(SharedSegment& other);
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  std::string name_;
};

}  // namespace concilio
