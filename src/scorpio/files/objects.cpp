#include "scorpio/files/objects.h"

#include <fmt/format.h>

#include <algorithm>

#include "scorpio/files/netcdf.h"

namespace concilio::scorpio {
namespace {

Kind kind_of_open(hid_t object) {
  switch (H5Iget_type(object)) {
    case H5I_GROUP:
      return Kind::group;
    case H5I_DATASET:
      return Kind::dataset;
    default:
      return Kind::other;
  }
}

Error not_there(const std::string& path) {
  return {ErrorKind::no_such_file, 0, fmt::format("there is no {}", path)};
}

}  // namespace

Result<Kind> kind_of(hid_t file, const std::string& path) {
  if (path == "/") return Kind::group;
  // H5Lexists looks only for the last part of a path, and fails if an earlier one is missing.
  for (size_t end = 1;; ++end) {
    end = std::min(path.find('/', end), path.size());
    const std::string part = path.substr(0, end);
    const htri_t there = H5Lexists(file, part.c_str(), H5P_DEFAULT);
    if (there < 0) return hdf5_error("could not look for " + part);
    if (there == 0) return Kind::none;
    const Handle object(H5Oopen(file, part.c_str(), H5P_DEFAULT), H5Oclose);
    if (!object.ok()) {
      const Error error = hdf5_error("could not open " + part);
      H5L_info_t link;
      if (H5Lget_info(file, part.c_str(), &link, H5P_DEFAULT) >= 0 && link.type != H5L_TYPE_HARD)
        return Kind::none;
      return error;
    }
    const Kind kind = kind_of_open(object);
    if (end == path.size()) return kind;
    if (kind != Kind::group) return Kind::none;
  }
}

Result<Handle> open_object(hid_t file, const std::string& path) {
  const auto kind = kind_of(file, path);
  if (!kind) return kind.error();
  if (*kind == Kind::none) return not_there(path);
  Handle object(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
  if (!object.ok()) return hdf5_error("could not open " + path);
  return object;
}

Result<Handle> open_dataset(hid_t file, const std::string& path) {
  const auto kind = kind_of(file, path);
  if (!kind) return kind.error();
  if (*kind == Kind::none)
    return Error{ErrorKind::no_such_file, 0, fmt::format("there is no dataset {}", path)};
  if (*kind != Kind::dataset) return Error{ErrorKind::argument, 0, fmt::format("{} is no dataset", path)};
  Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) return hdf5_error(fmt::format("could not open dataset {}", path));
  return dataset;
}

Result<std::vector<int64_t>> extents_of(hid_t dataset, const std::string& path) {
  const Handle space(H5Dget_space(dataset), H5Sclose);
  const int ndims = space.ok() ? H5Sget_simple_extent_ndims(space) : -1;
  std::vector<hsize_t> dims(ndims > 0 ? static_cast<size_t>(ndims) : 0);
  if (ndims < 0 || H5Sget_simple_extent_dims(space, dims.data(), nullptr) < 0)
    return hdf5_error(fmt::format("could not find the extents of dataset {}", path));
  return std::vector<int64_t>(dims.begin(), dims.end());
}

Handle creation_properties(const File& file, hid_t property_class) {
  Handle properties(H5Pcreate(property_class), H5Pclose);
  if (file.netcdf && properties.ok()) keep_order(properties);
  return properties;
}

Result<Handle> open_or_make_group(const File& file, const std::string& path) {
  Handle group;
  for (size_t end = 0;; ++end) {
    end = std::min(path.find('/', end), path.size());
    const std::string part = end == 0 ? "/" : path.substr(0, end);
    const auto kind = kind_of(file.id, part);
    if (!kind) return kind.error();
    if (*kind == Kind::none) {
      if (Status status = may_change(file, part); !status) return status.error();
      const Handle properties = creation_properties(file, H5P_GROUP_CREATE);
      group = Handle(H5Gcreate2(file.id, part.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT), H5Gclose);
    } else if (*kind == Kind::group) {
      group = Handle(H5Gopen2(file.id, part.c_str(), H5P_DEFAULT), H5Gclose);
    } else {
      return Error{
          ErrorKind::argument, 0,
          fmt::format("{} is a {}, not a group", part, *kind == Kind::dataset ? "dataset" : "datatype")};
    }
    if (!group.ok())
      return hdf5_error(fmt::format("could not {} group {}", *kind == Kind::none ? "make" : "open", part));
    if (end == path.size() || path == "/") return group;
  }
}

Status make_parents(const File& file, const std::string& path) {
  const size_t last = path.rfind('/');
  if (last == 0 || last == std::string::npos) return {};
  const auto parent = open_or_make_group(file, path.substr(0, last));
  if (!parent) return parent.error();
  return {};
}

Status may_change(const File& file, const std::string& path) {
  if (file.writable) return {};
  return Error{ErrorKind::read_only, 0, fmt::format("{}: the file was opened to be read only", path)};
}

Status has_name(const char* name, const char* what) {
  if (name && *name) return {};
  return Error{ErrorKind::argument, 0, fmt::format("no name of {} is given", what)};
}

}  // namespace concilio::scorpio
