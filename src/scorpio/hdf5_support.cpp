#include "scorpio/hdf5_support.h"

#include <mpi.h>

#include <cerrno>
#include <cstring>

// This function is HDF5's own. Every version since 1.8 exports it, but no public header declares it.
extern "C" __attribute__((weak)) void* H5I_remove(hid_t id);

namespace concilio::scorpio {
namespace {

struct Told {
  std::string outer, inner;
};

herr_t note(unsigned, const H5E_error2_t* entry, void* told_) {
  auto& told = *static_cast<Told*>(told_);
  const char* text = entry->desc ? entry->desc : "";
  // HDF5 walks its error stack from the call inwards. So the first description says what was tried, and the
  // last one says why it failed.
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
                    message.find(std::strerror(ENOSPC)) != std::string::npos;
  return Error{full ? ErrorKind::no_space : ErrorKind::io, 0, message};
}

Status close_hdf5_file(hid_t file) {
  if (H5Fclose(file) >= 0) return {};
  const Error error = hdf5_error("could not close the file; what was written last may be missing");
  // If the last flush of a file fails, HDF5 1.10 frees the file but keeps its identifier. It then crashes
  // over the identifier when the program ends; under MPICH that is in MPI_Finalize.
  if (H5Iis_valid(file) > 0 && H5I_remove) H5I_remove(file);
  return error;
}

Status transferred(herr_t code, hid_t dataset, const std::string& what) {
  if (code >= 0) return {};
  const Error error = hdf5_error(what);
  if (error.message.find("_at_all failed") != std::string::npos) {
    const Handle file(H5Iget_file_id(dataset), H5Fclose);
    void* handle = nullptr;
    if (H5Fget_vfd_handle(file, H5P_DEFAULT, &handle) >= 0 && handle)
      MPI_File_set_view(*static_cast<MPI_File*>(handle), 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
  }
  return error;
}

}  // namespace concilio::scorpio
