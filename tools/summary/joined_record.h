// The record of a program's calls: each rank of the program writes a part of it
// (src/mpiio/file/call_record.h), in a folder beside the file that the parts are joined into at the end.
// docs/record.md tells the format.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "system/temporary_folder.h"

namespace concilio::tools {

class JoinedRecord {
 public:
  // Makes the folder, which all nodes share if they share that of `path`. The error says that the file cannot
  // be written.
  static Result<JoinedRecord> begin(const std::string& path);
  // The folder for the parts.
  const std::string& folder() const { return folder_.path(); }

  struct Joined {
    int64_t ranks = 0;            // of the program
    std::vector<int64_t> absent;  // ranks without a part
    std::vector<int64_t> full;    // ranks whose part ends before the program did
  };
  // Whether any rank has recorded anything.
  bool has_parts() const;
  // Writes the file, once the program has ended.
  Result<Joined> join() const;

 private:
  JoinedRecord(std::string path, TemporaryFolder folder)
      : path_(std::move(path)), folder_(std::move(folder)) {}
  std::string path_;
  TemporaryFolder folder_;
};

}  // namespace concilio::tools
