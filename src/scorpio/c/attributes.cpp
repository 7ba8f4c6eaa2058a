// Attributes of datasets and groups.
#include "scorpio/c/attributes.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/checked.h"
#include "base/exceptions.h"
#include "scorpio/c/call.h"
#include "scorpio/cells/elements.h"
#include "scorpio/files/delivery.h"
#include "scorpio/files/objects.h"
#include "scorpio/files/text_types.h"

namespace concilio::scorpio {
namespace {

constexpr int64_t most_bytes = int64_t{1} << 30;

std::string words_of_type(datatype_t type) {
  if (type == SCORPIO_STRING) return "string";
  const auto element = element_of(type);
  return element ? element->name : "unknown type";
}

struct Shape {
  bool scalar = true;
  std::vector<hsize_t> dims;
  int64_t count = 1;  // of elements

  Handle space() const {
    return Handle(scalar ? H5Screate(H5S_SCALAR)
                         : H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr),
                  H5Sclose);
  }
};

Result<Shape> shape_of(int ndims, const int* dims) {
  if (ndims < 0 || ndims > H5S_MAX_RANK || (ndims > 0 && !dims))
    return Error{ErrorKind::argument, 0,
                 ndims > 0 && !dims
                     ? "dims is a null pointer"
                     : fmt::format("{} is no number of dimensions: 0 to {} are", ndims, H5S_MAX_RANK)};
  Shape shape;
  shape.scalar = ndims == 0;
  for (int d = 0; d < ndims; ++d) {
    const auto count = checked_multiply(shape.count, dims[d]);
    if (dims[d] < 0 || !count || *count > most_bytes)
      return Error{ErrorKind::argument, 0, fmt::format("an extent of {} is negative or too large", dims[d])};
    shape.dims.push_back(static_cast<hsize_t>(dims[d]));
    shape.count = *count;
  }
  return shape;
}

// --- Writing ---

// The value that is written, which is rank 0's on all roots.
struct Values {
  hid_t type = -1;   // in memory and in the file
  Handle text_type;  // owns `type` if the value is of strings
  Shape shape;
  std::vector<char> cells;
};

Status gather_texts(const Shape& shape, const GivenValue& given, Texts& texts) {
  const auto* strings = static_cast<const char* const*>(given.data);
  for (int64_t i = 0; i < shape.count; ++i) {
    const char* string = given.single ? static_cast<const char*>(given.data) : strings[i];
    if (!string) return Error{ErrorKind::argument, 0, fmt::format("string {} is a null pointer", i)};
    texts.add(string, static_cast<size_t>(most_bytes));
  }
  if (std::ssize(texts.text) > most_bytes)
    return Error{ErrorKind::argument, 0, "the strings have more than 1 GiB"};
  return {};
}

// Gives all roots rank 0's values. Collective over the roots.
Status take_values(const File& file, const AttributeCall& asked, const GivenValue& given, Values& values) {
  const Layout& layout = *file.layout;
  const bool strings = asked.type == SCORPIO_STRING;
  Texts texts;
  Status mine;
  if (layout.rank == 0) {
    if (!given.data && values.shape.count > 0)
      mine = Error{ErrorKind::argument, 0, "its value is a null pointer"};
    if (mine && strings) mine = without_exceptions([&] { return gather_texts(values.shape, given, texts); });
  }
  if (Status status = agree(layout.io, mine); !status) return status;
  if (strings) {
    texts.count = values.shape.count;
    if (Status status = share(layout.io, 0, texts.text); !status) return status;
    const auto bytes = static_cast<size_t>(longest_bytes(texts) + 1);
    values.text_type = text_type(bytes, characters_of(texts));
    values.type = values.text_type;
    values.cells = cells_of(texts, bytes);
    values.cells.push_back('\0');  // HDF5 wants some memory, even for no values
    return {};
  }
  const Element element = *element_of(asked.type);
  values.type = element.hdf5;
  std::string bytes;
  if (layout.rank == 0 && given.data)
    bytes.assign(static_cast<const char*>(given.data),
                 static_cast<size_t>(values.shape.count * element.bytes));
  if (Status status = share(layout.io, 0, bytes); !status) return status;
  values.cells.assign(bytes.begin(), bytes.end());
  values.cells.push_back('\0');  // HDF5 wants some memory, even for no values
  return {};
}

// Whether the attribute that is there can take the values.
bool fits(hid_t object, const char* name, const Values& values) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle type(attribute.ok() ? H5Aget_type(attribute) : -1, H5Tclose);
  const Handle space(attribute.ok() ? H5Aget_space(attribute) : -1, H5Sclose), wanted = values.shape.space();
  return type.ok() && space.ok() && H5Tequal(type, values.type) > 0 && H5Sextent_equal(space, wanted) > 0;
}

