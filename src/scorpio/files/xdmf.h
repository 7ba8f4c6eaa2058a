// A grid in XDMF, and the .xmf file that lists the grids of an HDF5 file. No MPI, no HDF5.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace concilio::scorpio {

// A dataset as XDMF refers to it.
struct XdmfData {
  std::string path;
  std::vector<int64_t> extents;
  const char* number_type = "Float";  // XDMF's
  int64_t precision_bytes = 8;

  int64_t cells() const;
};

struct XdmfField {
  std::string name;
  bool on_cells = false;
  XdmfData data;
};

// scorpio_xdmf_grid_t with what the file knows of its datasets.
struct XdmfGrid {
  enum class Kind { uniform, rectilinear, unstructured } kind = Kind::uniform;
  double time = 0;
  std::vector<int64_t> points;  // structured
  std::vector<double> origin, spacing;
  std::vector<XdmfData> coordinates;
  std::string topology;
  XdmfData connectivity;
  int64_t cells = 0;  // given, of "Mixed"
  std::vector<XdmfField> fields;
};

// Why it is no grid: extents that do not fit, an unknown topology.
Status check(const XdmfGrid& grid);
// a.h5 -> a.xmf, else .xmf is appended.
std::string xmf_beside(const std::string& file);
// The contents of an .xmf with one more grid, which passed check(). `xmf` is what it was: if it is empty, or
// not of this function, the grid is the only one. `file` is what references to datasets begin with.
std::string with_grid(const std::string& xmf, const XdmfGrid& grid, const std::string& file);

}  // namespace concilio::scorpio
