// Arrays of strings. They are datasets of fixed-length strings or, in netCDF files, of n rows of characters.
#include <algorithm>
#include <limits>

#include "scorpio/c/call.h"
#include "scorpio/files/delivery.h"
#include "scorpio/files/netcdf.h"
#include "scorpio/files/objects.h"
#include "scorpio/files/text_types.h"

namespace concilio::scorpio {
namespace {

constexpr int64_t slab_bytes = int64_t{1} << 20;
constexpr int64_t most_string_bytes = int64_t{1} << 30;

// An open dataset of strings.
struct StringSet {
  Handle id, type;
  std::vector<int64_t> extents;

  int64_t count() const { return extents.empty() ? 1 : extents.front(); }
  bool of_characters() const { return extents.size() == 2; }  // each row is a string
  // Returns the bytes of a string in the file; 0: strings have variable length.
  int64_t bytes() const {
    if (of_characters()) return extents[1];
    return H5Tis_variable_str(type) > 0 ? 0 : static_cast<int64_t>(H5Tget_size(type));
  }
};

Result<StringSet> open_strings(hid_t file, const std::string& path) {
  auto dataset = open_dataset(file, path);
  if (!dataset) return dataset.error();
  auto extents = extents_of(*dataset, path);
  if (!extents) return extents.error();
  StringSet set{std::move(*dataset), {}, std::move(*extents)};
  set.type = Handle(H5Dget_type(set.id), H5Tclose);
  if (!set.type.ok()) return hdf5_error(fmt::format("could not find the type of dataset {}", path));
  if (!is_text(set.type))
    return Error{ErrorKind::datatype, 0, fmt::format("dataset {} holds no strings", path)};
  const bool characters = H5Tis_variable_str(set.type) == 0 && H5Tget_size(set.type) == 1;
  if (set.extents.size() > 2 || (set.of_characters() && !characters))
    return Error{
        ErrorKind::argument, 0,
        fmt::format("dataset {} has {} dimensions: it is no array of strings", path, set.extents.size())};
  return set;
}

// Returns the file space of `rows` strings from `first` on. The dataset has one dimension or two.
Handle rows_in(const StringSet& set, int64_t first, int64_t rows) {
  Handle space(H5Dget_space(set.id), H5Sclose);
  if (!space.ok() || set.extents.empty()) return space;
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0};
  const hsize_t count[2] = {static_cast<hsize_t>(rows),
                            static_cast<hsize_t>(set.of_characters() ? set.extents[1] : 1)};
  if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr) < 0) return {};
  return space;
}

Handle cells_in_memory(const StringSet& set, int64_t rows) {
  const auto cells = static_cast<hsize_t>(set.of_characters() ? rows * set.extents[1] : rows);
  return Handle(H5Screate_simple(1, &cells, nullptr), H5Sclose);
}

int64_t rows_per_slab(int64_t string_bytes) {
  return std::max<int64_t>(1, slab_bytes / std::max<int64_t>(1, string_bytes));
}

// --- Writing ---

struct Writing {
  std::string path;
  int64_t count;
  char** strings;             // on rank 0
  int64_t longest_bytes = 0;  // without the NUL
  int64_t ascii = 1;
};

Status measure(Writing& writing) {
  if (!writing.strings && writing.count > 0)
    return Error{ErrorKind::argument, 0, "strings is a null pointer"};
  for (int64_t i = 0; i < writing.count; ++i) {
    const char* string = writing.strings[i];
    if (!string) return Error{ErrorKind::argument, 0, fmt::format("string {} is a null pointer", i)};
    const std::string_view text(string);
    writing.longest_bytes = std::max(writing.longest_bytes, static_cast<int64_t>(text.size()));
    if (std::any_of(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0; })) writing.ascii = 0;
  }
  if (writing.longest_bytes > most_string_bytes)
    return Error{ErrorKind::argument, 0, fmt::format("a string has {} bytes", writing.longest_bytes)};
  return {};
}

