#include "system/write_text.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>

namespace concilio::tools {

Status write_text(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return Error::from_errno(errno ? errno : EIO, "cannot write " + path);
  return {};
}

Status write_or_print(const std::string& path, const std::string& text) {
  if (path != "-") return write_text(path, text);
  fmt::print("{}", text);
  return {};
}

}  // namespace concilio::tools
