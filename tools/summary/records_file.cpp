#include "summary/records_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "base/system/read_file.h"

namespace concilio::tools {

Result<std::unique_ptr<RecordsFile>> RecordsFile::make(const Environment& environment) {
  std::string path = environment.temporary_folder() + "/concilio-run-XXXXXX";
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0)
    return Error::from_errno(errno, "cannot make a temporary file in " + environment.temporary_folder());
  close(descriptor);
  unlink(path.c_str());
  return std::unique_ptr<RecordsFile>(new RecordsFile(std::move(path)));
}

bool RecordsFile::made_by_library() const {
  return access(path_.c_str(), F_OK) == 0;
}

Records RecordsFile::read() const {
  const auto text = read_all(path_);
  return parse_records(text ? *text : "");
}

void RecordsFile::remove() const {
  unlink(path_.c_str());
}

}  // namespace concilio::tools
