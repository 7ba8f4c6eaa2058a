#include "summary/records_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>

#include "base/system/read_file.h"

namespace concilio::tools {

Result<std::unique_ptr<RecordsFile>> RecordsFile::make(const Environment& environment) {
  // Not under the names of the folders that LiveFolder makes and clears away.
  std::string folder = environment.temporary_folder() + "/concilio-records-XXXXXX";
  if (!mkdtemp(folder.data()))
    return Error::from_errno(errno, "cannot make a temporary folder in " + environment.temporary_folder());
  std::unique_ptr<RecordsFile> file(new RecordsFile(std::move(folder)));
  std::ofstream(file->loaded_);  // without it, nobody notes anything
  return file;
}

RecordsFile::~RecordsFile() {
  remove();
  unlink(loaded_.c_str());
  rmdir(folder_.c_str());
}

bool RecordsFile::made_by_library() const {
  return access(path_.c_str(), F_OK) == 0;
}

std::string RecordsFile::notes_of_loading() const {
  auto notes = read_all(loaded_);
  return notes ? std::move(*notes) : "";
}

Records RecordsFile::read() const {
  const auto text = read_all(path_);
  return parse_records(text ? *text : "");
}

void RecordsFile::remove() const {
  unlink(path_.c_str());
}

}  // namespace concilio::tools
