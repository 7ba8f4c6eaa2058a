// The functions of scorpio.h for groups, files and datasets, in its order. Attributes, queries and the like
// have files of their own.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

#include "base/text/text.h"
#include "scorpio/c/call.h"
#include "scorpio/files/dataset.h"
#include "scorpio/files/map.h"
#include "scorpio/ranks/agreement.h"
#include "scorpio/refusal.h"

namespace concilio::scorpio {
namespace {

thread_local std::string failure;

// Returns `dims` as 64-bit integers. Returns nothing if the number of dimensions is impossible, as `dims` may
// not have that many.
template <typename Int>
std::vector<int64_t> wide(const Int* dims, int ndims) {
  const bool can_be = dims && ndims > 0 && ndims <= H5S_MAX_RANK;
  return can_be ? std::vector<int64_t>(dims, dims + ndims) : std::vector<int64_t>();
}

// Returns an error if the extents are wrong whatever the dataset is.
Status check_dims(int ndims, const char* what, const std::vector<int64_t>& dims) {
  if (ndims < 1 || ndims > H5S_MAX_RANK)
    return refusal(fmt::format("{} dimensions; a dataset has 1 to {}", ndims, H5S_MAX_RANK));
  if (dims.empty()) return refusal(fmt::format("{} is missing", what));
  for (const int64_t n : dims) {
    if (n < 0) return refusal(fmt::format("{} has {}, which is negative", what, n));
  }
  // No file has so many bytes, whatever the type.
  if (Box{{}, dims}.cells() > std::numeric_limits<int64_t>::max() / 8)
    return refusal(fmt::format("{} has more elements than can be: {}", what, words_of(dims)));
  return {};
}

Status first_of(std::initializer_list<Status> all) {
  for (const Status& status : all) {
    if (!status) return status;
  }
  return {};
}

// Puts the dataset's name in front of an error's message.
Status of_dataset(const char* name, const Status& status) {
  if (status) return {};
  return Error{status.error().kind, 0, fmt::format("dataset {}: {}", text_of(name), status.error().message)};
}

Result<Request> make_request(bool write, datatype_t type, const char* name, std::vector<int64_t> extents) {
  const auto element = element_of(type);
  if (!element) return element.error();
  if (!name || *name == '\0') return Error{ErrorKind::argument, 0, "the name of a dataset is missing"};
  return Request{write, *element, name, std::move(extents)};
}

std::string words_of_call(const char* verb, datatype_t type, const char* name,
                          const std::vector<int64_t>& extents, const std::string& more) {
  const auto element = element_of(type);
  return fmt::format("{} dataset {} of {}, {}{}", verb, text_of(name),
                     element ? element->name : "no known type", words_of(extents), more);
}

bool same_on_all(iopattern_t pattern) {
  return pattern == SCORPIO_UNIFORM_CONTIGUOUS_READ || pattern == SCORPIO_UNIFORM_CONTIGUOUS_WRITE;
}

bool writes(iopattern_t pattern) {
  return pattern == SCORPIO_UNIFORM_CONTIGUOUS_WRITE || pattern == SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE ||
         pattern == SCORPIO_NONCONTIGUOUS_WRITE;
}

Group& group_of(iogroup_t* group) {
  return *static_cast<Group*>(group->impl);
}

template <typename Int>
int move_by_pattern(bool write, void* data, datatype_t type, int ndims, const Int* globaldims,
                    const Int* localdims, int handle, const char* name, iogroup_t* group,
                    iopattern_t pattern) {
  const auto extents = wide(globaldims, ndims);
  const auto local = pattern == SCORPIO_EVERYONE_ENTIRE_DATASET_READ ? extents : wide(localdims, ndims);
  auto request = make_request(write, type, name, extents);
  if (request) {
    request->in_open_group = pattern == SCORPIO_NONUNIFORM_CONTIGUOUS_WRITE;
    request->first_rows = !write;
  }
  Status fits;
  if (writes(pattern) != write)
    fits = refusal(write ? "a pattern for reading, in a write" : "a pattern for writing, in a read");
  if (!data && !Box{{}, local}.empty()) fits = refusal("the memory of its part is missing");
  const Status mine = of_dataset(
      name, first_of({check_dims(ndims, "globaldims", extents), check_dims(ndims, "localdims", local),
                      request ? Status() : Status(request.error()), fits}));
  std::string more = fmt::format(" by pattern {}", static_cast<int>(pattern));
  if (same_on_all(pattern)) more += fmt::format(" with localdims {}", words_of(local));
  return on_file(group, handle, words_of_call(write ? "writes" : "reads", type, name, extents, more), mine,
                 [&](File& file) -> Status {
                   const auto box = place(file, pattern, extents, local);
                   if (!box)
                     return Error{box.error().kind, 0,
                                  fmt::format("dataset {}: {}", file.path_of(name, request->in_open_group),
                                              box.error().message)};
                   return move_blocks(group_of(group), file, *request, *box, data);
                 });
}

template <typename Int>
int move_block(bool write, void* data, datatype_t type, int ndims, const Int* globaldims,
               const Int* localdims, const Int* localstarts, int handle, const char* name, iogroup_t* group) {
  const auto extents = wide(globaldims, ndims);
  Box box{wide(localstarts, ndims), wide(localdims, ndims)};
  auto request = make_request(write, type, name, extents);
  if (request) request->in_open_group = write;
  Status mine =
      first_of({check_dims(ndims, "globaldims", extents), check_dims(ndims, "localdims", box.count),
                check_dims(ndims, "localstarts", box.start), request ? Status() : Status(request.error())});
  // The block is checked before the dataset is made.
  if (mine) mine = check_block(box, extents, data);
  mine = of_dataset(name, mine);
  return on_file(group, handle, words_of_call(write ? "writes" : "reads", type, name, extents, " by blocks"),
                 mine, [&](File& file) { return move_blocks(group_of(group), file, *request, box, data); });
}

template <typename Int>
int read_same(void* data, datatype_t type, int ndims, const Int* localdims, const Int* localstarts,
              int handle, const char* name, iogroup_t* group) {
  const Box box{wide(localstarts, ndims), wide(localdims, ndims)};
  const auto request = make_request(false, type, name, {});
  const Status mine = of_dataset(
      name, first_of({check_dims(ndims, "localdims", box.count), check_dims(ndims, "localstarts", box.start),
                      request ? Status() : Status(request.error())}));
  const std::string call = words_of_call("reads", type, name, box.count, " at " + words_of(box.start));
  return on_file(group, handle, call, mine,
                 [&](File& file) { return move_blocks(group_of(group), file, *request, box, data); });
}

int move_map(bool write, void* data, datatype_t type, int ndims, const int64_t* globaldims, int64_t nlocal,
             const int64_t* map, int handle, const char* name, iogroup_t* group) {
  const auto extents = wide(globaldims, ndims);
  const auto request = make_request(write, type, name, extents);
  Status list;
  const bool moves = nlocal > 0 && !Box{{}, extents}.empty();
  if (nlocal < 0 || nlocal > INT32_MAX)
    list = refusal(fmt::format("nlocal is {}; a map has 0 to {} entries", nlocal, INT32_MAX));
  if ((nlocal > 0 && !map) || (moves && !data)) list = refusal("the map or its data is missing");
  for (int64_t i = 0; list && !extents.empty() && i < nlocal; ++i) {
    if (map[i] < 0 || map[i] >= extents[0])
      list = refusal(fmt::format("map[{}] is {}; it has rows 0 to {}", i, map[i], extents[0] - 1));
  }
  const Status mine = of_dataset(name, first_of({check_dims(ndims, "globaldims", extents), list,
                                                 request ? Status() : Status(request.error())}));
  return on_file(
      group, handle, words_of_call(write ? "writes" : "reads", type, name, extents, " by a map"), mine,
      [&](File& file) {
        return move_rows(group_of(group), file, *request, {map, static_cast<size_t>(nlocal)}, data);
      });
}

// The frame of calls that concern a group and no file.
template <typename Work>
int on_group(iogroup_t* shown, const std::string& call, const Status& mine, Work work) noexcept {
  return with_group(shown, call, [&](Group& group) -> Status {
    if (Status status = begin_together({group.comm, ""}, in_group(group, call), mine); !status) return status;
    return work(group);
  });
}

Result<Creation> copied(const scorpio_creation_t* creation) {
  Creation copy;
  if (!creation) return copy;
  if (creation->nchunk < 0 || creation->nchunk > H5S_MAX_RANK || (creation->nchunk > 0 && !creation->chunk))
    return Error{ErrorKind::argument, 0, fmt::format("chunks of {} dimensions", creation->nchunk)};
  copy.chunk = wide(creation->chunk, creation->nchunk);
  for (const int64_t n : copy.chunk) {
    if (n < 1)
      return Error{ErrorKind::argument, 0, fmt::format("a chunk's extent is {}; it must be above 0", n)};
  }
  if (creation->deflate < 0 || creation->deflate > 9)
    return Error{ErrorKind::argument, 0,
                 fmt::format("deflate is {}; levels are 1 to 9, and 0 for none", creation->deflate)};
  copy.deflate = creation->deflate;
  copy.shuffle = creation->shuffle != 0;
  const std::string names = text_of(creation->dimension_names);
  for (std::string_view rest = names; !rest.empty();) {
    const std::string_view name = trimmed(take_until(rest, ','));
    if (name.empty() || name.find('/') != std::string_view::npos)
      return Error{ErrorKind::argument, 0,
                   fmt::format("dimension_names \"{}\" has a name that is empty or has a slash",
                               creation->dimension_names)};
    copy.dimension_names.emplace_back(name);
  }
  return copy;
}

}  // namespace

int fail(const Error& error) {
  failure = error.message;
  return FAILURE;
}

void forget_failure() {
  failure.clear();
}

const char* last_failure() {
  return failure.c_str();
}

}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

