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

// One direction of one cell.
struct Measured {
  const std::vector<double>*own, *concilio;
  Finding finding() const { return finding_of(*own, *concilio); }
  double ratio() const { return median(*own) / median(*concilio); }
};

Measured direction_of(const Comparison& row, bool reads) {
  return reads ? Measured{&row.own.read_seconds, &row.concilio.read_seconds}
               : Measured{&row.own.write_seconds, &row.concilio.write_seconds};
}

std::string line_of(const SuiteCell& cell) {
  return fmt::format("{}: {}", cell.calls, cell.comparison.pattern);
}
std::string column_of(const Comparison& row) {
  return fmt::format("{} {}", flavour_word(row.flavour), row.ranks);
}

// The lines and columns of the table, in the order of the cells.
struct Grid {
  std::vector<std::string> lines, columns;

  explicit Grid(const std::vector<SuiteCell>& cells) {
    for (const SuiteCell& cell : cells) {
      add(lines, line_of(cell));
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
  int measured_count = 0, slower = 0, unclear = 0;
  double log_sum = 0;
  for (const SuiteCell& cell : cells) {
    const size_t line = Grid::index_in(grid.lines, line_of(cell));
    const size_t column = Grid::index_in(grid.columns, column_of(cell.comparison));
    const std::string name = fmt::format("{} ranks, {}", column_of(cell.comparison), line_of(cell));
    for (const bool reads : {false, true}) {
      const Measured measured = direction_of(cell.comparison, reads);
      const Finding finding = measured.finding();
      shown_at[line][2 * column + reads] = shown(measured);
      if (finding == Finding::not_measured) continue;
      ++measured_count;
      log_sum += std::log(measured.ratio());
      slower += finding == Finding::slower;
      unclear += finding == Finding::unclear;
      if (finding != Finding::not_slower)
        marked += fmt::format("{}, {}: {:.2f}: {}\n", name, reads ? "read" : "write", measured.ratio(),
                              spread_of(measured));
    }
    for (const auto& [side, words] :
         {std::pair{&cell.comparison.own, "own"}, std::pair{&cell.comparison.concilio, "Concilio"}}) {
      if (!side->failure.empty()) marked += fmt::format("{}, {}: FAILED: {}\n", name, words, side->failure);
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
    for (size_t column = 0; column < grid.columns.size(); ++column)
      text += fmt::format(" {:>8}{:>8}", shown_at[line][2 * column], shown_at[line][2 * column + 1]);
    text += "\n";
  }
  text +=
      "times of the MPI's own MPI-IO over Concilio's, medians; !: below 0.95; ?: below, but the times "
      "spread so far that it may be chance\n";
  if (measured_count > 0) {
    text += fmt::format("{} of {} below 0.95, {} unclear; geometric mean {:.2f}\n", slower, measured_count,
                        unclear, std::exp(log_sum / measured_count));
  }
  return text + marked;
}

std::string suite_picture(const std::vector<SuiteCell>& cells) {
  constexpr double left = 270, top = 44, cell_width = 46, cell_height = 17;
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
    const auto line = static_cast<double>(Grid::index_in(grid.lines, line_of(cell)));
    const auto column = static_cast<double>(Grid::index_in(grid.columns, column_of(cell.comparison)));
    for (const bool reads : {false, true}) {
      const Measured measured = direction_of(cell.comparison, reads);
      const Box box{left + (2 * column + reads) * cell_width, top + line * cell_height, cell_width - 1,
                    cell_height - 1};
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
      "Yellow, ?: may be chance.");
  return drawing.finished(left + static_cast<double>(grid.columns.size()) * 2 * cell_width + 10, bottom + 32);
}

}  // namespace concilio::tools
