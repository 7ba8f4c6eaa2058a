// The folder where ranks keep what they count for their open files (base/live_record.h), so that `concilio
// run` can tell of a program that ended before it closed them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "summary/records.h"
#include "system/environment.h"

namespace concilio::tools {

// It is gone when this is.
class LiveFolder {
 public:
  // In memory, where there is a folder for that: a disk that is busy could hold up the ranks that count.
  static Result<std::unique_ptr<LiveFolder>> make(const Environment& environment);
  ~LiveFolder();
  LiveFolder(const LiveFolder&) = delete;
  LiveFolder& operator=(const LiveFolder&) = delete;

  const std::string& path() const { return path_; }
  // The files that ranks of this node had not closed, one record a name. `now_ns` is when the program ended.
  std::vector<FileRecord> open_files(int64_t now_ns) const;

 private:
  explicit LiveFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace concilio::tools
