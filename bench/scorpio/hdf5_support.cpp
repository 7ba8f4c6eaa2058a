#include "scorpio/hdf5_support.h"

#include <fmt/format.h>

#include <vector>

namespace concilio::bench::scorpio {

namespace {

// Walking the error stack upward, the innermost function's message comes first.
herr_t take_first(unsigned depth, const H5E_error2_t* error, void* text) {
  if (depth == 0 && error->desc) *static_cast<std::string*>(text) = error->desc;
  return 0;
}

std::vector<hsize_t> sizes(const Extents& extents) {
  return {extents.begin(), extents.end()};
}

}  // namespace

std::string hdf5_failure(const std::string& what) {
  std::string cause;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_first, &cause);
  return fmt::format("{}: {}", what, cause.empty() ? "HDF5 does not say why" : cause);
}

hid_t memory_type(Type type) {
  return type == Type::integer ? H5T_NATIVE_INT32 : H5T_NATIVE_DOUBLE;
}

hid_t file_type(Type type) {
  return type == Type::integer ? H5T_STD_I32LE : H5T_IEEE_F64LE;
}

Handle make_space(const Extents& extents) {
  return {H5Screate_simple(static_cast<int>(extents.size()), sizes(extents).data(), nullptr), H5Sclose};
}

Handle make_space(const Extents& extents, const Part& part) {
  Handle space = make_space(extents);
  if (!space.ok()) return space;
  const bool empty = elements(part.extents) == 0;
  if ((empty ? H5Sselect_none(space.id())
             : H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, sizes(part.starts).data(), nullptr,
                                   sizes(part.extents).data(), nullptr)) < 0)
    return {};
  return space;
}

Handle create_dataset(hid_t file, const Dataset& dataset, const Extents& extents) {
  const Handle space = make_space(extents);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  if (!space.ok() || !links.ok() || H5Pset_create_intermediate_group(links.id(), 1) < 0) return {};
  return {H5Dcreate2(file, dataset.name.c_str(), file_type(dataset.type), space.id(), links.id(), H5P_DEFAULT,
                     H5P_DEFAULT),
          H5Dclose};
}

}  // namespace concilio::bench::scorpio
