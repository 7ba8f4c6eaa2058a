#include "plain_hdf5.h"

#include <hdf5.h>

#include <algorithm>

namespace scorpio_oracle {
namespace {

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(const Handle&) = delete;
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

hid_t native_type(datatype_t type) {
  switch (type) {
    case SCORPIO_INTEGER:
      return H5T_NATIVE_INT;
    case SCORPIO_DOUBLE:
      return H5T_NATIVE_DOUBLE;
    case SCORPIO_FLOAT:
      return H5T_NATIVE_FLOAT;
    case SCORPIO_LONG:
      return H5T_NATIVE_LONG;
    case SCORPIO_CHAR:
      return H5T_NATIVE_CHAR;
    default:
      return H5T_NATIVE_UCHAR;
  }
}

std::string compare_extents(hid_t dataset, const Extents& expected) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int ndims = H5Sget_simple_extent_ndims(space);
  if (ndims != std::ssize(expected)) return "has " + std::to_string(ndims) + " dimensions";
  std::vector<hsize_t> dims(expected.size());
  H5Sget_simple_extent_dims(space, dims.data(), nullptr);
  const Extents found(dims.begin(), dims.end());
  return found == expected ? "" : "has extents " + text_of(found);
}

std::string compare_creation(hid_t id, const Dataset& dataset) {
  if (!dataset.sets_creation || elements_of(dataset.dims) == 0) return {};
  const Handle creation(H5Dget_create_plist(id), H5Pclose);
  const bool chunked = H5Pget_layout(creation) == H5D_CHUNKED;
  if (dataset.is_chunked() && !chunked) return "is not chunked";
  if (!dataset.chunk.empty()) {
    std::vector<hsize_t> chunk(dataset.dims.size());
    H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
    const Extents found(chunk.begin(), chunk.end());
    if (found != dataset.chunk) return "has chunks of " + text_of(found);
  }
  const auto has = [&](H5Z_filter_t filter) {
    unsigned flags;
    size_t values = 0;
    return H5Pget_filter_by_id2(creation, filter, &flags, &values, nullptr, 0, nullptr, nullptr) >= 0;
  };
  if (dataset.deflate && !has(H5Z_FILTER_DEFLATE)) return "is not compressed";
  if (dataset.deflate && dataset.shuffle && !has(H5Z_FILTER_SHUFFLE)) return "is not shuffled";
  return {};
}

std::string first_difference(const Expected& all, const Bytes& found) {
  const Array& expected = all.contents;
  int64_t wrong = 0, first = -1;
  for (size_t i = 0; i < found.size(); ++i) {
    if (!all.defined[i] || found[i] == expected.bytes[i]) continue;
    if (first < 0) first = static_cast<int64_t>(i);
    ++wrong;
  }
  if (wrong == 0) return {};
  return "differs in " + std::to_string(wrong) + " of " + std::to_string(found.size()) +
         " bytes, first byte " + std::to_string(first) + " (element " +
         std::to_string(first / expected.element_bytes) + "): expected " +
         std::to_string(expected.bytes[static_cast<size_t>(first)]) + ", found " +
         std::to_string(found[static_cast<size_t>(first)]);
}

}  // namespace

std::string compare_plainly(const std::string& file, const Dataset& dataset, const Expected& expected) {
  const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (opened < 0) return "plain HDF5 does not open the file";
  const Handle id(H5Dopen2(opened, dataset.path().c_str(), H5P_DEFAULT), H5Dclose);
  if (id < 0) return "plain HDF5 does not find the dataset";
  std::string wrong = compare_extents(id, expected.contents.dims);
  if (wrong.empty()) wrong = compare_creation(id, dataset);
  const Handle type(H5Dget_type(id), H5Tclose);
  if (wrong.empty() && H5Tequal(type, native_type(dataset.type)) <= 0) wrong = "has another type";
  if (wrong.empty() && expected.has_scales && H5Aexists(id, "DIMENSION_LIST") <= 0)
    wrong = "has no dimension scales";
  if (!wrong.empty()) return wrong;
  Bytes found(expected.contents.bytes.size());
  if (H5Dread(id, native_type(dataset.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, found.data()) < 0) {
    return "plain HDF5 does not read it";
  }
  return first_difference(expected, found);
}

}  // namespace scorpio_oracle
