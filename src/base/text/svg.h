// Builds the text of an SVG picture piece by piece.
#pragma once

#include <string>
#include <string_view>

namespace concilio {

struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

class Svg {
 public:
  // `style` is a list of attributes, such as `fill="red"`.
  void rectangle(const Box& box, std::string_view style);
  void line(double x1, double y1, double x2, double y2, std::string_view style);
  void text(double x, double y, std::string_view words, std::string_view style = "");
  void path(std::string_view d, std::string_view style);
  // The tip is shown when the mouse rests on the rectangle.
  void rectangle(const Box& box, std::string_view style, std::string_view tip);
  // The whole picture, on a white background.
  std::string finished(double width, double height) const;

 private:
  std::string body_;
};

// 12.5 -> "12.5", 12.0 -> "12".
std::string svg_number(double value);

}  // namespace concilio
