// Draws pictures and charts as SVG. Nothing else writes SVG.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace concilio {

struct Point {
  double x = 0, y = 0;
};
struct Box {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

// How a shape looks: a list of SVG attributes, which these functions make. + joins styles.
using Style = std::string;
Style filled(std::string_view colour, double opacity = 1);
// A line, or the border of a shape. `dashes`: the lengths of dashes and gaps in turn.
Style drawn(std::string_view colour, double width = 1, std::string_view dashes = "");
// A border alone, through which one sees what is behind the shape.
Style outlined(std::string_view colour, double width = 1, std::string_view dashes = "");

// Whether a text begins, has its middle or ends at its x.
enum class Align { begin, middle, end };
struct Font {
  double size = 11;
  Align align = Align::begin;
  bool bold = false;
  std::string_view colour = "#222";
};

class Drawing {
 public:
  // The tip is shown when the mouse rests on the rectangle.
  void rectangle(const Box& box, const Style& style, std::string_view tip = "");
  void line(Point from, Point to, const Style& style);
  void text(double x, double y, std::string_view words, const Font& font = {});
  // `d` is in SVG's language of paths; svg_number() writes its numbers.
  void path(std::string_view d, const Style& style);
  void curve(const std::vector<Point>& points, std::string_view colour);
  // A tick below a horizontal axis, and its label.
  void tick(Point on_axis, std::string_view label);
  // A sample of a style, and what the style stands for.
  void legend_entry(const Box& sample, const Style& style, std::string_view words);
  // The whole picture as SVG, on a white background.
  std::string finished(double width, double height) const;

 private:
  std::string body_;
};

// 12.5 -> "12.5", 12.0 -> "12".
std::string svg_number(double value);

}  // namespace concilio
