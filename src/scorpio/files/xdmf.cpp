#include "scorpio/files/xdmf.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <pugixml.hpp>
#include <sstream>

#include "base/checked.h"
#include "scorpio/refusal.h"

namespace concilio::scorpio {
namespace {

// The comment that this library writes into its files, to recognise them later.
constexpr const char* signature = " Made by scorpio_write_xdmf of Concilio, which adds to it. ";

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

// Returns the extents that a field has if it has one value for each point, or for each cell.
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

// Returns the number of values for each point or cell; 0: readers would not understand the dataset. They are
// strict: on a structured grid ParaView takes a flat dataset, though it has enough values, for a shorter one.
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
      return refusal(fmt::format("dataset {} has {} coordinates, the grid has {} points there", data.path,
                                 product(data.extents), grid.points[d]));
  }
  return {};
}

Status check_unstructured(const XdmfGrid& grid) {
  const XdmfData& points = grid.coordinates.front();
  if (points.extents.size() != 2 || (points.extents[1] != 3 && points.extents[1] != 2))
    return refusal(fmt::format("dataset {} has extents {}: points are of extents N x 3 or N x 2", points.path,
                               product(points.extents)));
  const XdmfData& cells = grid.connectivity;
  if (std::string_view(cells.number_type) == "Float")
    return refusal(fmt::format("dataset {} of the cells' points holds no integers", cells.path));
  if (is_mixed(grid)) {
    if (cells.extents.size() == 1) return {};
    return refusal(fmt::format("dataset {} has extents {}: for \"Mixed\" it has one dimension", cells.path,
                               product(cells.extents)));
  }
  const auto known = std::find_if(topologies.begin(), topologies.end(),
                                  [&](const Topology& topology) { return topology.name == grid.topology; });
  if (known == topologies.end()) return refusal(fmt::format("XDMF has no topology \"{}\"", grid.topology));
  if (cells.extents.size() == 2 && (known->points == 0 || cells.extents[1] == known->points)) return {};
  return refusal(fmt::format("dataset {} has extents {}: for \"{}\" they are N x {}", cells.path,
                             product(cells.extents), grid.topology,
                             known->points == 0 ? "any" : std::to_string(known->points)));
}

// --- XML ---

// The XML library returns nothing if it has no memory, and would leave out what it could not store. So this
// throws then.
template <typename Made>
Made made(Made what) {
  if (!what) throw std::bad_alloc();
  return what;
}

pugi::xml_node add_element(pugi::xml_node& to, const char* name) {
  return made(to.append_child(name));
}

void add_attribute(pugi::xml_node& to, const char* name, const std::string& value) {
  made(made(to.append_attribute(name)).set_value(value.c_str()));
}

void add_text(pugi::xml_node& to, const std::string& text) {
  made(made(to.append_child(pugi::node_pcdata)).set_value(text.c_str()));
}

void add_data(pugi::xml_node& to, const XdmfData& data, const std::string& file) {
  pugi::xml_node item = add_element(to, "DataItem");
  add_attribute(item, "Format", "HDF");
  add_attribute(item, "NumberType", data.number_type);
  add_attribute(item, "Precision", fmt::format("{}", data.precision_bytes));
  add_attribute(item, "Dimensions", fmt::format("{}", fmt::join(data.extents, " ")));
  add_text(item, fmt::format("{}:{}", file, data.path));
}

void add_numbers(pugi::xml_node& to, const std::vector<double>& numbers) {
  pugi::xml_node item = add_element(to, "DataItem");
  add_attribute(item, "Format", "XML");
  add_attribute(item, "NumberType", "Float");
  add_attribute(item, "Precision", "8");
  add_attribute(item, "Dimensions", fmt::format("{}", numbers.size()));
  add_text(item, fmt::format("{}", fmt::join(numbers, " ")));
}

void add_structured(pugi::xml_node& to, const XdmfGrid& grid, const std::string& file) {
  const bool uniform = grid.kind == XdmfGrid::Kind::uniform;
  const bool flat = grid.points.size() == 2;
  pugi::xml_node topology = add_element(to, "Topology");
  add_attribute(topology, "TopologyType",
                fmt::format("{}{}", flat ? "2D" : "3D", uniform ? "CoRectMesh" : "RectMesh"));
  add_attribute(topology, "Dimensions", fmt::format("{}", fmt::join(grid.points, " ")));
  pugi::xml_node geometry = add_element(to, "Geometry");
  if (uniform) {
    add_attribute(geometry, "GeometryType", flat ? "ORIGIN_DXDY" : "ORIGIN_DXDYDZ");
    // In spite of the type's name, the slowest varying dimension comes first, as in the dimensions.
    add_numbers(geometry, grid.origin);
    add_numbers(geometry, grid.spacing);
  } else {
    add_attribute(geometry, "GeometryType", flat ? "VXVY" : "VXVYVZ");
    // The coordinates along x come first.
    for (size_t d = grid.coordinates.size(); d-- > 0;) add_data(geometry, grid.coordinates[d], file);
  }
}