Status write_new(hid_t object, const char* name, const Values& values) {
  const Handle space = values.shape.space();
  const Handle attribute(H5Acreate2(object, name, values.type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) return hdf5_error("could not make it");
  if (H5Awrite(attribute, values.type, values.cells.data()) < 0) return hdf5_error("could not write it");
  return {};
}

Status put(hid_t object, const std::string& name, const Values& values) {
  const htri_t there = H5Aexists(object, name.c_str());
  if (there < 0) return hdf5_error("could not look for it");
  if (there == 0) {
    Status written = write_new(object, name.c_str(), values);
    if (!written) H5Adelete(object, name.c_str());
    return written;
  }
  if (fits(object, name.c_str(), values)) {
    const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose);
    if (!attribute.ok() || H5Awrite(attribute, values.type, values.cells.data()) < 0)
      return hdf5_error("could not write it");
    return {};
  }
  // The old attribute is removed when the new one is there, so that an error does not lose both.
  const std::string aside = name + " (new)";
  if (Status written = write_new(object, aside.c_str(), values); !written) {
    H5Adelete(object, aside.c_str());
    return written;
  }
  if (H5Adelete(object, name.c_str()) < 0 || H5Arename(object, aside.c_str(), name.c_str()) < 0)
    return hdf5_error("could not replace it");
  return {};
}

Status in_words(const AttributeCall& asked, const Status& status) {
  if (status) return {};
  return Error{status.error().kind, 0, fmt::format("{}: {}", asked.words(), status.error().message)};
}

// --- Reading ---

struct Read {
  std::vector<char> cells;
  Texts texts;
  std::vector<hsize_t> dims;
  int64_t count = 0;
  bool empty = false;  // it has no value, not even an empty one
};

