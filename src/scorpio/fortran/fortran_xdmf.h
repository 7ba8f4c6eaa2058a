// The description of a grid that a Fortran program makes by several calls.
#pragma once

#include <scorpio.h>

#include <cstdint>
#include <string>
#include <vector>

namespace concilio::scorpio {

struct XdmfDraft {
  struct Field {
    std::string dataset, name;
    bool on_cells = false;
  };
  bool begun = false;
  scorpio_xdmf_kind_t kind = SCORPIO_XDMF_UNIFORM;
  double time = 0;
  std::vector<int64_t> points;
  std::vector<double> origin, spacing;
  std::vector<std::string> coordinates;
  std::string topology, connectivity;
  int64_t cells = 0;
  std::vector<Field> fields;
};

}  // namespace concilio::scorpio
