// Draws curves as text, for a terminal.
#include "probe/show/axis.h"

namespace concilio::probe {

namespace {
constexpr int text_columns = 60, text_rows = 13;
constexpr char marks[] = "wWrR";
}  // namespace

std::string text_of(const Figure& figure) {
  const Axes axes = axes_of(figure);
  std::vector<std::string> field(text_rows, std::string(text_columns, ' '));
  std::string ruler(text_columns + 8, ' ');
  for (size_t l = 0; l < figure.lines.size(); ++l) {
    for (const Sample& point : figure.lines[l].points) {
      const auto column = static_cast<size_t>(std::lround(axes.x.place(point.x) * (text_columns - 1)));
      const auto row = static_cast<size_t>(std::lround((1 - axes.y.place(point.y)) * (text_rows - 1)));
      char& cell = field[row][column];
      cell = cell == ' ' || cell == marks[l % 4] ? marks[l % 4] : '*';
      const std::string word = x_text(figure, point.x);
      if (column == 0 || ruler.find_first_not_of(' ', column > 0 ? column - 1 : 0) == std::string::npos)
        ruler.replace(column, word.size(), word);
    }
  }
  std::string text = figure.title + "\n";
  for (size_t row = 0; row < text_rows; ++row) {
    const bool high = row == 0, low = row == text_rows - 1;
    const std::string label = high  ? fmt::format("{:g}", axes.y.high)
                              : low ? fmt::format("{:g}", axes.y.low)
                                    : std::string(row == text_rows / 2 ? figure.y_label : "");
    text += fmt::format("{:>9} |{}\n", label, field[row].substr(0, field[row].find_last_not_of(' ') + 1));
  }
  text += fmt::format("{:>9} +{}\n{:>11}{}  {}\n", "", std::string(text_columns, '-'), "",
                      ruler.substr(0, ruler.find_last_not_of(' ') + 1), figure.x_label);
  text += fmt::format("{:>11}", "");
  for (size_t l = 0; l < figure.lines.size(); ++l)
    text += fmt::format("{}: {}   ", marks[l % 4], figure.lines[l].name);
  return text + "*: several\n";
}

}  // namespace concilio::probe
