#include "base/drawing/drawing.h"

#include <fmt/format.h>

#include "base/text/xml.h"

namespace concilio {

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

Style filled(std::string_view colour, double opacity) {
  const Style style = fmt::format(" fill=\"{}\"", colour);
  return opacity >= 1 ? style : style + fmt::format(" fill-opacity=\"{}\"", svg_number(opacity));
}
Style drawn(std::string_view colour, double width, std::string_view dashes) {
  const Style style = fmt::format(" stroke=\"{}\" stroke-width=\"{}\"", colour, svg_number(width));
  return dashes.empty() ? style : style + fmt::format(" stroke-dasharray=\"{}\"", dashes);
}
Style outlined(std::string_view colour, double width, std::string_view dashes) {
  return filled("none") + drawn(colour, width, dashes);
}

void Drawing::rectangle(const Box& box, const Style& style, std::string_view tip) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}", svg_number(box.x),
                       svg_number(box.y), svg_number(box.width), svg_number(box.height), style);
  body_ += tip.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", xml_escaped(tip));
}

void Drawing::line(Point from, Point to, const Style& style) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"{}/>\n", svg_number(from.x),
                       svg_number(from.y), svg_number(to.x), svg_number(to.y), style);
}

void Drawing::text(double x, double y, std::string_view words, const Font& font) {
  constexpr const char* anchors[] = {"start", "middle", "end"};
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\"{}{}>{}</text>\n",
                       svg_number(x), svg_number(y), font.size, anchors[static_cast<int>(font.align)],
                       filled(font.colour), font.bold ? " font-weight=\"bold\"" : "", xml_escaped(words));
}

void Drawing::path(std::string_view d, const Style& style) {
  body_ += fmt::format("<path d=\"{}\"{}/>\n", d, style);
}

void Drawing::curve(const std::vector<Point>& points, std::string_view colour) {
  std::string d;
  for (const Point& at : points)
    d += fmt::format("{}{} {} ", d.empty() ? "M" : "L", svg_number(at.x), svg_number(at.y));
  path(d, outlined(colour, 1.8));
}

void Drawing::tick(Point on_axis, std::string_view label) {
  line(on_axis, {on_axis.x, on_axis.y + 5}, drawn("#666"));
  text(on_axis.x, on_axis.y + 17, label, {.align = Align::middle});
}

void Drawing::legend_entry(const Box& sample, const Style& style, std::string_view words) {
  rectangle(sample, style);
  text(sample.right() + 6, sample.y + sample.height / 2 + 4, words);
}

std::string Drawing::finished(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\">\n<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n"
      "{2}</svg>\n",
      svg_number(width), svg_number(height), body_);
}

}  // namespace concilio
