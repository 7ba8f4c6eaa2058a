#include "base/system/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "base/system/descriptor.h"
#include "base/text/bytes.h"

namespace concilio {
namespace {

Error failure(int system_errno) {
  return Error::from_errno(system_errno, "it cannot be read");
}

// Reads `in` to its end, but not more than `most_bytes`, and returns `text` with that appended. It does not
// ask for the file's size, since some file systems do not know how much a file holds. Nearly all files that
// are read are small, and the room for a piece is filled with zeros first, so pieces begin small and grow.
Result<std::string> read_until_end(const Descriptor& in, int64_t most_bytes, std::string text = {}) {
  constexpr size_t first_bytes = 4 << 10, most_piece_bytes = 256 << 10;
  while (std::ssize(text) < most_bytes) {
    const size_t done = text.size();
    const size_t piece_bytes = std::clamp(done, first_bytes, most_piece_bytes);
    text.resize(done + std::min(piece_bytes, static_cast<size_t>(most_bytes) - done));
    const ssize_t got = read(in.number(), text.data() + done, text.size() - done);
    text.resize(done + static_cast<size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(errno);
    if (got == 0) break;
  }
  return text;
}

}  // namespace

Result<std::string> read_file(const std::string& path, int64_t most_bytes) {
  const Descriptor in(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status;
  if (!in || fstat(in.number(), &status) != 0) return failure(errno);
  if (!S_ISREG(status.st_mode)) return Error{ErrorKind::bad_file, 0, "it is not a regular file"};
  if (status.st_size > most_bytes)
    return Error{ErrorKind::bad_file, 0, fmt::format("it is larger than {}", format_bytes(most_bytes))};
  std::string text;
  text.reserve(static_cast<size_t>(most_bytes));
  return read_until_end(in, most_bytes, std::move(text));
}

Result<std::string> read_all(const std::string& path) {
  const Descriptor in(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!in) return failure(errno);
  return read_until_end(in, std::numeric_limits<int64_t>::max());
}

}  // namespace concilio
