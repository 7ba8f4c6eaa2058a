// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <utility>

namespace concilio {

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { (void)close(); }

  int number() const { return number_; }  // -1: none
  explicit operator bool() const { return number_ >= 0; }
  // 0, or the errno of what closing brought to light. The descriptor is gone either way.
  int close() {
    const int number = std::exchange(number_, -1);
    // EINTR: it is closed all the same, and its number may already be another thread's.
    return number >= 0 && ::close(number) != 0 && errno != EINTR ? errno : 0;
  }

 private:
  int number_;
};

}  // namespace concilio
