// A constant that is there from its first use to the end of the process, and is never destroyed. It takes no
// memory but its own place, so that a call of all ranks, in which it may be used for the first time, cannot
// fail for want of it on one of them.
#pragma once

#include <cstddef>
#include <new>
#include <utility>

namespace concilio {

// For `static const Permanent<T> name(arguments)`. T's constructor must not need memory either.
template <typename T>
class Permanent {
 public:
  template <typename... Arguments>
  explicit Permanent(Arguments&&... arguments) {
    new (place_) T(std::forward<Arguments>(arguments)...);
  }
  Permanent(const Permanent&) = delete;
  const T& operator*() const { return *std::launder(reinterpret_cast<const T*>(place_)); }

 private:
  alignas(T) std::byte place_[sizeof(T)];
};

}  // namespace concilio
