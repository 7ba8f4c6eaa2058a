// A grid in XDMF, and the .xmf file that lists the grids of an HDF5 file. This needs neither MPI nor HDF5.
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
  const char* number_type = "Float";  // XDMF's name
  int64_t precision_bytes = 8;

  int64_t cells() const;
};

struct XdmfField {
  std::string name;
  bool on_cells = false;
  XdmfData data;
};

// A scorpio_xdmf_grid_t, with what the file tells about its datasets.
struct XdmfGrid {
  enum class Kind { uniform, rectilinear, unstructured } kind = Kind::uniform;
  double time = 0;
  std::vector<int64_t> points;  // of structured grids
  std::vector<double> origin, spacing;
  std::vector<XdmfData> coordinates;
  std::string topology;
  XdmfData connectivity;
  int64_t cells = 0;  // as the caller gives it, for "Mixed"
  std::vector<XdmfField> fields;
};

// Returns an error that says why this is no grid, for example that extents do not fit, or that the topology
// is unknown.
Status check(const XdmfGrid& grid);
// Returns a.xmf for a.h5. To names without .h5 it appends .xmf.
std::string xmf_beside(const std::string& file);
// Returns the contents of an .xmf file with one more grid, which passed check(). `xmf` is what the file held
// before. If that is empty, or not made by this function, the grid is the only one. References to datasets
// begin with `file`.
std::string with_grid(const std::string& xmf, const XdmfGrid& grid, const std::string& file);

}  // namespace concilio::scorpio
