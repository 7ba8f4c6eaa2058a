// What a suite has measured, as a table and as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/drawing/drawing.h"
#include "base/median.h"
#include "base/text/format_seconds.h"
#include "benchmark/suite.h"

namespace concilio::tools {
namespace {

std::string line_of(const SuiteCell& cell, const Measured& measured) {
  return fmt::format("{}: {}{}", cell.calls, cell.comparison.pattern, measured.first() ? ", first" : "");
}
std::string column_of(const Comparison& row) {
  return fmt::format("{} {}", flavour_word(row.flavour), row.ranks);
}

// The lines and columns of the table, in the order of the cells.
struct Grid {
  std::vector<std::string> lines, columns;

  explicit Grid(const std::vector<SuiteCell>& cells) {
    for (const SuiteCell& cell : cells) {
      for (const Measured& measured : measured_of(cell)) add(lines, line_of(cell, measured));
      add(columns, column_of(cell.comparison));
    }
  }
  static size_t index_in(const std::vector<std::string>& names, const std::string& name) {
    return static_cast<size_t>(std::ranges::find(names, name) - names.begin());
  }

 private:
  static void add(std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
};

std::string shown(const Measured& measured) {
  switch (measured.finding()) {
    case Finding::not_measured:
      return "-";
    case Finding::not_slower:
      return fmt::format("{:.2f}", measured.ratio());
    case Finding::unclear:
      return fmt::format("{:.2f}?", measured.ratio());
    case Finding::slower:
      return fmt::format("{:.2f}!", measured.ratio());
  }
  return {};
}

std::string times_of(const std::vector<double>& seconds) {
  const auto [least, most] = std::ranges::minmax_element(seconds);
  return fmt::format("{} ({} to {})", format_seconds(median(seconds)), format_seconds(*least),
                     format_seconds(*most));
}

std::string spread_of(const Measured& measured) {
  return fmt::format("own {}, Concilio {}", times_of(*measured.own), times_of(*measured.concilio));
}

bool is_marked(Finding finding) {
  return finding == Finding::unclear || finding == Finding::slower;
}

// What many cells say together.
class Sum {
 public:
  void add(const Measured& measured) {
    const Finding finding = measured.finding();
    if (finding == Finding::not_measured) return;
    ++count_;
    log_sum_ += std::log(measured.ratio());
    slower_ += finding == Finding::slower;
    unclear_ += finding == Finding::unclear;
  }
  std::string text(const char* name) const {
    if (count_ == 0) return {};
    return fmt::format("{}: {} of {} below 0.95, {} unclear; geometric mean {:.2f}\n", name, slower_, count_,
                       unclear_, std::exp(log_sum_ / count_));
  }

