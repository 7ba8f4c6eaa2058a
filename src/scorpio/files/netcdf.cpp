#include "scorpio/files/netcdf.h"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "scorpio/files/objects.h"
#include "scorpio/files/text_types.h"

namespace concilio::scorpio {
namespace {

constexpr char bare[] = "This is a netCDF dimension but not a netCDF variable.";
constexpr char provenance[] = "_NCProperties";
constexpr char number_of_dimension[] = "_Netcdf4Dimid";
constexpr char set_aside[] = " (without coordinates)";  // ends the name of a dimension that is getting some

Status write_text(hid_t object, const char* name, const std::string& text) {
  const Handle type = text_type(text.size() + 1, H5T_CSET_ASCII), space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok() || H5Awrite(attribute, type, text.c_str()) < 0)
    return hdf5_error(fmt::format("could not write netCDF's attribute {}", name));
  return {};
}

// Writes the attribute by which netCDF, and is_netcdf, recognise such files.
Status say_provenance(hid_t file) {
  const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
  if (!root.ok()) return hdf5_error("could not open the root group");
  if (H5Aexists(root, provenance) > 0) return {};
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return write_text(root, provenance,
                    fmt::format("version=2,concilio=1,hdf5={}.{}.{}", major, minor, release));
}

// Whether a dataset stands for a dimension only, and holds no values.
bool is_bare(hid_t dataset) {
  char name[sizeof bare] = "";
  if (H5DSis_scale(dataset) <= 0 || H5DSget_scale_name(dataset, name, sizeof name) < 0) return false;
  return std::strncmp(name, bare, sizeof bare - 1) == 0;
}

// What the root group has under a dimension's name.
struct Place {
  enum { free, scale, taken } state = free;
  int64_t extent = 0;  // of the scale
};

Result<Place> look_for(hid_t file, const std::string& name) {
  const std::string path = "/" + name;
  const auto kind = kind_of(file, path);
  if (!kind) return kind.error();
  if (*kind == Kind::none) return Place{};
  if (*kind != Kind::dataset) return Place{Place::taken};
  const auto dataset = open_dataset(file, path);
  if (!dataset) return dataset.error();
  const auto extents = extents_of(*dataset, path);
  if (!extents) return extents.error();
  if (H5DSis_scale(*dataset) <= 0 || extents->size() != 1) return Place{Place::taken};
  return Place{Place::scale, extents->front()};
}

std::optional<int> number_of(hid_t scale) {
  int number = 0;
  const Handle attribute(H5Aopen(scale, number_of_dimension, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok() || H5Aread(attribute, H5T_NATIVE_INT, &number) < 0) return std::nullopt;
  return number;
}

// Returns the number of the next dimension. netCDF numbers dimensions in the order of their creation.
Result<int> next_number(hid_t file) {
  int next = 0;
  const auto visit = [](hid_t group, const char* name, const H5L_info_t* link, void* next_) -> herr_t {
    if (link->type != H5L_TYPE_HARD) return 0;
    const Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
    if (!object.ok()) return -1;
    if (H5Aexists(object, number_of_dimension) <= 0) return 0;
    const auto number = number_of(object);
    if (!number) return -1;
    auto& most = *static_cast<int*>(next_);
    most = std::max(most, *number + 1);
    return 0;
  };
  if (H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit, &next) < 0)
    return hdf5_error("could not number the netCDF dimensions");
  return next;
}

// Numbers a dimension: as `given`, or else with the next number.
Status number(hid_t file, hid_t scale, std::optional<int> given) {
  const auto next = given ? Result<int>(*given) : next_number(file);
  if (!next) return next.error();
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(
      H5Acreate2(scale, number_of_dimension, H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok() || H5Awrite(attribute, H5T_NATIVE_INT, &*next) < 0)
    return hdf5_error("could not number a netCDF dimension");
  return {};
}

// Makes a dataset that stands for a dimension alone. Since nothing is ever written to it, its elements are
// bytes, without fill values.
Status make_scale(hid_t file, const std::string& name, int64_t extent) {
  const Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  if (!properties.ok() || !keep_order(properties) || H5Pset_fill_time(properties, H5D_FILL_TIME_NEVER) < 0)
    return hdf5_error("could not prepare the creation of a dimension");
  const auto size = static_cast<hsize_t>(extent);
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle scale(
      H5Dcreate2(file, ("/" + name).c_str(), H5T_STD_I8LE, space, H5P_DEFAULT, properties, H5P_DEFAULT),
      H5Dclose);
  if (!scale.ok()) return hdf5_error(fmt::format("could not make dimension {}", name));
  if (H5DSset_scale(scale, fmt::format("{}{:10}", bare, extent).c_str()) < 0)
    return hdf5_error(fmt::format("could not make {} a dimension", name));
  return number(file, scale, {});
}

// One dimension of a dataset, which is to get a dimension scale.
struct Wanted {
  const std::string& path;  // of the dataset
  bool only;                // the dataset has no other dimension
  unsigned index;
  int64_t extent;
};

// Whether the dataset has the dimension's name, and so is to hold its coordinates.
bool is_itself(const Wanted& wanted, const std::string& name) {
  return wanted.path == "/" + name;
}

// Returns an error if the dimension cannot have this name.
Status check_name(hid_t file, const Wanted& wanted, const std::string& name) {
  if (is_itself(wanted, name)) {
    if (wanted.only) return {};
    return Error{
        ErrorKind::argument, 0,
        fmt::format("dataset {} cannot have the name of one of its dimensions, unless it has but one",
                    wanted.path)};
  }
  const auto place = look_for(file, name);
  if (!place) return place.error();
  if (place->state == Place::taken)
    return Error{ErrorKind::argument, 0, fmt::format("/{} is there and is no dimension", name)};
  if (place->state == Place::scale && place->extent != wanted.extent)
    return Error{ErrorKind::argument, 0,
                 fmt::format("dimension {} has extent {}, not {} as dataset {} has", name, place->extent,
                             wanted.extent, wanted.path)};
  return {};
}

// Returns the first of the names dim_64, dim_64_2 ... that is not `used` by this dataset, and is either free
// or that of a dimension of this extent.
Result<std::string> made_up_name(hid_t file, const Wanted& wanted, const std::vector<std::string>& used) {
  for (int i = 1;; ++i) {
    std::string name =
        i == 1 ? fmt::format("dim_{}", wanted.extent) : fmt::format("dim_{}_{}", wanted.extent, i);
    if (is_itself(wanted, name) || std::find(used.begin(), used.end(), name) != used.end()) continue;
    const auto place = look_for(file, name);
    if (!place) return place.error();
    if (place->state == Place::free || (place->state == Place::scale && place->extent == wanted.extent))
      return name;
  }
}

// Gives every dataset that has the dimension `before` the dimension `after` instead.
Status hand_over(hid_t before, hid_t after) {
  struct Reference {
    hobj_ref_t dataset;
    int dimension;
  };
  const Handle type(H5Tcreate(H5T_COMPOUND, sizeof(Reference)), H5Tclose);
  H5Tinsert(type, "dataset", HOFFSET(Reference, dataset), H5T_STD_REF_OBJ);
  H5Tinsert(type, "dimension", HOFFSET(Reference, dimension), H5T_NATIVE_INT);
  const Error failed{ErrorKind::io, 0, "could not give a dimension its coordinates"};
  if (H5Aexists(before, "REFERENCE_LIST") <= 0) return {};
  std::vector<Reference> references;
  {
    const Handle list(H5Aopen(before, "REFERENCE_LIST", H5P_DEFAULT), H5Aclose);
    const Handle space(list.ok() ? H5Aget_space(list) : -1, H5Sclose);
    if (!space.ok()) return failed;
    references.resize(static_cast<size_t>(H5Sget_simple_extent_npoints(space)));
    if (H5Aread(list, type, references.data()) < 0) return hdf5_error(failed.message);
  }
  for (const Reference& reference : references) {
    const Handle user(H5Rdereference2(before, H5P_DEFAULT, H5R_OBJECT, &reference.dataset), H5Oclose);
    const auto index = static_cast<unsigned>(reference.dimension);
    if (!user.ok() || H5DSdetach_scale(user, before, index) < 0 || H5DSattach_scale(user, after, index) < 0)
      return hdf5_error(failed.message);
  }
  return {};
}

// Makes the dataset the coordinates of the dimension of its name. The dimension may have been there before,
// without coordinates.
Status become_dimension(hid_t file, hid_t dataset, const std::string& name) {
  if (H5DSset_scale(dataset, name.c_str()) < 0)
    return hdf5_error(fmt::format("could not make dataset {} a dimension", name));
  const std::string aside = "/" + name + set_aside;
  const auto kind = kind_of(file, aside);
  if (!kind) return kind.error();
  if (*kind != Kind::dataset) return number(file, dataset, {});
  const auto before = open_dataset(file, aside);
  if (!before) return before.error();
  if (Status status = number(file, dataset, number_of(*before)); !status) return status;
  if (Status status = hand_over(*before, dataset); !status) return status;
  if (H5Ldelete(file, aside.c_str(), H5P_DEFAULT) < 0)
    return hdf5_error(fmt::format("could not remove {}", aside));
  return {};
}

Status attach(hid_t file, hid_t dataset, const Wanted& wanted, const std::string& name) {
  if (is_itself(wanted, name)) return become_dimension(file, dataset, name);
  const auto place = look_for(file, name);
  if (!place) return place.error();
  if (place->state == Place::free) {
    if (Status made = make_scale(file, name, wanted.extent); !made) return made;
  }
  const auto scale = open_dataset(file, "/" + name);
  if (!scale) return scale.error();
  if (H5DSattach_scale(dataset, *scale, wanted.index) < 0)
    return hdf5_error(fmt::format("could not give dataset {} its dimension {}", wanted.path, name));
  return {};
}

Status attach_all(hid_t file, hid_t dataset, const std::string& path, const std::vector<int64_t>& extents,
                  const std::vector<std::string>& names) {
  if (Status status = say_provenance(file); !status) return status;
  std::vector<Wanted> all;
  for (size_t d = 0; d < extents.size(); ++d)
    all.push_back({path, extents.size() == 1, static_cast<unsigned>(d), extents[d]});
  // If make_way has set a dimension aside for this dataset, the dataset becomes its coordinates, whatever
  // names are given.
  const auto before = kind_of(file, path + set_aside);
  if (!before) return before.error();
  if (*before == Kind::dataset) return become_dimension(file, dataset, path.substr(1));
  const bool named = names.size() == extents.size();
  for (const Wanted& wanted : all) {
    if (!named) break;
    if (Status status = check_name(file, wanted, names[wanted.index]); !status) return status;
  }
  std::vector<std::string> used;
  for (const Wanted& wanted : all) {
    auto name = named ? Result<std::string>(names[wanted.index]) : made_up_name(file, wanted, used);
    if (!name) return name.error();
    if (Status status = attach(file, dataset, wanted, *name); !status) return status;
    used.push_back(*name);
  }
  return {};
}

Status attach_or_remove(const File& file, hid_t dataset, const std::string& path,
                        const std::vector<int64_t>& extents, const std::vector<std::string>& names) {
  Status status = attach_all(file.id, dataset, path, extents, names);
  if (!status) H5Ldelete(file.id, path.c_str(), H5P_DEFAULT);
  return status;
}

}  // namespace

Handle netcdf_file_creation() {
  Handle properties(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  if (properties.ok() && !keep_order(properties)) return {};
  return properties;
}

bool keep_order(hid_t properties) {
  constexpr unsigned order = H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED;
  const bool of_group = H5Pisa_class(properties, H5P_GROUP_CREATE) > 0;
  return (!of_group || H5Pset_link_creation_order(properties, order) >= 0) &&
         H5Pset_attr_creation_order(properties, order) >= 0;
}

bool is_netcdf(hid_t file) {
  return H5Aexists(file, provenance) > 0;
}

Status add_dimension_scales(File& file, hid_t dataset, const std::string& path,
                            const std::vector<int64_t>& extents) {
  return attach_or_remove(file, dataset, path, extents, file.creation.dimension_names);
}

Status add_unnamed_scales(File& file, hid_t dataset, const std::string& path,
                          const std::vector<int64_t>& extents) {
  return attach_or_remove(file, dataset, path, extents, {});
}

Status make_way(hid_t file, const std::string& path, const std::vector<int64_t>& extents) {
  const auto kind = kind_of(file, path);
  if (!kind) return kind.error();
  if (*kind != Kind::dataset) return {};
  const auto dataset = open_dataset(file, path);
  if (!dataset) return dataset.error();
  if (!is_bare(*dataset)) return {};
  const auto there = extents_of(*dataset, path);
  if (!there) return there.error();
  if (*there != extents)
    return Error{ErrorKind::argument, 0,
                 fmt::format("there is a dimension of this name, of extent {}", there->front())};
  if (H5Lmove(file, path.c_str(), file, (path + set_aside).c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
    return hdf5_error("could not give a dimension its coordinates");
  return {};
}

void take_back(hid_t file, const std::string& path) {
  const std::string aside = path + set_aside;
  const auto kind = kind_of(file, aside);
  if (kind && *kind == Kind::dataset)
    H5Lmove(file, aside.c_str(), file, path.c_str(), H5P_DEFAULT, H5P_DEFAULT);
}

}  // namespace concilio::scorpio
