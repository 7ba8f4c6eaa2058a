// The folder where ranks keep what they count for their open files (base/activity/live_record.h), so that
// `concilio run` can tell of a program that ended before it closed them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "summary/records.h"
#include "system/environment.h"
#include "system/temporary_folder.h"

namespace concilio::tools {

// It is gone when this is.
class LiveFolder {
 public:
  // In memory, where there is a folder for that: a disk that is busy could hold up the ranks that count.
  static Result<LiveFolder> make(const Environment& environment);

  const std::string& path() const { return folder_.path(); }
  // The files that ranks of this node had not closed, one record a name, and those that they had closed and
  // not told of yet. `now_ns` is when the program ended.
  std::vector<FileRecord> untold_files(int64_t now_ns) const;

 private:
  explicit LiveFolder(TemporaryFolder folder) : folder_(std::move(folder)) {}
  TemporaryFolder folder_;
};

}  // namespace concilio::tools