Status make(File& file, const Writing& writing) {
  if (Status status = make_parents(file, writing.path); !status) return status;
  std::vector<int64_t> extents{writing.count};
  const auto characters = writing.ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8;
  const auto bytes = static_cast<size_t>(file.netcdf ? 1 : writing.longest_bytes + 1);
  if (file.netcdf) extents.push_back(std::max<int64_t>(1, writing.longest_bytes));
  const std::vector<hsize_t> dims(extents.begin(), extents.end());
  const Handle type = text_type(bytes, characters),
               properties = creation_properties(file, H5P_DATASET_CREATE);
  const Handle space(H5Screate_simple(static_cast<int>(dims.size()), dims.data(), nullptr), H5Sclose);
  const Handle dataset(
      H5Dcreate2(file.id, writing.path.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT), H5Dclose);
  if (!dataset.ok()) return hdf5_error(fmt::format("could not make dataset {}", writing.path));
  return file.netcdf ? add_unnamed_scales(file, dataset, writing.path, extents) : Status();
}

Result<StringSet> open_to_write(File& file, const Writing& writing) {
  if (Status status = may_change(file, writing.path); !status) return status.error();
  const auto kind = kind_of(file.id, writing.path);
  if (!kind) return kind.error();
  if (*kind == Kind::none) {
    if (Status made = make(file, writing); !made) return made.error();
  }
  auto set = open_strings(file.id, writing.path);
  if (!set) return set.error();
  if (set->extents.empty() || set->count() != writing.count)
    return Error{ErrorKind::argument, 0,
                 fmt::format("dataset {} is there, with {} strings, not {}", writing.path, set->count(),
                             writing.count)};
  if (set->bytes() == 0)
    return Error{
        ErrorKind::unsupported, 0,
        fmt::format("dataset {} is there, of strings of variable length, which cannot be written in parallel",
                    writing.path)};
  const bool ended = !set->of_characters() && H5Tget_strpad(set->type) == H5T_STR_NULLTERM;
  if (set->bytes() - (ended ? 1 : 0) < writing.longest_bytes)
    return Error{ErrorKind::argument, 0,
                 fmt::format("dataset {} is there, with room for strings of {} bytes; the longest has {}",
                             writing.path, set->bytes() - (ended ? 1 : 0), writing.longest_bytes)};
  return set;
}

// Rank 0 writes, slab by slab. All roots take part in every slab, even after an error, as HDF5 demands for a
// compressed dataset.
Status write_slabs(const StringSet& set, const Writing& writing, bool writes) {
  const Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose);
  const int64_t bytes = set.of_characters() ? set.bytes() : writing.longest_bytes + 1;
  const Handle type = set.of_characters() ? Handle(H5Tcopy(set.type), H5Tclose)
                                          : text_type(static_cast<size_t>(bytes), H5Tget_cset(set.type));
  const int64_t step = rows_per_slab(bytes);
  Status outcome;
  if (H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) < 0)
    outcome = hdf5_error("could not prepare a transfer");
  std::vector<char> cells(writes ? static_cast<size_t>(std::min(step, writing.count) * bytes) : 1);
  for (int64_t first = 0; first < writing.count; first += step) {
    const int64_t rows = std::min(step, writing.count - first);
    const Handle there = rows_in(set, first, rows), here = cells_in_memory(set, rows);
    if (outcome && writes) {
      std::fill(cells.begin(), cells.end(), '\0');
      for (int64_t i = 0; i < rows; ++i) {
        const std::string_view text(writing.strings[first + i]);
        std::copy(text.begin(), text.end(), cells.begin() + i * bytes);
      }
    } else {
      H5Sselect_none(there);
      H5Sselect_none(here);
    }
    const herr_t code = H5Dwrite(set.id, type, here, there, transfer, cells.data());
    const Status written = transferred(
        code, set.id,
        fmt::format("could not write strings {} to {} of dataset {}", first, first + rows - 1, writing.path));
    if (outcome) outcome = written;
  }
  return outcome;
}

