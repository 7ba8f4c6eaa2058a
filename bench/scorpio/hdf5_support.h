// HDF5 handles that are closed by their destructors, and the messages of HDF5's errors.
#pragma once

#include <hdf5.h>

#include <string>

#include "scorpio/dataset.h"

namespace concilio::bench::scorpio {

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close how) : id_(id), close_(how) {}
  Handle(Handle&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = -1; }
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      close();
      id_ = other.id_;
      close_ = other.close_;
      other.id_ = -1;
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close(); }

  bool ok() const { return id_ >= 0; }
  hid_t id() const { return id_; }
  // Whether the call succeeded.
  bool close() {
    const hid_t old = id_;
    id_ = -1;
    return old < 0 || close_(old) >= 0;
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

// The text "WHAT: " and the cause that HDF5's error stack gives.
std::string hdf5_failure(const std::string& what);

hid_t memory_type(Type type);
hid_t file_type(Type type);  // little-endian on every machine

// Makes a dataspace of these extents.
Handle make_space(const Extents& extents);
// Selects a part of such a dataspace, or no element if the part is empty.
Handle make_space(const Extents& extents, const Part& part);
// Makes a dataset, and the groups on its path.
Handle create_dataset(hid_t file, const Dataset& dataset, const Extents& extents);

}  // namespace concilio::bench::scorpio
