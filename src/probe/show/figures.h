// The curves of a probe: which there are, and how they are drawn, as text and as a picture.
#pragma once

#include <string>
#include <vector>

#include "probe/derive/measurements.h"

namespace concilio::probe {

// Both axes are logarithmic; all values are positive.
struct Figure {
  struct Line {
    std::string name;
    Series points;
  };
  std::string title, x_label, y_label;
  bool x_is_bytes = false;
  std::vector<Line> lines;
};

// Those that something was measured for.
std::vector<Figure> figures_of(const Measurements& found);

std::string text_of(const Figure& figure);
// SVG.
std::string picture_of(const std::vector<Figure>& figures, const std::string& title);

}  // namespace concilio::probe
