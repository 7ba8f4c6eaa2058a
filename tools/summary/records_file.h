// The file that the library in a program's ranks writes its records to, while `concilio run` waits for them.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "summary/records.h"
#include "system/environment.h"

namespace concilio::tools {

// A name in the folder of temporary files. The library makes the file when MPI begins. It is gone when this
// is.
class RecordsFile {
 public:
  static Result<std::unique_ptr<RecordsFile>> make(const Environment& environment);
  ~RecordsFile() { remove(); }
  RecordsFile(const RecordsFile&) = delete;
  RecordsFile& operator=(const RecordsFile&) = delete;

  const std::string& path() const { return path_; }
  // Whether a rank has loaded the library.
  bool made_by_library() const;
  Records read() const;
  // Forgets what one start of a program has written, before the next start.
  void remove() const;

 private:
  explicit RecordsFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace concilio::tools
