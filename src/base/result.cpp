#include "base/result.h"

#include <cerrno>
#include <cstring>
#include <new>

namespace concilio {

namespace {

// There are two forms of strerror_r: one returns the text, the other fills the buffer. These overloads accept
// either result.
[[maybe_unused]] const char* text_of(const char* returned, const char*) {
  return returned;
}
[[maybe_unused]] const char* text_of(int failed, const char* buffer) {
  return failed ? "unknown error" : buffer;
}

std::string describe_errno(int system_errno) {
  char buffer[256] = "";
  return text_of(strerror_r(system_errno, buffer, sizeof buffer), buffer);
}

}  // namespace

void Error::copy_message(const Error& other) noexcept {
  try {
    message = other.message;
  } catch (const std::bad_alloc&) {
    message = no_room;
  }
}

ErrorKind Error::kind_of_errno(int system_errno) {
  switch (system_errno) {
    case 0:
      return ErrorKind::none;
    case ENOENT:
      return ErrorKind::no_such_file;
    case EEXIST:
      return ErrorKind::file_exists;
    case EISDIR:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
    case ENXIO:
    case ENODEV:
    case ESPIPE:
      return ErrorKind::bad_file;
    case EACCES:
    case EPERM:
      return ErrorKind::access;
    case ENOSPC:
    case EFBIG:
      return ErrorKind::no_space;
    case EDQUOT:
      return ErrorKind::quota;
    case EROFS:
      return ErrorKind::read_only;
    case EBUSY:
    case ETXTBSY:
    case EAGAIN:
      return ErrorKind::file_in_use;
    case EIO:
    case ESTALE:
    case EREMOTEIO:
    case ETIMEDOUT:
      return ErrorKind::io;
    case EBADF:  // from reading a descriptor that is open for writing only, and the reverse
      return ErrorKind::access_mode;
    case EINVAL:
    case EOVERFLOW:
      return ErrorKind::argument;
    case ENOMEM:
      return ErrorKind::no_memory;
    case ENOSYS:
    case EOPNOTSUPP:
    case ENOLCK:
      return ErrorKind::unsupported;
    default:
      return ErrorKind::other;
  }
}

Error Error::from_errno(int system_errno, const std::string& what) {
  return Error{kind_of_errno(system_errno), system_errno, what + ": " + describe_errno(system_errno)};
}

}  // namespace concilio
