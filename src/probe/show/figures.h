// The curves of a probe, and how they are drawn as text and as a picture.
#pragma once

#include <string>
#include <vector>

#include "probe/derive/measurements.h"

namespace concilio::probe {

// Both axes are logarithmic, and all values are positive.
struct Figure {
  struct Line {
    std::string name;
    Series points;
  };
  std::string title, x_label, y_label;
  bool x_is_bytes = false;
  std::vector<Line> lines;
};

// The curves for which something was measured.
std::vector<Figure> figures_of(const Measurements& found);

std::string text_of(const Figure& figure);
// The picture is SVG.
std::string picture_of(const std::vector<Figure>& figures, const std::string& title);

}  // namespace concilio::probe
