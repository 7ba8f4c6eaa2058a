#include "base/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/bytes.h"

namespace concilio {
namespace {

struct Descriptor {
  const int fd;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

}  // namespace

Result<std::string> read_file(const std::string& path, int64_t most_bytes) {
  const auto failure = [](int system_errno) { return Error::from_errno(system_errno, "it cannot be read"); };
  const Descriptor in{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  struct stat status;
  if (in.fd < 0 || fstat(in.fd, &status) != 0) return failure(errno);
  if (!S_ISREG(status.st_mode)) return Error{ErrorKind::bad_file, 0, "it is no regular file"};
  if (status.st_size > most_bytes)
    return Error{ErrorKind::bad_file, 0, fmt::format("it is larger than {}", format_bytes(most_bytes))};
  // Some file systems do not know how much they hold.
  std::string text(static_cast<size_t>(most_bytes), '\0');
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = read(in.fd, text.data() + done, text.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(errno);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  text.resize(done);
  return text;
}

}  // namespace concilio
