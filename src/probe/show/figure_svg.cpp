// Draws curves as a picture, one below the other.
#include "base/drawing/drawing.h"
#include "probe/show/axis.h"

namespace concilio::probe {

namespace {

constexpr double width = 760, height = 310, left = 80, right = 190, top = 54, bottom = 46, heading = 50;
constexpr const char* colours[] = {"#b2182b", "#ef8a62", "#2166ac", "#67a9cf"};

void draw(Drawing& svg, const Figure& figure, double y) {
  const Axes axes = axes_of(figure);
  const Box field{left, y + top, width - left - right, height - top - bottom};
  const auto x_of = [&](double value) { return field.x + axes.x.place(value) * field.width; };
  const auto y_of = [&](double value) { return field.bottom() - axes.y.place(value) * field.height; };
  svg.text(left, y + 28, figure.title, {.size = 14, .bold = true});
  for (double value = axes.y.low; value <= axes.y.high * 1.001; value *= 10) {
    svg.line({field.x, y_of(value)}, {field.right(), y_of(value)}, drawn("#ddd"));
    svg.text(field.x - 6, y_of(value) + 4, fmt::format("{:g}", value), {.align = Align::end});
  }
  svg.text(field.x - 6, field.y - 12, figure.y_label, {.align = Align::end});  // above the numbers
  svg.text(field.right(), field.bottom() + 34, figure.x_label, {.align = Align::end});
  double last_label = -100;
  for (const Figure::Line& line : figure.lines) {
    for (const Sample& point : line.points) {
      const double x = x_of(point.x);
      if (x - last_label < 34) continue;
      last_label = x;
      svg.tick({x, field.bottom()}, x_text(figure, point.x));
    }
  }
  svg.line({field.x, field.bottom()}, {field.right(), field.bottom()}, drawn("#333"));
  svg.line({field.x, field.y}, {field.x, field.bottom()}, drawn("#333"));
  for (size_t l = 0; l < figure.lines.size(); ++l) {
    const char* colour = colours[l % std::size(colours)];
    const Figure::Line& line = figure.lines[l];
    std::vector<Point> points;
    for (const Sample& point : line.points) {
      points.push_back({x_of(point.x), y_of(point.y)});
      svg.rectangle({points.back().x - 2.5, points.back().y - 2.5, 5, 5}, filled(colour),
                    fmt::format("{}: {} {}, {:.4g} {}", line.name, x_text(figure, point.x), figure.x_label,
                                point.y, figure.y_label));
    }
    svg.curve(points, colour);
    svg.legend_entry({field.right() + 14, field.y + 4 + 18 * static_cast<double>(l), 14, 5}, filled(colour),
                     line.name);
  }
}

}  // namespace

std::string picture_of(const std::vector<Figure>& figures, const std::string& title) {
  Drawing svg;
  svg.text(left, 30, title, {.size = 15});
  double y = heading;
  for (const Figure& figure : figures) {
    draw(svg, figure, y);
    y += height;
  }
  return svg.finished(width, y);
}

}  // namespace concilio::probe
