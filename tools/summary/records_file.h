// The file that the library in a program's ranks writes its records to, while `concilio run` waits for them.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "summary/records.h"
#include "system/environment.h"

namespace concilio::tools {

// A name in a folder of its own, where nobody else can put a file under this name. The library makes the file
// when MPI begins. Both are gone when this is.
class RecordsFile {
 public:
  static Result<std::unique_ptr<RecordsFile>> make(const Environment& environment);
  ~RecordsFile();
  RecordsFile(const RecordsFile&) = delete;
  RecordsFile& operator=(const RecordsFile&) = delete;

  const std::string& path() const { return path_; }
  // Whether a rank has loaded the library.
  bool made_by_library() const;
  // What programs note that load it, MPI or not: see launch/lost_preload.h.
  std::string notes_of_loading() const;
  Records read() const;
  // Forgets what one start of a program has written, before the next start.
  void remove() const;

 private:
  explicit RecordsFile(std::string folder)
      : folder_(std::move(folder)), path_(folder_ + "/records"), loaded_(path_ + ".loaded") {}
  std::string folder_, path_, loaded_;
};

}  // namespace concilio::tools
