// Draws curves as a picture, one below the other.
#include "base/text/svg.h"
#include "probe/show/axis.h"

namespace concilio::probe {

namespace {

constexpr double width = 760, height = 300, left = 80, right = 190, top = 44, bottom = 46, heading = 50;
constexpr const char* colours[] = {"#b2182b", "#ef8a62", "#2166ac", "#67a9cf"};

void draw(Svg& svg, const Figure& figure, double y) {
  const Axes axes = axes_of(figure);
  const Box field{left, y + top, width - left - right, height - top - bottom};
  const auto x_of = [&](double value) { return field.x + axes.x.place(value) * field.width; };
  const auto y_of = [&](double value) { return field.bottom() - axes.y.place(value) * field.height; };
  svg.text(left, y + 28, figure.title, "font-size=\"14\" font-weight=\"bold\"");
  for (double value = axes.y.low; value <= axes.y.high * 1.001; value *= 10) {
    svg.line(field.x, y_of(value), field.right(), y_of(value), "stroke=\"#ddd\"");
    svg.text(field.x - 6, y_of(value) + 4, fmt::format("{:g}", value),
             "font-size=\"11\" text-anchor=\"end\"");
  }
  svg.text(12, field.y + 4, figure.y_label, "font-size=\"11\"");
  svg.text(field.right(), field.bottom() + 34, figure.x_label, "font-size=\"11\" text-anchor=\"end\"");
  double last_label = -100;
  for (const Figure::Line& line : figure.lines) {
    for (const Sample& point : line.points) {
      const double x = x_of(point.x);
      if (x - last_label < 34) continue;
      last_label = x;
      svg.line(x, field.bottom(), x, field.bottom() + 4, "stroke=\"#333\"");
      svg.text(x, field.bottom() + 17, x_text(figure, point.x), "font-size=\"11\" text-anchor=\"middle\"");
    }
  }
  svg.line(field.x, field.bottom(), field.right(), field.bottom(), "stroke=\"#333\"");
  svg.line(field.x, field.y, field.x, field.bottom(), "stroke=\"#333\"");
  for (size_t l = 0; l < figure.lines.size(); ++l) {
    const char* colour = colours[l % std::size(colours)];
    std::string path;
    for (const Sample& point : figure.lines[l].points) {
      path += fmt::format("{}{} {} ", path.empty() ? "M" : "L", svg_number(x_of(point.x)),
                          svg_number(y_of(point.y)));
      svg.rectangle({x_of(point.x) - 2.5, y_of(point.y) - 2.5, 5, 5}, fmt::format("fill=\"{}\"", colour),
                    fmt::format("{}: {} {}, {:.4g} {}", figure.lines[l].name, x_text(figure, point.x),
                                figure.x_label, point.y, figure.y_label));
    }
    svg.path(path, fmt::format("fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"", colour));
    const double row = field.y + 8 + 18 * static_cast<double>(l);
    svg.rectangle({field.right() + 14, row - 4, 14, 5}, fmt::format("fill=\"{}\"", colour));
    svg.text(field.right() + 34, row + 3, figure.lines[l].name, "font-size=\"12\"");
  }
}

}  // namespace

std::string picture_of(const std::vector<Figure>& figures, const std::string& title) {
  Svg svg;
  svg.text(left, 30, title, "font-size=\"15\"");
  double y = heading;
  for (const Figure& figure : figures) {
    draw(svg, figure, y);
    y += height;
  }
  return svg.finished(width, y);
}

}  // namespace concilio::probe
