#include "scorpio/files/xdmf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/checked.h"
#include "base/xml.h"

namespace concilio::scorpio {
namespace {

// Where grids begin and end in our files, by which they are found again.
constexpr std::string_view head =
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
    "<!-- Made by scorpio_write_xdmf of Concilio, which adds to it. -->\n"
    "<Xdmf Version=\"3.0\">\n"
    "  <Domain>\n"
    "    <Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
constexpr std::string_view tail =
    "    </Grid>\n"
    "  </Domain>\n"
    "</Xdmf>\n";
constexpr std::string_view grid_begin = "      <Grid ";
constexpr std::string_view grid_end = "      </Grid>\n";

struct Topology {
  std::string_view name;
  int64_t points;  // of a cell; 0: any number
};
constexpr std::array topologies = {
    Topology{"Polyvertex", 0},      Topology{"Polyline", 0},        Topology{"Polygon", 0},
    Topology{"Triangle", 3},        Topology{"Quadrilateral", 4},   Topology{"Tetrahedron", 4},
    Topology{"Pyramid", 5},         Topology{"Wedge", 6},           Topology{"Hexahedron", 8},
    Topology{"Edge_3", 3},          Topology{"Triangle_6", 6},      Topology{"Quadrilateral_8", 8},
    Topology{"Quadrilateral_9", 9}, Topology{"Tetrahedron_10", 10}, Topology{"Pyramid_13", 13},
    Topology{"Wedge_15", 15},       Topology{"Wedge_18", 18},       Topology{"Hexahedron_20", 20},
    Topology{"Hexahedron_24", 24},  Topology{"Hexahedron_27", 27}};

Error not_described(const std::string& message) {
  return {ErrorKind::argument, 0, message};
}

std::string product(const std::vector<int64_t>& extents) {
  return fmt::format("{}", fmt::join(extents, " x "));
}

int64_t cells_in(const std::vector<int64_t>& extents) {
  int64_t cells = 1;
  for (const int64_t extent : extents) cells = checked_multiply(cells, extent).value_or(-1);
  return cells;
}

bool is_mixed(const XdmfGrid& grid) {
  return grid.topology == "Mixed";
}

// Extents that a field has, one value a point or a cell.
std::vector<int64_t> places_of(const XdmfGrid& grid, bool cells) {
  if (grid.kind == XdmfGrid::Kind::unstructured) {
    if (!cells) return {grid.coordinates.front().extents[0]};
    return {is_mixed(grid) ? grid.cells : grid.connectivity.extents[0]};
  }
  std::vector<int64_t> places = grid.points;
  if (cells) {
    for (int64_t& n : places) n = std::max<int64_t>(1, n - 1);
  }
  return places;
}

// Values a point or cell; 0: the dataset is not such that readers find them. They are strict: ParaView takes
// a flat dataset on a structured grid, though it has enough values, for a shorter one.
int64_t components_of(const XdmfGrid& grid, const XdmfField& field) {
  std::vector<int64_t> extents = field.data.extents;
  const std::vector<int64_t> places = places_of(grid, field.on_cells);
  if (extents == places) return 1;
  const int64_t last = extents.back();
  extents.pop_back();
  return extents == places ? last : 0;
}

const char* attribute_type(int64_t components) {
  switch (components) {
    case 1:
      return "Scalar";
    case 3:
      return "Vector";
    case 6:
      return "Tensor6";
    case 9:
      return "Tensor";
    default:
      return "Matrix";
  }
}

Status check_structured(const XdmfGrid& grid) {
  for (size_t d = 0; d < grid.coordinates.size(); ++d) {
    const XdmfData& data = grid.coordinates[d];
    if (data.cells() != grid.points[d])
      return not_described(fmt::format("dataset {} has {} coordinates, the grid has {} points there",
                                       data.path, product(data.extents), grid.points[d]));
  }
  return {};
}

Status check_unstructured(const XdmfGrid& grid) {
  const XdmfData& points = grid.coordinates.front();
  if (points.extents.size() != 2 || (points.extents[1] != 3 && points.extents[1] != 2))
    return not_described(fmt::format("dataset {} has extents {}: points are of extents N x 3 or N x 2",
                                     points.path, product(points.extents)));
  const XdmfData& cells = grid.connectivity;
  if (std::string_view(cells.number_type) == "Float")
    return not_described(fmt::format("dataset {} of the cells' points holds no integers", cells.path));
  if (is_mixed(grid)) {
    if (cells.extents.size() == 1) return {};
    return not_described(fmt::format("dataset {} has extents {}: for \"Mixed\" it has one dimension",
                                     cells.path, product(cells.extents)));
  }
  const auto known = std::find_if(topologies.begin(), topologies.end(),
                                  [&](const Topology& topology) { return topology.name == grid.topology; });
  if (known == topologies.end())
    return not_described(fmt::format("XDMF has no topology \"{}\"", grid.topology));
  if (cells.extents.size() == 2 && (known->points == 0 || cells.extents[1] == known->points)) return {};
  return not_described(fmt::format("dataset {} has extents {}: for \"{}\" they are N x {}", cells.path,
                                   product(cells.extents), grid.topology,
                                   known->points == 0 ? "any" : std::to_string(known->points)));
}

// --- Words ---

std::string data_item(const XdmfData& data, const std::string& file, int indent) {
  return fmt::format(
      "{:{}}<DataItem Format=\"HDF\" NumberType=\"{}\" Precision=\"{}\" Dimensions=\"{}\">{}:{}</DataItem>\n",
      "", indent, data.number_type, data.precision_bytes, fmt::join(data.extents, " "), xml_escaped(file),
      xml_escaped(data.path));
}

std::string number_item(const std::vector<double>& numbers) {
  return fmt::format(
      "          <DataItem Format=\"XML\" NumberType=\"Float\" Precision=\"8\" "
      "Dimensions=\"{}\">{}</DataItem>\n",
      numbers.size(), fmt::join(numbers, " "));
}

std::string structured_words(const XdmfGrid& grid, const std::string& file) {
  const bool uniform = grid.kind == XdmfGrid::Kind::uniform;
  const bool flat = grid.points.size() == 2;
  std::string out =
      fmt::format("        <Topology TopologyType=\"{}{}\" Dimensions=\"{}\"/>\n", flat ? "2D" : "3D",
                  uniform ? "CoRectMesh" : "RectMesh", fmt::join(grid.points, " "));
  const char* geometry = uniform ? (flat ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ") : (flat ? "VXVY" : "VXVYVZ");
  out += fmt::format("        <Geometry GeometryType=\"{}\">\n", geometry);
  if (uniform) {
    // In spite of the name slowest first, as the dimensions are.
    out += number_item(grid.origin) + number_item(grid.spacing);
  } else {
    // x first.
    for (size_t d = grid.coordinates.size(); d-- > 0;) out += data_item(grid.coordinates[d], file, 10);
  }
  return out + "        </Geometry>\n";
}

std::string unstructured_words(const XdmfGrid& grid, const std::string& file) {
  const bool fixed = std::any_of(topologies.begin(), topologies.end(), [&](const Topology& topology) {
    return topology.name == grid.topology && topology.points > 0;
  });
  std::string out = fmt::format("        <Topology TopologyType=\"{}\" NumberOfElements=\"{}\"",
                                grid.topology, places_of(grid, true).front());
  if (!fixed && !is_mixed(grid)) out += fmt::format(" NodesPerElement=\"{}\"", grid.connectivity.extents[1]);
  out += ">\n" + data_item(grid.connectivity, file, 10) + "        </Topology>\n";
  const XdmfData& points = grid.coordinates.front();
  out += fmt::format("        <Geometry GeometryType=\"{}\">\n", points.extents[1] == 3 ? "XYZ" : "XY");
  return out + data_item(points, file, 10) + "        </Geometry>\n";
}

}  // namespace

int64_t XdmfData::cells() const {
  return cells_in(extents);
}

Status check(const XdmfGrid& grid) {
  const bool unstructured = grid.kind == XdmfGrid::Kind::unstructured;
  if (Status status = unstructured ? check_unstructured(grid) : check_structured(grid); !status)
    return status;
  for (const XdmfField& field : grid.fields) {
    if (components_of(grid, field) == 0)
      return not_described(fmt::format("dataset {} has extents {}, the grid has {} {}", field.data.path,
                                       product(field.data.extents), product(places_of(grid, field.on_cells)),
                                       field.on_cells ? "cells" : "points"));
  }
  return {};
}

std::string words_of(const XdmfGrid& grid, const std::string& name, const std::string& file) {
  std::string out = fmt::format("{}Name=\"{}\" GridType=\"Uniform\">\n        <Time Value=\"{}\"/>\n",
                                grid_begin, xml_escaped(name), grid.time);
  out += grid.kind == XdmfGrid::Kind::unstructured ? unstructured_words(grid, file)
                                                   : structured_words(grid, file);
  for (const XdmfField& field : grid.fields) {
    const int64_t components = components_of(grid, field);
    out += fmt::format("        <Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\">\n",
                       xml_escaped(field.name), attribute_type(components), field.on_cells ? "Cell" : "Node");
    out += data_item(field.data, file, 10) + "        </Attribute>\n";
  }
  return out + std::string(grid_end);
}

std::string xmf_beside(const std::string& file) {
  constexpr std::string_view extension = ".h5";
  const bool ends = file.size() > extension.size() && file.ends_with(extension) &&
                    file[file.size() - extension.size() - 1] != '/';
  return (ends ? file.substr(0, file.size() - extension.size()) : file) + ".xmf";
}

std::string xmf_of(const std::vector<std::string>& grids) {
  return fmt::format("{}{}{}", head, fmt::join(grids, ""), tail);
}

std::vector<std::string> grids_in(std::string_view xmf) {
  if (!xmf.starts_with(head) || !xmf.ends_with(tail)) return {};
  xmf.remove_prefix(head.size());
  xmf.remove_suffix(tail.size());
  std::vector<std::string> grids;
  while (!xmf.empty()) {
    const size_t end = xmf.find(grid_end);
    if (!xmf.starts_with(grid_begin) || end == std::string_view::npos) return {};
    grids.emplace_back(xmf.substr(0, end + grid_end.size()));
    xmf.remove_prefix(end + grid_end.size());
  }
  return grids;
}

}  // namespace concilio::scorpio
