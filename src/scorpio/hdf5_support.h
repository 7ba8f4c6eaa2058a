// HDF5's identifiers and errors, in this library's types.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace concilio::scorpio {

// Owns an HDF5 identifier, and closes it with the function for its kind, H5Dclose for example.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close close) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  bool ok() const { return id_ >= 0; }
  operator hid_t() const { return id_; }
  // Closes the identifier now. Returns whether that succeeded.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Extents and counts in the integer type that HDF5 takes.
inline std::vector<hsize_t> sizes(const std::vector<int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// While an object of this class lives, HDF5 prints no errors itself. hdf5_error reports them instead.
class QuietHdf5 {
 public:
  QuietHdf5();
  ~QuietHdf5();
  QuietHdf5(const QuietHdf5&) = delete;
  QuietHdf5& operator=(const QuietHdf5&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// Describes the call of HDF5 that just failed, from HDF5's error stack: "WHAT: what HDF5 tried: its deepest
// reason".
Error hdf5_error(const std::string& what);

// Closes a file. Data that can no longer be written, for lack of space for example, are lost, and the error
// says so. In any case nothing of the file stays open.
Status close_hdf5_file(hid_t file);

// Turns the return code of a collective H5Dwrite or H5Dread of `dataset` into a status. If MPI-IO's call
// fails on one root, HDF5 1.10 returns there at once, while the other roots wait for that root to reset the
// file's view, which is a collective call. This function makes that call on the root that failed, so that no
// root is left waiting.
Status transferred(herr_t code, hid_t dataset, const std::string& what);

}  // namespace concilio::scorpio
