// Integers as MPI hands them out, some of 4 bytes and some of 8, which are read in place. So a datatype of
// millions of blocks is decoded without a copy of its lists.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace concilio::pattern {

// A view, which must not outlive the integers that it shows.
class Numbers {
 public:
  Numbers() = default;
  template <std::signed_integral T>
  requires(sizeof(T) == 4 || sizeof(T) == 8) Numbers(std::span<const T> numbers)
      : first_(reinterpret_cast<const std::byte*>(numbers.data())),
        size_(numbers.size()),
        number_bytes_(sizeof(T)) {}
  template <std::signed_integral T>
  Numbers(const std::vector<T>& numbers) : Numbers(std::span<const T>(numbers)) {}

  size_t size() const { return size_; }
  int64_t operator[](size_t i) const { return number_bytes_ == 8 ? read<int64_t>(i) : read<int32_t>(i); }
  Numbers subspan(size_t begin, size_t count) const {
    Numbers part = *this;
    part.first_ += begin * number_bytes_;
    part.size_ = count;
    return part;
  }
  std::vector<int64_t> copy() const {
    std::vector<int64_t> all(size_);
    for (size_t i = 0; i < size_; ++i) all[i] = (*this)[i];
    return all;
  }

 private:
  template <typename T>
  T read(size_t i) const {
    T number;
    std::memcpy(&number, first_ + i * sizeof(T), sizeof(T));
    return number;
  }
  const std::byte* first_ = nullptr;
  size_t size_ = 0, number_bytes_ = 8;
};

}  // namespace concilio::pattern