extern "C" {

const char* scorpio_last_error(void) {
  return last_failure();
}

int scorpio_IOgroup_init(iogroup_conf_t* conf, iogroup_t* group) {
  return guarded([&]() -> int {
    forget_failure();
    if (!conf || !group)
      return fail({ErrorKind::argument, 0, "scorpio_IOgroup_init: conf or group is missing"});
    int started = 0, ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (!started || ended || conf->commIncoming == MPI_COMM_NULL)
      return fail(
          {ErrorKind::argument, 0, "scorpio_IOgroup_init: MPI is not running, or commIncoming is null"});
    *group = {};
    auto made = make_group(*conf);
    if (!made) return fail(made.error());
    show(**made, *group);
    scorpio_debuglog_init(group->globalrank);
    group->impl = made->release();
    return 0;
  });
}

int scorpio_IOgroup_cleanup(iogroup_t* group) {
  return on_group(group, "ends an I/O group", {}, [&](Group& ending) {
    Status closed = end_group(ending);
    delete &ending;
    *group = {};
    group->localcomm = group->globalcomm = group->iocomm = MPI_COMM_NULL;
    return closed;
  });
}

int scorpio_open_file(const char* filename, iogroup_t* group, file_mode_t mode) {
  Status mine;
  if (!filename || *filename == '\0') mine = refusal("the name of the file to open is missing");
  if (mode < SCORPIO_FILE_CREATE || mode > SCORPIO_FILE_CREATE_NETCDF4)
    mine = refusal(fmt::format("{}: {} is no file_mode_t", text_of(filename), static_cast<int>(mode)));
  const std::string call = fmt::format("opens file {} in mode {}", text_of(filename), static_cast<int>(mode));
  int handle = FAILURE;
  on_group(group, call, mine, [&](Group& opening) -> Status {
    const auto opened = open_file(opening, filename, mode);
    if (!opened) return opened.error();
    show(opening, *group);
    handle = *opened;
    return {};
  });
  return handle;
}

int scorpio_close_file(int fhandle, iogroup_t* group) {
  const char* const call = "closes the file";
  return on_roots(
      {group, fhandle, call, call, {}, true},
      [&](File&, int64_t&) { return close_file(group_of(group), fhandle); },
      [&](File&, int64_t) { forget_file(group_of(group), fhandle); });
}

int scorpio_set_buffer_bytes(int64_t bytes, iogroup_t* group) {
  Status mine;
  if (bytes != 0 && bytes < 4096)
    mine = refusal(fmt::format("a buffer of {} bytes; give at least 4096, or 0 for the default", bytes));
  return on_group(group, fmt::format("sets buffers of {} bytes", bytes), mine, [&](Group& set) -> Status {
    if (bytes == 0) return take_settings(set);
    set.buffer_bytes = bytes;
    return {};
  });
}

int64_t scorpio_peak_buffer_bytes(const iogroup_t* group) {
  return group && group->impl ? static_cast<const Group*>(group->impl)->peak_bytes : 0;
}

int scorpio_set_expected_bytes(int64_t bytes, iogroup_t* group) {
  const Status mine = bytes < 0 ? refusal(fmt::format("{} bytes expected", bytes)) : Status();
  return on_group(group, fmt::format("expects {} bytes", bytes), mine, [&](Group& set) -> Status {
    set.expected_bytes = bytes;
    return {};
  });
}

int scorpio_set_relative_names(int relative, iogroup_t* group) {
  const char* const call =
      relative ? "makes all names relative" : "makes names relative as the original has it";
  return on_group(group, call, {}, [&](Group& set) -> Status {
    set.relative_names = relative != 0;
    return {};
  });
}

int scorpio_set_creation(const scorpio_creation_t* creation, int fhandle, iogroup_t* group) {
  const auto copy = copied(creation);
  std::string call = "sets how datasets are made";
  if (copy)
    call += fmt::format(" (chunks {}, deflate {}, shuffle {}, dimensions {})", words_of(copy->chunk),
                        copy->deflate, copy->shuffle, fmt::join(copy->dimension_names, ","));
  return on_file(group, fhandle, call, copy ? Status() : Status(copy.error()), [&](File& file) -> Status {
    file.creation = *copy;
    return {};
  });
}

int scorpio_read_dataset(void* data, datatype_t type, int ndims, const int* globaldims, const int* localdims,
                         int fhandle, const char* dataset, iogroup_t* group, iopattern_t pattern) {
  return move_by_pattern(false, data, type, ndims, globaldims, localdims, fhandle, dataset, group, pattern);
}

int scorpio_read_dataset_64(void* data, datatype_t type, int ndims, const int64_t* globaldims,
                            const int64_t* localdims, int fhandle, const char* dataset, iogroup_t* group,
                            iopattern_t pattern) {
  return move_by_pattern(false, data, type, ndims, globaldims, localdims, fhandle, dataset, group, pattern);
}

int scorpio_write_dataset(const void* data, datatype_t type, int ndims, const int* globaldims,
                          const int* localdims, int fhandle, const char* dataset, iogroup_t* group,
                          iopattern_t pattern) {
  return move_by_pattern(true, const_cast<void*>(data), type, ndims, globaldims, localdims, fhandle, dataset,
                         group, pattern);
}

int scorpio_write_dataset_64(const void* data, datatype_t type, int ndims, const int64_t* globaldims,
                             const int64_t* localdims, int fhandle, const char* dataset, iogroup_t* group,
                             iopattern_t pattern) {
  return move_by_pattern(true, const_cast<void*>(data), type, ndims, globaldims, localdims, fhandle, dataset,
                         group, pattern);
}

int scorpio_read_dataset_block(void* data, datatype_t type, int ndims, const int* globaldims,
                               const int* localdims, const int* localstarts, int fhandle, const char* dataset,
                               iogroup_t* group) {
  return move_block(false, data, type, ndims, globaldims, localdims, localstarts, fhandle, dataset, group);
}

int scorpio_read_dataset_block_64(void* data, datatype_t type, int ndims, const int64_t* globaldims,
                                  const int64_t* localdims, const int64_t* localstarts, int fhandle,
                                  const char* dataset, iogroup_t* group) {
  return move_block(false, data, type, ndims, globaldims, localdims, localstarts, fhandle, dataset, group);
}

int scorpio_write_dataset_block(const void* data, datatype_t type, int ndims, const int* globaldims,
                                const int* localdims, const int* localstarts, int fhandle,
                                const char* dataset, iogroup_t* group) {
  return move_block(true, const_cast<void*>(data), type, ndims, globaldims, localdims, localstarts, fhandle,
                    dataset, group);
}

int scorpio_write_dataset_block_64(const void* data, datatype_t type, int ndims, const int64_t* globaldims,
                                   const int64_t* localdims, const int64_t* localstarts, int fhandle,
                                   const char* dataset, iogroup_t* group) {
  return move_block(true, const_cast<void*>(data), type, ndims, globaldims, localdims, localstarts, fhandle,
                    dataset, group);
}

int scorpio_read_same_sub_dataset(void* data, datatype_t type, int ndims, const int* localdims,
                                  const int* localstarts, int fhandle, const char* dataset,
                                  iogroup_t* group) {
  return read_same(data, type, ndims, localdims, localstarts, fhandle, dataset, group);
}

int scorpio_read_same_sub_dataset_64(void* data, datatype_t type, int ndims, const int64_t* localdims,
                                     const int64_t* localstarts, int fhandle, const char* dataset,
                                     iogroup_t* group) {
  return read_same(data, type, ndims, localdims, localstarts, fhandle, dataset, group);
}

int scorpio_read_dataset_map(void* data, datatype_t type, int ndims, const int64_t* globaldims,
                             int64_t nlocal, const int64_t* map, int fhandle, const char* dataset,
                             iogroup_t* group) {
  return move_map(false, data, type, ndims, globaldims, nlocal, map, fhandle, dataset, group);
}

int scorpio_write_dataset_map(const void* data, datatype_t type, int ndims, const int64_t* globaldims,
                              int64_t nlocal, const int64_t* map, int fhandle, const char* dataset,
                              iogroup_t* group) {
  return move_map(true, const_cast<void*>(data), type, ndims, globaldims, nlocal, map, fhandle, dataset,
                  group);
}

}  // extern "C"
