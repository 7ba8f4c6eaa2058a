// A file descriptor that is closed when its owner is destroyed.
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
  // Returns 0, or the errno of an error that came to light only now. The descriptor is closed either way.
  int close() {
    const int number = std::exchange(number_, -1);
    // On EINTR, Linux has closed the descriptor all the same, and another thread may already have its number.
    // So the call must not be repeated.
    return number >= 0 && ::close(number) != 0 && errno != EINTR ? errno : 0;
  }

 private:
  int number_;
};

}  // namespace concilio