Result<Handle> open_attribute(hid_t file, const std::string& path, const char* name) {
  const auto object = open_object(file, path);
  if (!object) return object.error();
  const htri_t there = H5Aexists(*object, name);
  if (there < 0) return hdf5_error("could not look for it");
  if (there == 0) return Error{ErrorKind::no_such_file, 0, "there is no such attribute"};
  Handle attribute(H5Aopen(*object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.ok()) return hdf5_error("could not open it");
  return attribute;
}

Status read_shape(hid_t attribute, Read& read) {
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (!space.ok()) return hdf5_error("could not find its extents");
  read.empty = H5Sget_simple_extent_type(space) == H5S_NULL;
  read.dims.resize(static_cast<size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
  if (!read.dims.empty()) H5Sget_simple_extent_dims(space, read.dims.data(), nullptr);
  read.count = H5Sget_simple_extent_npoints(space);
  if (read.empty) read.dims = {0};
  const bool large = std::any_of(read.dims.begin(), read.dims.end(), [](hsize_t n) {
    return n > static_cast<hsize_t>(std::numeric_limits<int>::max());
  });
  if (large) return Error{ErrorKind::count, 0, "it has an extent that is no int"};
  return {};
}

Status read_values(hid_t attribute, datatype_t type, Read& read) {
  if (Status status = read_shape(attribute, read); !status) return status;
  const Handle stored(H5Aget_type(attribute), H5Tclose);
  if (!stored.ok()) return hdf5_error("could not find its type");
  const bool strings = type == SCORPIO_STRING;
  if (is_text(stored) != strings)
    return Error{ErrorKind::conversion, 0,
                 strings ? "its value is no string"
                         : fmt::format("its value is a string, not {}", words_of_type(type))};
  if (read.empty) return {};
  if (strings)
    return read_texts(
        stored, read.count, [&](hid_t as, void* cells) { return H5Aread(attribute, as, cells); }, read.texts);
  const Element element = *element_of(type);
  read.cells.resize(static_cast<size_t>(read.count * element.bytes));
  const hid_t as = holds_bytes(stored, element) ? static_cast<hid_t>(stored) : element.hdf5;
  if (read.count > 0 && H5Aread(attribute, as, read.cells.data()) < 0)
    return hdf5_error(fmt::format("could not read it as {}", element.name));
  return {};
}

Status check_single(const Read& read, datatype_t type) {
  if (read.empty && type == SCORPIO_STRING) return {};  // netCDF writes "" in this way
  if (read.count == 1) return {};
  return Error{ErrorKind::count, 0, fmt::format("it has {} values: use scorpio_read_attr", read.count)};
}

Status deliver_all(const File& file, const AttributeCall& asked, const Read& read, const RoomForValue& room) {
  const bool strings = asked.type == SCORPIO_STRING;
  int64_t count = 0;
  auto data = !strings        ? deliver(file, read.cells)
              : room.single() ? deliver_string(file, read.texts)
                              : deliver_array(file, read.texts, count);
  if (!data) return data.error();
  if (!room.single()) {
    std::vector<int> dims(read.dims.begin(), read.dims.end());
    int ndims = static_cast<int>(dims.size());
    if (Status status = mpi::checked_mpi(MPI_Bcast(&ndims, 1, MPI_INT, 0, file.layout->local), "MPI_Bcast");
        !status)
      return status;
    const char* bytes = reinterpret_cast<const char*>(dims.data());
    auto told = deliver(file, std::vector<char>(bytes, bytes + dims.size() * sizeof(int)));
    if (!told) return told.error();
    *room.ndims = ndims;
    *room.dims = static_cast<int*>(told->release());
  }
  *room.data = data->release();
  return {};
}

}  // namespace

std::string AttributeCall::words() const {
  return fmt::format("attribute {} of {}", text_of(attr), text_of(object));
}

Status AttributeCall::check() const {
  if (!mine) return mine;
  if (Status status = has_name(attr, "an attribute"); !status) return status;
  if (Status status = has_name(object, "the object of an attribute"); !status) return status;
  if (type == SCORPIO_STRING) return {};
  const auto element = element_of(type);
  return element ? Status() : Status(element.error());
}

int write_attribute(const AttributeCall& asked, const GivenValue& given) noexcept {
  return guarded([&]() -> int {
    Status mine = asked.check();
    const auto shape = shape_of(given.ndims, given.dims);
    if (mine && !shape) mine = shape.error();
    const std::string name = fmt::format("writes {}", asked.words());
    const std::string call = fmt::format("{} as {} of [{}]", name, words_of_type(asked.type),
                                         shape ? fmt::format("{}", fmt::join(shape->dims, ",")) : "");
    const RootCall root_call{asked.group, asked.handle, name, call, in_words(asked, mine)};
    const auto write = [&](File& file, int64_t&) -> Status {
      Values values;
      values.shape = *shape;
      if (Status taken = take_values(file, asked, given, values); !taken) return in_words(asked, taken);
      const Status written = among_roots(file, [&]() -> Status {
        if (Status status = may_change(file, file.path_of(asked.object)); !status) return status;
        const auto object = open_object(file.id, file.path_of(asked.object));
        if (!object) return object.error();
        return put(*object, asked.attr, values);
      });
      return in_words(asked, written);
    };
    return on_roots(root_call, write, [](File&, int64_t) {});
  });
}

int read_attribute(const AttributeCall& asked, const RoomForValue& room, bool has_room) noexcept {
  return guarded([&]() -> int {
    Status mine = asked.check();
    if (mine && !has_room)
      mine = Error{ErrorKind::argument, 0, "there is no room for the answer: a null pointer"};
    const std::string call = fmt::format("reads {} as {}", asked.words(), words_of_type(asked.type));
    return on_file(asked.group, asked.handle, call, in_words(asked, mine), [&](File& file) -> Status {
      Read values;
      Status status = at_roots(file, [&]() -> Status {
        const auto attribute = open_attribute(file.id, file.path_of(asked.object), asked.attr);
        if (!attribute) return attribute.error();
        if (Status got = read_values(*attribute, asked.type, values); !got) return got;
        return room.single() ? check_single(values, asked.type) : Status();
      });
      if (status) status = deliver_all(file, asked, values, room);
      return in_words(asked, status);
    });
  });
}

}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

extern "C" {

int scorpio_read_simple_attr(const char* attr, void** data, datatype_t type, int fhandle, const char* object,
                             iogroup_t* group) {
  return read_attribute({attr, object, type, fhandle, group}, {data}, data != nullptr);
}

int scorpio_write_simple_attr(const char* attr, const void* data, datatype_t type, int fhandle,
                              const char* object, iogroup_t* group) {
  return write_attribute({attr, object, type, fhandle, group}, {data, true});
}

int scorpio_read_attr(const char* attr, void** data, datatype_t type, int* ndims, int** dims, int fhandle,
                      const char* object, iogroup_t* group) {
  return read_attribute({attr, object, type, fhandle, group}, {data, ndims, dims}, data && ndims && dims);
}

int scorpio_write_attr(const char* attr, const void* data, datatype_t type, int ndims, const int* dims,
                       int fhandle, const char* object, iogroup_t* group) {
  return write_attribute({attr, object, type, fhandle, group}, {data, false, ndims, dims});
}

}  // extern "C"
