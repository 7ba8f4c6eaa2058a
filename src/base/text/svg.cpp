#include "base/text/svg.h"

#include <fmt/format.h>

#include "base/text/xml.h"

namespace concilio {

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

void Svg::rectangle(const Box& box, std::string_view style) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", svg_number(box.x),
                       svg_number(box.y), svg_number(box.width), svg_number(box.height), style);
}

void Svg::rectangle(const Box& box, std::string_view style, std::string_view tip) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}><title>{}</title></rect>\n",
                       svg_number(box.x), svg_number(box.y), svg_number(box.width), svg_number(box.height),
                       style, xml_escaped(tip));
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view style) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", svg_number(x1), svg_number(y1),
                       svg_number(x2), svg_number(y2), style);
}

void Svg::text(double x, double y, std::string_view words, std::string_view style) {
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" {}>{}</text>\n", svg_number(x), svg_number(y), style,
                       xml_escaped(words));
}

void Svg::path(std::string_view d, std::string_view style) {
  body_ += fmt::format("<path d=\"{}\" {}/>\n", d, style);
}

std::string Svg::finished(double width, double height) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"Helvetica, Arial, sans-serif\" font-size=\"11\" fill=\"#222\">\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{2}</svg>\n",
      svg_number(width), svg_number(height), body_);
}

}  // namespace concilio
