// Arrays of strings, and attributes, for Fortran. C returns them in memory of its own. Here they go into the
// caller's arrays, whose sizes are checked.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "scorpio/c/attributes.h"
#include "scorpio/files/delivery.h"
#include "scorpio/fortran/fortran.h"

namespace concilio::scorpio {
namespace {

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
using Owned = std::unique_ptr<T, Freed>;

template <typename... Args>
Error refused(fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorKind::argument, 0, fmt::format(format, std::forward<Args>(args)...)};
}

// A CHARACTER array in the form that C takes.
class Strings {
 public:
  Strings(const char* text, size_t length, int count) {
    for (int at = 0; at < count; ++at)
      texts_.push_back(fortran_text(text + static_cast<size_t>(at) * length, length));
    for (std::string& one : texts_) pointers_.push_back(one.data());
  }
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

// The elements of a caller's CHARACTER array.
struct Room {
  char* text;
  size_t length;
  int count;

  // Returns an error if the strings do not all fit; then none has been stored.
  Status put(const char* const* found, int number, const std::string& name) const {
    for (int at = 0; at < number; ++at) {
      const size_t needed = std::strlen(found[at]);
      if (needed > length)
        return refused("{}: string {} has {} characters, the caller's has room for {}", name, at + 1, needed,
                       length);
    }
    if (number > count)
      return refused("{}: there are {} strings, the caller has room for {}", name, number, count);
    for (int at = 0; at < number; ++at) put_text(found[at], text + static_cast<size_t>(at) * length, length);
    return {};
  }
};

// Returns the size of a value of this type. 0: there is no such type, or an array of Fortran cannot hold its
// values as they are.
size_t bytes_of(int type) {
  switch (type) {
    case SCORPIO_INTEGER:
      return sizeof(int);
    case SCORPIO_DOUBLE:
      return sizeof(double);
    case SCORPIO_FLOAT:
      return sizeof(float);
    case SCORPIO_LONG:
      return sizeof(long);
    case SCORPIO_CHAR:
    case SCORPIO_BYTE:
      return 1;
    default:
      return 0;
  }
}

// What C returns for an attribute with dimensions.
struct Attribute {
  Owned<void> data;
  Owned<int> dims;
  int ndims = 0;

  int64_t elements() const {
    int64_t product = 1;
    for (int at = 0; at < ndims; ++at) product *= dims.get()[at];
    return product;
  }
};

// Names an attribute of an object.
struct AttributePlace {
  std::string attribute, object;
  int file;
};

// The call for an attribute of numbers or bytes. The ranks learn of another type when they agree on the call.
AttributeCall call_for(const AttributePlace& place, int type, iogroup_t* group) {
  Status fits;
  if (bytes_of(type) == 0)
    fits = refused("{} is no type of numbers or bytes; strings have routines of their own", type);
  return {
      place.attribute.c_str(), place.object.c_str(), static_cast<datatype_t>(type), place.file, group, fits};
}

bool read(const AttributeCall& asked, Attribute& found) {
  void* data = nullptr;
  int* dims = nullptr;
  const int result = read_attribute(asked, {&data, &found.ndims, &dims}, true);
  found.data.reset(data);
  found.dims.reset(dims);
  return result == 0;
}

// Gives the extents to the caller, who has room for `ndims` of them. `ndims` becomes their number.
Status put_dims(const Attribute& found, const AttributePlace& place, int* ndims, int* dims) {
  const int room = *ndims;
  *ndims = found.ndims;
  if (found.ndims > room)
    return refused("attribute {}: it has {} dimensions, the caller has room for {}", place.attribute,
                   found.ndims, room);
  std::copy_n(found.dims.get(), found.ndims, dims);
  return {};
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

FSCORPIO fscorpio_write_str_array_(const char* strings, const int* n, const int* fid, const char* name,
                                   const int* gid, int* ierr, size_t strings_length, size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_str_array(Strings(strings, strings_length, *n).get(), *n, *fid,
                                   fortran_text(name, name_length).c_str(), group);
  });
}

// n: the number of strings that there is room for. It becomes the number of strings that there are, even if
// that is too many.
FSCORPIO fscorpio_read_str_array_(char* strings, int* n, const int* fid, const char* name, const int* gid,
                                  int* ierr, size_t strings_length, size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const std::string dataset = fortran_text(name, name_length);
    char** found = nullptr;
    int number = 0;
    if (scorpio_read_str_array(&found, &number, *fid, dataset.c_str(), group) != 0) return FAILURE;
    const OwnedStrings owned(found, {number});
    const Room room{strings, strings_length, *n};
    *n = number;
    return outcome(*group, room.put(found, number, dataset));
  });
}

FSCORPIO fscorpio_get_str_array_size_(int* n, int* length, const int* fid, const char* name, const int* gid,
                                      int* ierr, size_t name_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    char** found = nullptr;
    int number = 0;
    if (scorpio_read_str_array(&found, &number, *fid, fortran_text(name, name_length).c_str(), group) != 0)
      return FAILURE;
    const OwnedStrings owned(found, {number});
    size_t longest = 0;
    for (int at = 0; at < number; ++at) longest = std::max(longest, std::strlen(found[at]));
    *n = number;
    *length = static_cast<int>(longest);
    return 0;
  });
}

