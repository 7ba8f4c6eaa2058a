// Result<T> holds a value or an Error. A function of Concilio's that can fail for a reason that a caller or a
// disk can cause returns a Result, and lets no exception out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace concilio {

// What went wrong, in classes that a caller can act on. Only `mpiio` maps them to MPI error classes.
enum class ErrorKind : int32_t {
  none = 0,
  no_such_file,
  file_exists,
  bad_file,  // a directory, a path component that is no directory, a name too long
  access,
  no_space,
  quota,
  read_only,
  file_in_use,
  io,
  access_mode,  // the operation does not fit the mode the file was opened with
  argument,
  count,
  datatype,
  communicator,
  not_same,  // arguments that must agree differ between ranks
  info_value,
  no_memory,
  unsupported,
  conversion,
  data_representation,
  duplicate_representation,
  communication,
  rank_lost,  // a process that other ranks wait for has ended
  not_yet,    // other ranks have not made their call yet; the program never sees it
  other,
};

struct Error {
  ErrorKind kind = ErrorKind::other;
  int system_errno = 0;  // 0: no system call failed
  std::string message;   // says what, where and why; one line, no full stop at its end

  Error() = default;
  Error(ErrorKind its_kind, int its_errno, std::string text) noexcept
      : kind(its_kind), system_errno(its_errno), message(std::move(text)) {}
  // A rank copies errors between steps that all ranks take together. So a copy cannot fail: where there is no
  // memory for the message, it has another.
  Error(const Error& other) noexcept : kind(other.kind), system_errno(other.system_errno) {
    copy_message(other);
  }
  Error(Error&&) noexcept = default;
  Error& operator=(const Error& other) noexcept { return *this = Error(other); }
  Error& operator=(Error&&) noexcept = default;
  // Stands for a message that there is no memory for. It is short enough for std::string's inline storage, so
  // making it allocates nothing.
  static constexpr const char* no_room = "no room to say";

  // The kind that an errno stands for, e.g. ENOSPC -> no_space.
  static ErrorKind kind_of_errno(int system_errno);
  // "WHAT: strerror(errno)".
  static Error from_errno(int system_errno, const std::string& what);

 private:
  void copy_message(const Error& other) noexcept;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }
  const Error& error() const { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace concilio