// Collective over the roots.
Status write_strings(File& file, Writing& writing) {
  const Layout& layout = *file.layout;
  const bool writes = layout.rank == 0;
  if (Status status = among_roots(file, [&] { return writes ? measure(writing) : Status(); }); !status)
    return status;
  StringSet set;
  Status status = among_roots(file, [&]() -> Status {
    int64_t told[2] = {writing.longest_bytes, writing.ascii};
    if (Status shared = mpi::checked_mpi(MPI_Bcast(told, 2, MPI_INT64_T, 0, layout.io), "MPI_Bcast"); !shared)
      return shared;
    writing.longest_bytes = told[0];
    writing.ascii = told[1];
    auto opened = open_to_write(file, writing);
    if (!opened) return opened.error();
    set = std::move(*opened);
    return {};
  });
  if (!status) return status;
  return among_roots(file, [&] { return write_slabs(set, writing, writes); });
}

// --- Reading ---

Status read_set(const StringSet& set, const std::string& path, Texts& texts) {
  const int64_t count = set.count(), bytes = set.bytes();
  const int64_t step = rows_per_slab(bytes == 0 ? 64 : bytes);
  for (int64_t first = 0; first < count; first += step) {
    const int64_t rows = std::min(step, count - first);
    const Handle there = rows_in(set, first, rows), here = cells_in_memory(set, rows);
    if (!there.ok() || !here.ok()) return hdf5_error("could not select strings");
    const auto read = [&](hid_t type, void* cells) {
      return H5Dread(set.id, type, here, there, H5P_DEFAULT, cells);
    };
    Status status;
    if (set.of_characters()) {
      std::vector<char> cells(static_cast<size_t>(rows * bytes));
      if (bytes > 0 && read(set.type, cells.data()) < 0) status = hdf5_error("could not read strings");
      for (int64_t i = 0; i < rows; ++i) texts.add(cells.data() + i * bytes, static_cast<size_t>(bytes));
    } else {
      status = read_texts(set.type, rows, read, texts);
    }
    if (!status)
      return Error{status.error().kind, 0, fmt::format("dataset {}: {}", path, status.error().message)};
  }
  return {};
}

Status read_strings(const File& file, const std::string& path, char**& strings, int& n) {
  Texts texts;
  Status read = at_roots(file, [&]() -> Status {
    const auto set = open_strings(file.id, path);
    if (!set) return set.error();
    if (set->count() > std::numeric_limits<int>::max())
      return Error{ErrorKind::count, 0,
                   fmt::format("dataset {} has {} strings, more than an int holds", path, set->count())};
    return read_set(*set, path, texts);
  });
  if (!read) return read;
  auto delivered = deliver_strings(file, texts);
  if (!delivered) return delivered.error();
  n = static_cast<int>(delivered->get_deleter().count);
  strings = delivered->release();
  return {};
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

extern "C" {

int scorpio_write_str_array(char** strings, int n, int fhandle, const char* dataset, iogroup_t* group) {
  return guarded([&]() -> int {
    const std::string name = text_of(dataset);
    Status mine = has_name(dataset, "a dataset");
    if (mine && n < 0) mine = Error{ErrorKind::argument, 0, fmt::format("{} is no number of strings", n)};
    const RootCall root_call{group, fhandle, fmt::format("writes strings to dataset {}", name),
                             fmt::format("writes {} strings to dataset {}", n, name), mine};
    const auto write = [&](File& file, int64_t&) {
      Writing writing{file.path_of(name), n, strings};
      return write_strings(file, writing);
    };
    return on_roots(root_call, write, [](File&, int64_t) {});
  });
}

int scorpio_read_str_array(char*** strings, int* n, int fhandle, const char* dataset, iogroup_t* group) {
  return guarded([&]() -> int {
    const std::string name = text_of(dataset);
    Status mine = has_name(dataset, "a dataset");
    if (mine && (!strings || !n))
      mine = Error{ErrorKind::argument, 0, "there is no room for the answer: a null pointer"};
    return on_file(group, fhandle, fmt::format("reads strings of dataset {}", name), mine,
                   [&](File& file) { return read_strings(file, file.path_of(name), *strings, *n); });
  });
}

}  // extern "C"
