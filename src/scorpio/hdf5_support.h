// HDF5's identifiers and errors in our terms.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace concilio::scorpio {

// An HDF5 identifier that is closed with its function, H5Dclose for example.
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
  // Closes now, and says whether that went well.
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// Our extents and counts as HDF5 wants them.
inline std::vector<hsize_t> sizes(const std::vector<int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// While it lives HDF5 prints no errors of its own; they are told by hdf5_error.
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

// What HDF5's error stack tells of the call that just failed: "WHAT: its deepest reason".
Error hdf5_error(const std::string& what);

// Closes a file. What cannot be written any more, for want of space say, is lost, and an error tells of it;
// but nothing of the file stays open.
Status close_hdf5_file(hid_t file);

// What a collective H5Dwrite or H5Dread of `dataset` came to. Where MPI-IO's call fails on one root,
// HDF5 1.10 leaves at once, and the others wait for that root to reset the file's view with them. This does
// so, so that none is left waiting.
Status transferred(herr_t code, hid_t dataset, const std::string& what);

}  // namespace concilio::scorpio
