// Questions about what a file holds: extents of datasets, and what exists.
#include <algorithm>
#include <array>
#include <limits>

#include "base/checked.h"
#include "scorpio/c/call.h"
#include "scorpio/files/objects.h"
#include "scorpio/ranks/small_collectives.h"

namespace concilio::scorpio {
namespace {

constexpr int64_t most_int = std::numeric_limits<int>::max();

// Gives what the roots found to the other ranks of their groups.
Status tell(const File& file, int64_t& value) {
  return told(file.layout->local, &value, 1);
}

Result<std::vector<int64_t>> told_extents(const File& file, const std::string& path) {
  std::vector<int64_t> extents;
  const Status found = at_roots(file, [&]() -> Status {
    const auto dataset = open_dataset(file.id, path);
    if (!dataset) return dataset.error();
    auto seen = extents_of(*dataset, path);
    if (!seen) return seen.error();
    extents = std::move(*seen);
    return {};
  });
  if (!found) return found.error();
  std::array<int64_t, 1 + H5S_MAX_RANK> numbers{static_cast<int64_t>(extents.size())};
  std::copy(extents.begin(), extents.end(), numbers.begin() + 1);
  if (Status status = told(file.layout->local, numbers.data(), static_cast<int>(numbers.size())); !status)
    return status.error();
  return std::vector<int64_t>(numbers.begin() + 1, numbers.begin() + 1 + numbers[0]);
}

struct Question {
  const char* dataset;
  const char* what;
  int handle;
  iogroup_t* group;
};

// Runs take(extents, path) -> Status on all ranks. Its outcome must depend on the extents alone.
template <typename Take>
int with_extents(const Question& asked, const void* result, Take take) noexcept {
  return guarded([&]() -> int {
    Status mine = has_name(asked.dataset, "a dataset");
    if (mine && !result)
      mine = Error{ErrorKind::argument, 0, "there is no room for the answer: a null pointer"};
    const std::string name = text_of(asked.dataset);
    return on_file(asked.group, asked.handle, fmt::format("asks for the {} of {}", asked.what, name), mine,
                   [&](File& file) -> Status {
                     const std::string path = file.path_of(name);
                     const auto extents = told_extents(file, path);
                     if (!extents) return extents.error();
                     return take(*extents, path);
                   });
  });
}

Result<int64_t> elements_in(const std::vector<int64_t>& extents, const std::string& path) {
  int64_t elements = 1;
  for (const int64_t extent : extents) {
    const auto more = checked_multiply(elements, extent);
    if (!more) return Error{ErrorKind::count, 0, fmt::format("dataset {} has more than 2^63 elements", path)};
    elements = *more;
  }
  return elements;
}

int exists(const char* object, Kind wanted, int handle, iogroup_t* group) noexcept {
  int64_t found = 0;
  const int outcome = guarded([&]() -> int {
    const std::string name = text_of(object);
    const char* what = wanted == Kind::group ? "a group" : "a dataset";
    return on_file(group, handle, fmt::format("asks whether there is {} {}", what, name),
                   has_name(object, what), [&](File& file) -> Status {
                     const Status asked = at_roots(file, [&]() -> Status {
                       const auto kind = kind_of(file.id, file.path_of(name));
                       if (!kind) return kind.error();
                       found = *kind == wanted;
                       return {};
                     });
                     return asked ? tell(file, found) : asked;
                   });
  });
  return outcome == 0 ? static_cast<int>(found) : FAILURE;
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

extern "C" {

int scorpio_get_dataset_ndims(int* ndims, int fhandle, const char* dataset, iogroup_t* group) {
  return with_extents({dataset, "number of dimensions", fhandle, group}, ndims,
                      [&](const std::vector<int64_t>& extents, const std::string&) -> Status {
                        *ndims = static_cast<int>(extents.size());
                        return {};
                      });
}

int scorpio_get_dataset_dims(int* dims, int fhandle, const char* dataset, iogroup_t* group) {
  return with_extents({dataset, "extents", fhandle, group}, dims,
                      [&](const std::vector<int64_t>& extents, const std::string& path) -> Status {
                        for (const int64_t extent : extents) {
                          if (extent > most_int)
                            return Error{
                                ErrorKind::count, 0,
                                fmt::format("dataset {} has an extent of {}, more than an int holds: use "
                                            "scorpio_get_dataset_dims_64",
                                            path, extent)};
                        }
                        std::transform(extents.begin(), extents.end(), dims,
                                       [](int64_t extent) { return static_cast<int>(extent); });
                        return {};
                      });
}

int scorpio_get_dataset_dims_64(int64_t* dims, int fhandle, const char* dataset, iogroup_t* group) {
  return with_extents({dataset, "64-bit extents", fhandle, group}, dims,
                      [&](const std::vector<int64_t>& extents, const std::string&) -> Status {
                        std::copy(extents.begin(), extents.end(), dims);
                        return {};
                      });
}

int scorpio_get_dataset_size(int* size, int fhandle, const char* dataset, iogroup_t* group) {
  return with_extents({dataset, "size", fhandle, group}, size,
                      [&](const std::vector<int64_t>& extents, const std::string& path) -> Status {
                        const auto elements = elements_in(extents, path);
                        if (!elements) return elements.error();
                        if (*elements > most_int)
                          return Error{ErrorKind::count, 0,
                                       fmt::format("dataset {} has {} elements, more than an int holds: use "
                                                   "scorpio_get_dataset_size_64",
                                                   path, *elements)};
                        *size = static_cast<int>(*elements);
                        return {};
                      });
}

int scorpio_get_dataset_size_64(int64_t* size, int fhandle, const char* dataset, iogroup_t* group) {
  return with_extents({dataset, "64-bit size", fhandle, group}, size,
                      [&](const std::vector<int64_t>& extents, const std::string& path) -> Status {
                        const auto elements = elements_in(extents, path);
                        if (!elements) return elements.error();
                        *size = *elements;
                        return {};
                      });
}

int scorpio_group_exists(const char* group_name, int fhandle, iogroup_t* group) {
  return exists(group_name, Kind::group, fhandle, group);
}

int scorpio_name_exists(hid_t location, const char* name) {
  return guarded([&]() -> int {
    const auto kind = kind_of(location, text_of(name));
    return kind && *kind != Kind::none ? 1 : 0;
  });
}

int scorpio_dataset_exists(const char* dataset, int fhandle, iogroup_t* group) {
  return exists(dataset, Kind::dataset, fhandle, group);
}

}  // extern "C"