FSCORPIO fscorpio_write_simple_attr_(const char* attr, const void* data, const int* type, const int* fid,
                                     const char* object, const int* gid, int* ierr, size_t attr_length,
                                     size_t object_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const AttributePlace place{fortran_text(attr, attr_length),
                               fortran_text_behind_data(*type, object, object_length, next_length), *fid};
    return write_attribute(call_for(place, *type, group), {data, true});
  });
}

FSCORPIO fscorpio_read_simple_attr_(const char* attr, void* data, const int* type, const int* fid,
                                    const char* object, const int* gid, int* ierr, size_t attr_length,
                                    size_t object_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const AttributePlace place{fortran_text(attr, attr_length),
                               fortran_text_behind_data(*type, object, object_length, next_length), *fid};
    void* found = nullptr;
    if (read_attribute(call_for(place, *type, group), {&found}, true) != 0) return FAILURE;
    const Owned<void> owned(found);
    std::memcpy(data, found, bytes_of(*type));
    return 0;
  });
}

FSCORPIO fscorpio_write_attr_(const char* attr, const void* data, const int* type, const int* ndims,
                              const int* dims, const int* fid, const char* object, const int* gid, int* ierr,
                              size_t attr_length, size_t object_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const AttributePlace place{fortran_text(attr, attr_length),
                               fortran_text_behind_data(*type, object, object_length, next_length), *fid};
    return write_attribute(call_for(place, *type, group), {data, false, *ndims, dims});
  });
}

// capacity: the number of elements that `data` has room for. ndims: the number of extents that `dims` has
// room for, which becomes the number that there are.
FSCORPIO fscorpio_read_attr_(const char* attr, void* data, const int* type, const int64_t* capacity,
                             int* ndims, int* dims, const int* fid, const char* object, const int* gid,
                             int* ierr, size_t attr_length, size_t object_length, size_t next_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const AttributePlace place{fortran_text(attr, attr_length),
                               fortran_text_behind_data(*type, object, object_length, next_length), *fid};
    Attribute found;
    if (!read(call_for(place, *type, group), found)) return FAILURE;
    Status fits = put_dims(found, place, ndims, dims);
    if (fits && found.elements() > *capacity)
      fits = refused("attribute {}: it has {} elements, the caller has room for {}", place.attribute,
                     found.elements(), *capacity);
    if (outcome(*group, fits) != 0) return FAILURE;
    if (found.elements() > 0) std::memcpy(data, found.data.get(), found.elements() * bytes_of(*type));
    return 0;
  });
}

FSCORPIO fscorpio_get_attr_dims_(const char* attr, const int* type, int* ndims, int* dims, const int* fid,
                                 const char* object, const int* gid, int* ierr, size_t attr_length,
                                 size_t object_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const AttributePlace place{fortran_text(attr, attr_length), fortran_text(object, object_length), *fid};
    Attribute found;
    if (!read(call_for(place, *type, group), found)) return FAILURE;
    return outcome(*group, put_dims(found, place, ndims, dims));
  });
}

FSCORPIO fscorpio_write_str_attr_(const char* attr, const char* text, const int* fid, const char* object,
                                  const int* gid, int* ierr, size_t attr_length, size_t text_length,
                                  size_t object_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_simple_attr(fortran_text(attr, attr_length).c_str(),
                                     fortran_text(text, text_length).c_str(), SCORPIO_STRING, *fid,
                                     fortran_text(object, object_length).c_str(), group);
  });
}

FSCORPIO fscorpio_read_str_attr_(const char* attr, char* text, const int* fid, const char* object,
                                 const int* gid, int* ierr, size_t attr_length, size_t text_length,
                                 size_t object_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const std::string name = fortran_text(attr, attr_length);
    void* found = nullptr;
    if (scorpio_read_simple_attr(name.c_str(), &found, SCORPIO_STRING, *fid,
                                 fortran_text(object, object_length).c_str(), group) != 0) {
      return FAILURE;
    }
    const Owned<void> owned(found);
    const char* one = static_cast<const char*>(found);
    return outcome(*group, Room{text, text_length, 1}.put(&one, 1, name));
  });
}

FSCORPIO fscorpio_write_str_array_attr_(const char* attr, const char* strings, const int* n, const int* fid,
                                        const char* object, const int* gid, int* ierr, size_t attr_length,
                                        size_t strings_length, size_t object_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    return scorpio_write_attr(fortran_text(attr, attr_length).c_str(),
                              Strings(strings, strings_length, *n).get(), SCORPIO_STRING, 1, n, *fid,
                              fortran_text(object, object_length).c_str(), group);
  });
}

// n: as in fscorpio_read_str_array. If there is more than one dimension, the strings come in C's order.
FSCORPIO fscorpio_read_str_array_attr_(const char* attr, char* strings, int* n, const int* fid,
                                       const char* object, const int* gid, int* ierr, size_t attr_length,
                                       size_t strings_length, size_t object_length) {
  on_group(gid, ierr, [&](iogroup_t* group) {
    const AttributePlace place{fortran_text(attr, attr_length), fortran_text(object, object_length), *fid};
    Attribute found;
    if (!read({place.attribute.c_str(), place.object.c_str(), SCORPIO_STRING, *fid, group}, found))
      return FAILURE;
    const Room room{strings, strings_length, *n};
    *n = static_cast<int>(found.elements());
    const auto* texts = static_cast<const char* const*>(found.data.get());
    return outcome(*group, room.put(texts, *n, place.attribute));
  });
}
