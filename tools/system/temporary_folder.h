// A folder for the time that a command runs.
#pragma once

#include <string>

#include "base/result.h"
#include "base/system/descriptor.h"

namespace concilio::tools {

// It is gone when this is. A command that is killed cannot remove its own. So its owner holds a lock of each
// such folder (flock(2), which ends with the process, however that ends), and whoever makes one removes those
// of this user in the same place that nobody holds.
class TemporaryFolder {
 public:
  // In `parent`. Its name is `prefix` and six characters.
  static Result<TemporaryFolder> make(const std::string& parent, const std::string& prefix);
  TemporaryFolder(TemporaryFolder&& other) noexcept = default;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }

 private:
  TemporaryFolder(std::string path, Descriptor held) : path_(std::move(path)), held_(std::move(held)) {}
  std::string path_;
  Descriptor held_;
};

}  // namespace concilio::tools