 private:
  int count_ = 0, slower_ = 0, unclear_ = 0;
  double log_sum_ = 0;
};

// Green where Concilio leads, the more the faster it is, red where it is slower.
std::string colour_of(const Measured& measured) {
  switch (measured.finding()) {
    case Finding::not_measured:
      return "#bbbbbb";
    case Finding::unclear:
      return "#f6cf8a";
    case Finding::slower:
      return "#e0705f";
    case Finding::not_slower:
      break;
  }
  if (measured.ratio() < 1.05) return "#f1f1e6";
  const double depth = std::min(1.0, std::log(measured.ratio()) / std::log(16.0));
  const auto between = [&](int pale, int deep) {
    return static_cast<int>(std::lround(pale + depth * (deep - pale)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", between(0xdd, 0x3f), between(0xee, 0x9e), between(0xd5, 0x5a));
}

}  // namespace

std::string suite_table(const std::vector<SuiteCell>& cells) {
  const Grid grid(cells);
  std::vector<std::vector<std::string>> shown_at(grid.lines.size(),
                                                 std::vector<std::string>(2 * grid.columns.size(), "-"));
  std::string marked;
  Sum repeated, first, programs;
  for (const SuiteCell& cell : cells) {
    const std::string column_name = column_of(cell.comparison);
    const size_t column = Grid::index_in(grid.columns, column_name);
    for (const Measured& measured : measured_of(cell)) {
      const std::string line_name = line_of(cell, measured);
      const size_t line = Grid::index_in(grid.lines, line_name);
      std::string& place = shown_at[line][2 * column + measured.reads()];
      place = shown(measured);
      if (cell.is_program()) shown_at[line][2 * column + 1].clear();
      (cell.is_program() ? programs : measured.first() ? first : repeated).add(measured);
      if (is_marked(measured.finding())) {
        const char* call = cell.is_program() ? "" : measured.reads() ? ", read" : ", write";
        marked += fmt::format("{} ranks, {}{}: {:.2f}: {}\n", column_name, line_name, call, measured.ratio(),
                              spread_of(measured));
      }
    }
    for (const auto& [side, words] :
         {std::pair{&cell.comparison.own, "own"}, std::pair{&cell.comparison.concilio, "Concilio"}}) {
      if (!side->failure.empty())
        marked += fmt::format("{} ranks, {}: {}, {}: FAILED: {}\n", column_name, cell.calls,
                              cell.comparison.pattern, words, side->failure);
    }
  }
  size_t width = 0;
  for (const std::string& line : grid.lines) width = std::max(width, line.size());
  std::string text = fmt::format("{:{}}", "", width), below = text;
  for (const std::string& column : grid.columns) {
    text += fmt::format(" {:>16}", column);
    below += fmt::format(" {:>8}{:>8}", "write", "read");
  }
  text += "\n" + below + "\n";
  for (size_t line = 0; line < grid.lines.size(); ++line) {
    text += fmt::format("{:{}}", grid.lines[line], width);
    for (size_t column = 0; column < grid.columns.size(); ++column) {
      const std::string &left = shown_at[line][2 * column], &right = shown_at[line][2 * column + 1];
      text += right.empty() ? fmt::format(" {:^16}", left) : fmt::format(" {:>8}{:>8}", left, right);
    }
    text += "\n";
  }
  text +=
      "times of the MPI's own MPI-IO over Concilio's, medians; first: of the first repetition after the "
      "open;\nprograms: from their start to their end; !: below 0.95; ?: the times spread so far that they "
      "do "
      "not tell\nwhether it is\n";
  return text + repeated.text("repeated") + first.text("first") + programs.text("programs") + marked;
}

std::string suite_picture(const std::vector<SuiteCell>& cells) {
  constexpr double left = 310, top = 44, cell_width = 46, cell_height = 17;
  const Grid grid(cells);
  Drawing drawing;
  for (size_t column = 0; column < grid.columns.size(); ++column) {
    const double x = left + static_cast<double>(column) * 2 * cell_width;
    drawing.text(x + cell_width, top - 24, grid.columns[column] + " ranks", {11, Align::middle, true});
    drawing.text(x + cell_width / 2, top - 8, "write", {10, Align::middle});
    drawing.text(x + 1.5 * cell_width, top - 8, "read", {10, Align::middle});
  }
  for (size_t line = 0; line < grid.lines.size(); ++line)
    drawing.text(left - 8, top + (static_cast<double>(line) + 0.75) * cell_height, grid.lines[line],
                 {11, Align::end});
  for (const SuiteCell& cell : cells) {
    const auto column = static_cast<double>(Grid::index_in(grid.columns, column_of(cell.comparison)));
    for (const Measured& measured : measured_of(cell)) {
      const auto line = static_cast<double>(Grid::index_in(grid.lines, line_of(cell, measured)));
      const Box box{left + (2 * column + measured.reads()) * cell_width, top + line * cell_height,
                    (cell.is_program() ? 2 : 1) * cell_width - 1, cell_height - 1};
      const std::string tip =
          measured.finding() == Finding::not_measured ? std::string("not measured") : spread_of(measured);
      drawing.rectangle(box, filled(colour_of(measured)), tip);
      drawing.text(box.x + box.width / 2, box.y + 12, shown(measured), {10, Align::middle});
    }
  }
  const double bottom = top + static_cast<double>(grid.lines.size()) * cell_height;
  drawing.text(
      8, bottom + 20,
      "Times of the MPI's own MPI-IO over Concilio's. Green: Concilio is faster. Red, !: below 0.95. "
      "Yellow, ?: the times spread too far to tell.");
  return drawing.finished(left + static_cast<double>(grid.columns.size()) * 2 * cell_width + 10, bottom + 32);
}

}  // namespace concilio::tools