void add_unstructured(pugi::xml_node& to, const XdmfGrid& grid, const std::string& file) {
  const bool fixed = std::any_of(topologies.begin(), topologies.end(), [&](const Topology& topology) {
    return topology.name == grid.topology && topology.points > 0;
  });
  pugi::xml_node topology = add_element(to, "Topology");
  add_attribute(topology, "TopologyType", grid.topology);
  add_attribute(topology, "NumberOfElements", fmt::format("{}", places_of(grid, true).front()));
  if (!fixed && !is_mixed(grid))
    add_attribute(topology, "NodesPerElement", fmt::format("{}", grid.connectivity.extents[1]));
  add_data(topology, grid.connectivity, file);
  const XdmfData& points = grid.coordinates.front();
  pugi::xml_node geometry = add_element(to, "Geometry");
  add_attribute(geometry, "GeometryType", points.extents[1] == 3 ? "XYZ" : "XY");
  add_data(geometry, points, file);
}

void add_grid(pugi::xml_node& to, const XdmfGrid& grid, const std::string& name, const std::string& file) {
  pugi::xml_node element = add_element(to, "Grid");
  add_attribute(element, "Name", name);
  add_attribute(element, "GridType", "Uniform");
  pugi::xml_node time = add_element(element, "Time");
  add_attribute(time, "Value", fmt::format("{}", grid.time));
  if (grid.kind == XdmfGrid::Kind::unstructured) {
    add_unstructured(element, grid, file);
  } else {
    add_structured(element, grid, file);
  }
  for (const XdmfField& field : grid.fields) {
    pugi::xml_node attribute = add_element(element, "Attribute");
    add_attribute(attribute, "Name", field.name);
    add_attribute(attribute, "AttributeType", attribute_type(components_of(grid, field)));
    add_attribute(attribute, "Center", field.on_cells ? "Cell" : "Node");
    add_data(attribute, field.data, file);
  }
}

// Returns the series of grids in a document that this library made, and nothing for any other.
pugi::xml_node series_in(const pugi::xml_document& document) {
  for (const pugi::xml_node& node : document.children()) {
    if (node.type() == pugi::node_comment && std::string_view(node.value()) == signature)
      return document.child("Xdmf").child("Domain").child("Grid");
  }
  return {};
}

pugi::xml_node begin_series(pugi::xml_document& document) {
  document.reset();
  pugi::xml_node declaration = made(document.append_child(pugi::node_declaration));
  add_attribute(declaration, "version", "1.0");
  add_attribute(declaration, "encoding", "utf-8");
  made(made(document.append_child(pugi::node_comment)).set_value(signature));
  pugi::xml_node xdmf = add_element(document, "Xdmf");
  add_attribute(xdmf, "Version", "3.0");
  pugi::xml_node domain = add_element(xdmf, "Domain");
  pugi::xml_node series = add_element(domain, "Grid");
  add_attribute(series, "Name", "steps");
  add_attribute(series, "GridType", "Collection");
  add_attribute(series, "CollectionType", "Temporal");
  return series;
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
      return refusal(fmt::format("dataset {} has extents {}, the grid has {} {}", field.data.path,
                                 product(field.data.extents), product(places_of(grid, field.on_cells)),
                                 field.on_cells ? "cells" : "points"));
  }
  return {};
}

std::string xmf_beside(const std::string& file) {
  constexpr std::string_view extension = ".h5";
  const bool ends = file.size() > extension.size() && file.ends_with(extension) &&
                    file[file.size() - extension.size() - 1] != '/';
  return (ends ? file.substr(0, file.size() - extension.size()) : file) + ".xmf";
}

std::string with_grid(const std::string& xmf, const XdmfGrid& grid, const std::string& file) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(
      xmf.data(), xmf.size(), pugi::parse_default | pugi::parse_comments | pugi::parse_declaration);
  if (parsed.status == pugi::status_out_of_memory) throw std::bad_alloc();
  pugi::xml_node series = parsed ? series_in(document) : pugi::xml_node();
  if (!series) series = begin_series(document);
  const auto steps = series.children("Grid");
  add_grid(series, grid, fmt::format("step {}", std::distance(steps.begin(), steps.end())), file);
  std::ostringstream out;
  out.exceptions(std::ios::badbit);
  document.save(out, "  ");
  return std::move(out).str();
}

}  // namespace concilio::scorpio
