#include "scorpio/hdf5_support.h"

#include <cerrno>
#include <cstring>

namespace concilio::scorpio {
namespace {

struct Told {
  std::string outer, inner;
};

herr_t note(unsigned, const H5E_error2_t* entry, void* told_) {
  auto& told = *static_cast<Told*>(told_);
  const char* text = entry->desc ? entry->desc : "";
  // Walked from the call inwards: the first says what was tried, the last why it did not work.
  if (told.outer.empty()) told.outer = text;
  if (*text != '\0') told.inner = text;
  return 0;
}

}  // namespace

QuietHdf5::QuietHdf5() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietHdf5::~QuietHdf5() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

Error hdf5_error(const std::string& what) {
  const int system_errno = errno;
  Told told;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_DOWNWARD, note, &told);
  H5Eclear2(H5E_DEFAULT);
  std::string message = what;
  if (!told.outer.empty()) message += ": " + told.outer;
  if (!told.inner.empty() && told.inner != told.outer) message += ": " + told.inner;
  // HDF5's descriptions may span lines.
  for (char& c : message) {
    if (c == '\n') c = ' ';
  }
  const bool full = message.find("NO_SPACE") != std::string::npos ||
                    message.find(std::strerror(ENOSPC)) != std::string::npos || system_errno == ENOSPC;
  return Error{full ? ErrorKind::no_space : ErrorKind::io, 0, message};
}

Result<bool> path_exists(hid_t file, const std::string& path) {
  // H5Lexists asks for the last part only, and fails if an earlier one is missing.
  for (size_t end = 1; end < path.size();) {
    end = path.find('/', end);
    if (end == std::string::npos) end = path.size();
    const std::string part = path.substr(0, end);
    const htri_t there = H5Lexists(file, part.c_str(), H5P_DEFAULT);
    if (there < 0) return hdf5_error("could not look for " + part);
    if (there == 0) return false;
    // A soft link may lead nowhere.
    const htri_t leads = H5Oexists_by_name(file, part.c_str(), H5P_DEFAULT);
    if (leads < 0) return hdf5_error("could not look for " + part);
    if (leads == 0) return false;
    ++end;
  }
  return true;
}

}  // namespace concilio::scorpio
