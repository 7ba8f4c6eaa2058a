// The function scorpio_write_xdmf: looks up the grid's datasets in the file, and writes the .xmf file.
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>

#include "base/exceptions.h"
#include "base/system/read_file.h"
#include "scorpio/c/call.h"
#include "scorpio/files/objects.h"
#include "scorpio/files/xdmf.h"
#include "scorpio/refusal.h"

namespace concilio::scorpio {
namespace {

// Whether the text has characters that XML cannot hold, not even escaped.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
}

Result<XdmfData> named_data(const char* dataset, const char* what) {
  if (Status status = has_name(dataset, what); !status) return status.error();
  XdmfData data;
  data.path = dataset;
  if (has_control_characters(data.path)) return refusal("the name of a dataset has control characters");
  return data;
}

Status take_numbers(const double* numbers, const char* what, int count, std::vector<double>& into) {
  if (!numbers) return refusal(fmt::format("{} is a null pointer", what));
  into.assign(numbers, numbers + count);
  for (const double number : into) {
    if (!std::isfinite(number)) return refusal(fmt::format("{} has {}", what, number));
  }
  return {};
}

Status take_coordinates(const scorpio_xdmf_grid_t& given, int count, XdmfGrid& grid) {
  if (!given.coordinates) return refusal("coordinates is a null pointer");
  for (int d = 0; d < count; ++d) {
    auto data = named_data(given.coordinates[d], "a dataset of coordinates");
    if (!data) return data.error();
    grid.coordinates.push_back(std::move(*data));
  }
  return {};
}

Status take_structured(const scorpio_xdmf_grid_t& given, XdmfGrid& grid) {
  if (given.ndims != 2 && given.ndims != 3)
    return refusal(fmt::format("a grid has 2 or 3 dimensions, not {}", given.ndims));
  if (!given.points) return refusal("points is a null pointer");
  grid.points.assign(given.points, given.points + given.ndims);
  for (const int64_t n : grid.points) {
    if (n < 1) return refusal(fmt::format("a grid has at least 1 point in each dimension, not {}", n));
  }
  if (grid.kind == XdmfGrid::Kind::rectilinear) return take_coordinates(given, given.ndims, grid);
  if (Status status = take_numbers(given.origin, "origin", given.ndims, grid.origin); !status) return status;
  return take_numbers(given.spacing, "spacing", given.ndims, grid.spacing);
}

Status take_unstructured(const scorpio_xdmf_grid_t& given, XdmfGrid& grid) {
  if (Status status = take_coordinates(given, 1, grid); !status) return status;
  grid.topology = text_of(given.topology);
  auto cells = named_data(given.connectivity, "the dataset of the cells' points");
  if (!cells) return cells.error();
  grid.connectivity = std::move(*cells);
  grid.cells = given.cells;
  if (grid.topology == "Mixed" && grid.cells < 0) return refusal(fmt::format("{} cells", grid.cells));
  return {};
}

Status take_fields(const scorpio_xdmf_grid_t& given, XdmfGrid& grid) {
  if (given.nfields < 0 || (given.nfields > 0 && !given.fields))
    return refusal(
        fmt::format("nfields is {}, fields {}", given.nfields, given.fields ? "given" : "a null pointer"));
  for (int i = 0; i < given.nfields; ++i) {
    auto data = named_data(given.fields[i].dataset, "a field's dataset");
    if (!data) return data.error();
    const std::string last = data->path.substr(data->path.find_last_of('/') + 1);
    const std::string name = given.fields[i].name ? given.fields[i].name : last;
    if (has_control_characters(name)) return refusal("the name of a field has control characters");
    grid.fields.push_back({name, given.fields[i].on_cells != 0, std::move(*data)});
  }
  return {};
}

Result<XdmfGrid> copied(const scorpio_xdmf_grid_t* given) {
  if (!given)
    return refusal(
        "no grid: a null pointer or, in Fortran, no call of fscorpio_xdmf_begin_... before this one");
  XdmfGrid grid;
  grid.time = given->time;
  if (!std::isfinite(grid.time)) return refusal(fmt::format("time is {}", grid.time));
  Status taken;
  switch (given->kind) {
    case SCORPIO_XDMF_UNIFORM:
      taken = take_structured(*given, grid);
      break;
    case SCORPIO_XDMF_RECTILINEAR:
      grid.kind = XdmfGrid::Kind::rectilinear;
      taken = take_structured(*given, grid);
      break;
    case SCORPIO_XDMF_UNSTRUCTURED:
      grid.kind = XdmfGrid::Kind::unstructured;
      taken = take_unstructured(*given, grid);
      break;
    default:
      return refusal(fmt::format("{} is no kind of grid", static_cast<int>(given->kind)));
  }
  if (taken) taken = take_fields(*given, grid);
  if (!taken) return taken.error();
  return grid;
}

// Describes what all ranks must ask alike.
std::string call_of(const XdmfGrid& grid) {
  std::string names;
  for (const XdmfData& data : grid.coordinates) names += " " + data.path;
  for (const XdmfField& field : grid.fields)
    names += fmt::format(" {}={}({})", field.name, field.data.path, field.on_cells ? "cells" : "points");
  return fmt::format(
      "adds a grid of kind {} at time {} with points [{}] origin [{}] spacing [{}] {} {} {} to the .xmf:{}",
      static_cast<int>(grid.kind), grid.time, fmt::join(grid.points, ","), fmt::join(grid.origin, ","),
      fmt::join(grid.spacing, ","), grid.topology, grid.connectivity.path, grid.cells, names);
}

// --- At the roots ---

Status look_up(const File& file, XdmfData& data) {
  data.path = file.path_of(data.path);
  const auto dataset = open_dataset(file.id, data.path);
  if (!dataset) return dataset.error();
  auto extents = extents_of(*dataset, data.path);
  if (!extents) return extents.error();
  data.extents = std::move(*extents);
  if (data.extents.empty()) data.extents = {1};
  const Handle type(H5Dget_type(*dataset), H5Tclose);
  const H5T_class_t kind = type.ok() ? H5Tget_class(type) : H5T_NO_CLASS;
  data.precision_bytes = type.ok() ? static_cast<int64_t>(H5Tget_size(type)) : 0;
  if (kind == H5T_FLOAT && (data.precision_bytes == 4 || data.precision_bytes == 8)) {
    data.number_type = "Float";
    return {};
  }
  const bool usual = data.precision_bytes == 1 || data.precision_bytes == 2 || data.precision_bytes == 4 ||
                     data.precision_bytes == 8;
  if (kind != H5T_INTEGER || !usual)
    return refusal(fmt::format("XDMF has no name for the type of dataset {}", data.path));
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  if (data.precision_bytes == 1) {
    data.number_type = is_signed ? "Char" : "UChar";
  } else {
    data.number_type = is_signed ? "Int" : "UInt";
  }
  return {};
}

Status look_up_all(const File& file, XdmfGrid& grid) {
  for (XdmfData& data : grid.coordinates) {
    if (Status status = look_up(file, data); !status) return status;
  }
  if (grid.kind == XdmfGrid::Kind::unstructured) {
    if (Status status = look_up(file, grid.connectivity); !status) return status;
  }
  for (XdmfField& field : grid.fields) {
    if (Status status = look_up(file, field.data); !status) return status;
  }
  return check(grid);
}

// --- On rank 0 ---

// Replaces the file in one step: readers see the old file or the new one, and nothing between.
Status replace(const std::string& name, const std::string& text) {
  const std::string aside = name + ".new";
  const auto failure = [&](const char* what) {
    Error error = Error::from_errno(errno, fmt::format("could not {} {}", what, aside));
    std::remove(aside.c_str());
    return error;
  };
  std::FILE* file = std::fopen(aside.c_str(), "wb");
  if (!file) return failure("make");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int write_errno = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = write_errno;
  if (!written || !closed) return failure("write");
  if (std::rename(aside.c_str(), name.c_str()) != 0) return failure("rename");
  return {};
}

Status add_to_xmf(File& file, const XdmfGrid& grid) {
  const std::string name = xmf_beside(file.name);
  if (file.xmf.empty() && !file.made) {
    const auto there = read_all(name);
    if (there) file.xmf = *there;
  }
  const std::string reference = file.name.substr(file.name.find_last_of('/') + 1);
  std::string extended = with_grid(file.xmf, grid, reference);
  Status written = replace(name, extended);
  if (written) file.xmf = std::move(extended);
  return written;
}

}  // namespace
}  // namespace concilio::scorpio

using namespace concilio;
using namespace concilio::scorpio;

extern "C" int scorpio_write_xdmf(const scorpio_xdmf_grid_t* grid, int fhandle, iogroup_t* group) {
  return guarded([&]() -> int {
    auto taken = copied(grid);
    return on_file(group, fhandle, taken ? call_of(*taken) : "adds a grid to the .xmf",
                   taken ? Status() : Status(taken.error()), [&](File& file) -> Status {
                     Status status = at_roots(file, [&] { return look_up_all(file, *taken); });
                     if (!status) return status;
                     if (file.layout->rank == 0)
                       status = without_exceptions([&] { return add_to_xmf(file, *taken); });
                     return agree(file.layout->global, status);
                   });
  });
}
