#include "sim/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "base/drawing/drawing.h"
#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "base/text/format_count.h"
#include "plan/layout/footprint.h"
#include "plan/layout/placement.h"
#include "plan/layout/realms.h"
#include "plan/layout/windows.h"
#include "plan/show/explain_two_phase.h"
#include "plan/show/facts_json.h"
#include "plan/show/reason_text.h"
#include "sim/owners.h"

namespace concilio::sim {
namespace {

constexpr double picture_width = 1140, plot_left = 128, plot_width = 840;
constexpr double plot_height = 480, least_row_height = 2, most_row_height = 28, text_height = 11;
constexpr double band_height = 30;
constexpr int shades = 8;
constexpr size_t realms_listed = 16, most_marked_realms = 128, most_framed_groups = 400;

constexpr std::array colours = {"#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2",
                                "#d4a700", "#9c755f", "#e377a8", "#2f4b7c", "#86bc25", "#a0522d"};
constexpr const char* no_realm_colour = "#5f6b7a";
constexpr std::array group_tints = {"#e8f0fa", "#fdf1e0", "#e9f5e6", "#f6eaf5", "#e6f4f4", "#f7f3dc"};

// If there are too many realms to tell apart, their colours run through the rainbow, so that neighbours look
// nearly alike.
constexpr int rainbow_steps = 60;
int colour_index(int realm, size_t realms) {
  if (realm < 0) return -1;
  if (realms <= most_marked_realms) return realm % static_cast<int>(colours.size());
  return static_cast<int>(colours.size()) +
         static_cast<int>(static_cast<int64_t>(realm) * rainbow_steps / static_cast<int64_t>(realms));
}
std::string colour(int index) {
  if (index < 0) return no_realm_colour;
  if (index < static_cast<int>(colours.size())) return colours[static_cast<size_t>(index)];
  const int step = index - static_cast<int>(colours.size());
  // Red, green and blue are three waves, each shifted by a third.
  const auto wave = [&](double shift) {
    const double at = static_cast<double>(step) / rainbow_steps + shift;
    return static_cast<int>(125 + 85 * std::cos(2 * std::numbers::pi * at));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", wave(0), wave(-1.0 / 3), wave(-2.0 / 3));
}

// The mark of an aggregator, whose tip is at (x, y).
std::string triangle(double x, double y) {
  return fmt::format("M{} {}l-9 -4.5v9z", svg_number(x), svg_number(y));
}

std::string span_text(int64_t first, int64_t count) {
  return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

// Breaks a text into lines of at most so many letters.
std::vector<std::string> lines_of(const std::string& text, size_t letters) {
  std::vector<std::string> lines;
  size_t begin = 0;
  while (text.size() - begin > letters) {
    size_t end = text.rfind(' ', begin + letters);
    if (end == std::string::npos || end <= begin) end = begin + letters;
    lines.push_back(text.substr(begin, end - begin));
    begin = end + (text[end] == ' ' ? 1 : 0);
  }
  lines.push_back(text.substr(begin));
  return lines;
}

// Writes a size in the largest unit that needs no fraction.
std::string exact_bytes(int64_t bytes) {
  constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes == 0) return "0";
  size_t unit = 0;
  for (; unit + 1 < units.size() && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, units[unit]);
}

class Picture {
 public:
  Picture(const plan::Facts& facts, const plan::Plan& plan, const Raster& raster)
      : facts_(facts), plan_(plan), raster_(raster), owners_(plan, raster) {
    const auto rows = static_cast<double>(std::max<size_t>(1, raster.rows.size()));
    const double row_height = std::clamp(plot_height / rows, least_row_height, most_row_height);
    plot_ = {plot_left, 0, plot_width, rows * row_height};
    row_height_ = row_height;
    find_nodes();
  }

  std::string draw(const std::string& title) {
    double y = head(title);
    if (!plan_.realms.empty()) {
      svg_.text(plot_left - 8, y + band_height / 2 + 4, "realms", {.align = Align::end});
      band({plot_left, y, plot_width, band_height});
      y += band_height + 12;
    }
    plot_.y = y;
    group_grounds();
    svg_.rectangle(plot_, outlined("#bbb"));
    cells();
    realm_borders();
    group_frames();
    node_labels();
    aggregators();
    memory();
    y = axis(plot_.bottom());
    y = legend(y + 14);
    return svg_.finished(picture_width, y + 8);
  }

 private:
  double x_of(int64_t offset) const {
    const double part = static_cast<double>(offset - raster_.range.begin) /
                        static_cast<double>(std::max<int64_t>(1, raster_.range.length()));
    return plot_left + plot_width * std::clamp(part, 0.0, 1.0);
  }
  double x_of_column(int column) const { return plot_left + plot_width * column / raster_.columns; }
  // Where the rows of a node begin and end.
  double top_of(size_t node) const { return plot_.y + row_height_ * first_row_[node]; }
  double bottom_of(size_t node) const { return plot_.y + row_height_ * end_row_[node]; }

  std::string colour_of(int realm) const { return colour(colour_index(realm, plan_.realms.size())); }

  void find_nodes() {
    first_row_.assign(facts_.nodes.size(), 0);
    end_row_.assign(facts_.nodes.size(), 0);
    for (size_t row = 0; row < raster_.rows.size(); ++row) {
      const Raster::Row& here = raster_.rows[row];
      for (size_t node = here.first_node; node < here.first_node + here.nodes; ++node) {
        if (end_row_[node] == 0) first_row_[node] = static_cast<double>(row);
        end_row_[node] = static_cast<double>(row + 1);
      }
    }
  }

  double head(const std::string& title) {
    double y = 28;
    svg_.text(16, y, title, {.size = 17, .bold = true});
    y += 20;
    std::string what = fmt::format("{} of {} by {} on {}", plan::operation_name(facts_.operation),
                                   format_bytes(facts_.digest.bytes), counted(facts_.digest.ranks, "rank"),
                                   counted(static_cast<int64_t>(facts_.nodes.size()), "node"));
    if (plan_.method == plan::Method::two_phase) {
      const plan::Movement movement = movement_of(facts_, plan_);
      what += fmt::format(
          "; realms {}, placement {}: {} in {}, {}, {} between nodes; at most {} of memory a rank",
          realm_policy_name(plan_.policy), placement_row(facts_.wishes.placement).name,
          counted(static_cast<int64_t>(plan_.realms.size()), "realm"),
          counted(static_cast<int64_t>(plan_.groups.size()), "group"), counted(plan_.rounds, "round"),
          counted(movement.messages, "message"), format_bytes(plan_.peak_bytes));
    }
    const auto write = [&](const std::string& words, std::string_view colour) {
      for (const std::string& line : lines_of(words, 165)) {
        svg_.text(16, y, line, {.size = 12, .colour = colour});
        y += 16;
      }
    };
    write(what, Font().colour);
    write(text_of(plan_.reason), "#666");
    if (!plan_.warning.empty()) write("warning: " + plan_.warning, "#b00020");
    return y + 4;
  }

  // Draws the realms along the file.
  void band(const Box& box) {
    svg_.rectangle(box, filled("#f4f4f4"));
    const bool few = plan_.realms.size() <= most_marked_realms;
    const bool stretches = std::all_of(plan_.realms.begin(), plan_.realms.end(),
                                       [](const plan::Realm& realm) { return realm.owned.is_contiguous(); });
    few&& stretches ? band_of_stretches(box) : band_of_columns(box);
    for (size_t i = 0; few && i < plan_.realms.size(); ++i) band_label(box, i);
    svg_.rectangle(box, outlined("#999"));
  }
  void band_of_stretches(const Box& box) {
    for (size_t i = 0; i < plan_.realms.size(); ++i) {
      const plan::Realm& realm = plan_.realms[i];
      for (const pattern::Interval& part : realm.positions) {
        const double x = x_of(realm.owned.offset_of(part.begin));
        const double right = x_of(realm.owned.offset_of(part.end - 1) + 1);
        svg_.rectangle({x, box.y, right - x, box.height}, filled(colour_of(static_cast<int>(i))));
      }
    }
  }
  // If several realms own parts of a column, each gets its share of the height. But a column that is merely
  // cut by a border between two realms is drawn as the larger part.
  void band_of_columns(const Box& box) {
    std::vector<std::vector<Owners::Share>> columns;
    columns.reserve(static_cast<size_t>(raster_.columns));
    for (int column = 0; column < raster_.columns; ++column) columns.push_back(owners_.of(column));
    for (int column = 0; column < raster_.columns; ++column) {
      std::vector<Owners::Share>& here = columns[static_cast<size_t>(column)];
      const bool after_pure = column > 0 && owners_.of(column - 1).size() == 1;
      const bool before_pure = column + 1 < raster_.columns && owners_.of(column + 1).size() == 1;
      if (here.size() == 2 && (after_pure || before_pure))
        here = {here[0].part >= here[1].part ? here[0] : here[1]};
    }
    for (size_t column = 0; column < columns.size();) {
      const std::vector<Owners::Share>& here = columns[column];
      size_t end = column + 1;
      while (end < columns.size() && same(columns[end], here)) ++end;
      double all = 0, y = box.y;
      for (const Owners::Share& share : here) all += share.part;
      const double x = x_of_column(static_cast<int>(column));
      const double width = x_of_column(static_cast<int>(end)) - x;
      for (const Owners::Share& share : here) {
        const double height = box.height * share.part / all;
        svg_.rectangle({x, y, width, height}, filled(colour_of(share.realm)));
        y += height;
      }
      column = end;
    }
  }
  static bool same(const std::vector<Owners::Share>& a, const std::vector<Owners::Share>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& one, const auto& other) {
      return one.realm == other.realm && std::abs(one.part - other.part) < 0.01;
    });
  }
  void band_label(const Box& box, size_t i) {
    const plan::Realm& realm = plan_.realms[i];
    if (!realm.owned.is_contiguous()) return;
    const double x = x_of(realm.owned.offset_of(realm.positions.front().begin));
    const double right = x_of(realm.owned.offset_of(realm.positions.back().end - 1) + 1);
    if (right - x < 16) return;
    const double middle = (x + right) / 2;
    const Font strong{.align = Align::middle, .bold = true, .colour = "#fff"};
    const Font small{.size = 10, .align = Align::middle, .colour = "#fff"};
    const std::string number = fmt::format("{}", realm.aggregator);
    if (right - x >= 48) {
      svg_.text(middle, box.y + 13, "rank " + number, strong);
      svg_.text(middle, box.y + 25, fmt::format("node {}", realm.node), small);
    } else if (right - x >= 8 * static_cast<double>(number.size())) {
      svg_.text(middle, box.y + 19, number, strong);
    }
  }

  // Calls visit(box) for every block of neighbouring nodes of a group, and every span of the file that it
  // has.
  template <typename Visit>
  void for_each_part(const plan::Group& group, Visit&& visit) const {
    for (size_t i = 0; i < group.nodes.size();) {
      size_t last = i;
      while (last + 1 < group.nodes.size() && group.nodes[last + 1] == group.nodes[last] + 1) ++last;
      const double top = top_of(static_cast<size_t>(group.nodes[i]));
      const double bottom = bottom_of(static_cast<size_t>(group.nodes[last]));
      for (const pattern::Interval& span : group.spans) {
        const double x = x_of(span.begin);
        visit(Box{x, top, std::max(1.0, x_of(span.end) - x), bottom - top});
      }
      i = last + 1;
    }
  }
  bool shows_groups() const { return plan_.groups.size() > 1 && plan_.groups.size() <= most_framed_groups; }

  void group_grounds() {
    if (!shows_groups()) return;
    for (size_t i = 0; i < plan_.groups.size(); ++i) {
      for_each_part(plan_.groups[i], [&](const Box& box) {
        svg_.rectangle(box, filled(group_tints[i % group_tints.size()]));
      });
    }
  }
  void group_frames() {
    if (!shows_groups()) return;
    for (size_t i = 0; i < plan_.groups.size(); ++i) {
      bool named = false;
      for_each_part(plan_.groups[i], [&](const Box& box) {
        svg_.rectangle(box, outlined("#333", 1, "5 3"));
        if (!named && box.width >= 60 && box.height >= 16) {
          svg_.rectangle({box.right() - 53, box.y + 2, 51, 13}, filled("#fff", 0.85));
          svg_.text(box.right() - 5, box.y + 12, fmt::format("group {}", i),
                    {.size = 10, .align = Align::end, .bold = true});
          named = true;
        }
      });
    }
  }

  // Neighbouring cells of the same colour are drawn as one rectangle, and all rectangles of a colour as one
  // path.
  void cells() {
    double densest = 0;
    for (const Raster::Row& row : raster_.rows) {
      for (int column = 0; column < raster_.columns; ++column)
        densest = std::max(densest, density(row, column));
    }
    if (densest <= 0) return;
    std::map<std::pair<int, int>, std::string> paths;  // by colour and shade
    for (size_t i = 0; i < raster_.rows.size(); ++i) {
      const Raster::Row& row = raster_.rows[i];
      const int group = plan_.group_of_node.empty() ? -1 : plan_.group_of_node[row.first_node];
      const auto kind = [&](int column) {
        const double here = density(row, column) / densest;
        const int shade =
            here <= 0 ? 0 : std::clamp(static_cast<int>(std::ceil(std::sqrt(here) * shades)), 1, shades);
        const int realm = shade == 0 ? -1 : owners_.most_of(group, column);
        return std::pair(colour_index(realm, plan_.realms.size()), shade);
      };
      // Rows that are high enough get a thin gap between them.
      const double gap = row_height_ >= 6 ? 1 : 0;
      const double y = plot_.y + row_height_ * static_cast<double>(i) + gap / 2, height = row_height_ - gap;
      for (int column = 0; column < raster_.columns;) {
        const auto here = kind(column);
        int end = column + 1;
        while (end < raster_.columns && kind(end) == here) ++end;
        if (here.second > 0) {
          const double x = x_of_column(column), width = x_of_column(end) - x;
          paths[here] += fmt::format("M{} {}h{}v{}h-{}z", svg_number(x), svg_number(y), svg_number(width),
                                     svg_number(height), svg_number(width));
        }
        column = end;
      }
    }
    for (const auto& [kind, d] : paths)
      svg_.path(d, filled(colour(kind.first), 0.15 + 0.85 * kind.second / shades) +
                       " shape-rendering=\"crispEdges\"");
  }
  double density(const Raster::Row& row, int column) const {
    const auto width =
        static_cast<double>(std::max<int64_t>(1, raster_.border(column + 1) - raster_.border(column)));
    return row.bytes_of_column[static_cast<size_t>(column)] / width /
           static_cast<double>(std::max<int64_t>(1, row.ranks));
  }

  void realm_borders() {
    if (plan_.realms.size() > most_marked_realms) return;
    for (const plan::Realm& realm : plan_.realms) {
      if (!realm.owned.is_contiguous()) continue;
      const plan::Group& group = plan_.groups[static_cast<size_t>(realm.group)];
      const double x = x_of(realm.owned.offset_of(realm.positions.front().begin));
      if (x <= plot_.x + 0.5) continue;
      const Point top{x, top_of(static_cast<size_t>(group.nodes.front()))};
      const Point bottom{x, bottom_of(static_cast<size_t>(group.nodes.back()))};
      svg_.line(top, bottom, drawn("#fff", 1.5));
      svg_.line(top, bottom, drawn(colour_of(static_cast<int>(&realm - plan_.realms.data())), 1.5, "2 2"));
    }
  }

  // Labels as many nodes as there is room for.
  void node_labels() {
    double free_from = plot_.y - 1;
    int64_t rank = 0;
    for (size_t node = 0; node < facts_.nodes.size(); ++node) {
      const int64_t ranks = facts_.nodes[node].ranks, first = rank;
      rank += ranks;
      const double top = top_of(node), bottom = bottom_of(node), middle = (top + bottom) / 2;
      if (node > 0 && bottom - top >= 4)
        svg_.line({plot_.x - 110, top}, {plot_.right() + 150, top}, drawn("#ccc", 0.7));
      const std::string ranks_text = fmt::format("rank{} {}", ranks == 1 ? "" : "s", span_text(first, ranks));
      if (bottom - top >= 26) {
        svg_.text(plot_.x - 14, middle - 2, fmt::format("node {}", node),
                  {.align = Align::end, .bold = true});
        svg_.text(plot_.x - 14, middle + 11, ranks_text, {.align = Align::end, .colour = "#666"});
      } else if (middle - text_height / 2 >= free_from) {
        std::string name = fmt::format("node {}: {}", node, span_text(first, ranks));
        if (name.size() > 18) name = fmt::format("node {}", node);
        svg_.text(plot_.x - 14, middle + 4, name, {.size = 10, .align = Align::end});
        free_from = middle + text_height / 2 + 3;
      }
    }
  }

  // Draws a triangle at the row of every aggregator.
  void aggregators() {
    if (plan_.realms.size() > most_marked_realms * 4) return;
    for (size_t i = 0; i < plan_.realms.size(); ++i) {
      const plan::Realm& realm = plan_.realms[i];
      for (size_t row = 0; row < raster_.rows.size(); ++row) {
        const Raster::Row& here = raster_.rows[row];
        if (realm.aggregator < here.first_rank || realm.aggregator >= here.first_rank + here.ranks) continue;
        // If a row stands for many ranks, the triangle is at this rank's place among them.
        const double part =
            (static_cast<double>(realm.aggregator - here.first_rank) + 0.5) / static_cast<double>(here.ranks);
        const double y = plot_.y + row_height_ * (static_cast<double>(row) + part);
        svg_.path(triangle(plot_.x - 1, y), filled(colour_of(static_cast<int>(i))) + drawn("#fff", 0.5));
      }
    }
  }

  void memory() {
    if (plan_.method != plan::Method::two_phase) return;
    constexpr double bar = 58;
    const double x = plot_.right() + 10;
    const double height = bottom_of(0) - top_of(0);
    if (height < 3) return;
    svg_.text(x, plot_.y - 4, "memory of a node, limit", {.size = 10, .colour = "#666"});
    const std::vector<int64_t> taken = bytes_of_nodes(plan_);
    const int64_t largest = std::max<int64_t>(1, *std::max_element(taken.begin(), taken.end()));
    double free_from = plot_.y - 1;
    for (size_t node = 0; node < facts_.nodes.size(); ++node) {
      const int64_t used = taken[node];
      const int64_t limit = node_limit(facts_, facts_.nodes[node]).node_bytes;
      const bool limited = limit < INT64_MAX / 2;
      const double part = static_cast<double>(used) / static_cast<double>(limited ? limit : largest);
      const double middle = (top_of(node) + bottom_of(node)) / 2;
      const double thick = std::min(8.0, (bottom_of(node) - top_of(node)) * 0.7);
      svg_.rectangle({x, middle - thick / 2, bar, thick}, filled("#eee"));
      svg_.rectangle({x, middle - thick / 2, bar * std::min(1.0, part), thick},
                     filled(part > 1 ? "#b00020" : "#6b7f99"));
      if (middle - text_height / 2 < free_from) continue;
      svg_.text(x + bar + 6, middle + 4,
                limited ? fmt::format("{}, {}", format_bytes(used), format_bytes(limit)) : format_bytes(used),
                {.size = 10});
      free_from = middle + text_height / 2 + 3;
    }
  }

  double axis(double y) {
    const int64_t length = std::max<int64_t>(1, raster_.range.length());
    int64_t step = 1;
    while (length / step > 8) step *= 2;
    for (int64_t offset = (raster_.range.begin + step - 1) / step * step; offset <= raster_.range.end;
         offset += step) {
      svg_.tick({x_of(offset), y}, exact_bytes(offset));
      if (offset > INT64_MAX - step) break;
    }
    svg_.text(plot_left - 14, y + 17, "offset in the file", {.align = Align::end, .colour = "#666"});
    return y + 24;
  }

  double legend(double y) {
    const bool colours_realms = !plan_.realms.empty();
    double x = plot_left;
    for (int shade = 1; shade <= shades; ++shade) {
      svg_.rectangle({x, y, 10, 11},
                     filled(colour_of(colours_realms ? 0 : -1), 0.15 + 0.85 * shade / shades));
      x += 10;
    }
    const std::string words =
        colours_realms ? "few to many bytes of a rank, in its realm's colour" : "few to many bytes of a rank";
    svg_.text(x + 6, y + 10, words);
    x += 300;
    if (colours_realms) {
      svg_.path(triangle(x + 10, y + 6), filled("#555"));
      svg_.text(x + 16, y + 10, "aggregator");
      x += 100;
    }
    if (shows_groups()) {
      svg_.legend_entry({x, y, 22, 11}, filled("#e8f0fa") + drawn("#333", 1, "5 3"),
                        "aggregation group: ranks and realms that exchange among themselves");
    }
    y += 28;
    for (size_t i = 0; i < std::min(plan_.realms.size(), realms_listed); ++i) {
      const double left = plot_left + (i % 2 == 0 ? 0 : plot_width / 2 + 10);
      listed(left, y, i);
      if (i % 2 == 1 || i + 1 == std::min(plan_.realms.size(), realms_listed)) y += 16;
    }
    if (plan_.realms.size() > realms_listed) {
      svg_.text(plot_left, y + 9,
                fmt::format("and {} more",
                            counted(static_cast<int64_t>(plan_.realms.size() - realms_listed), "realm")),
                {.colour = "#666"});
      y += 16;
    }
    return y;
  }
  void listed(double x, double y, size_t i) {
    const plan::Realm& realm = plan_.realms[i];
    svg_.legend_entry({x, y, 11, 11}, filled(colour_of(static_cast<int>(i))),
                      fmt::format("realm {}: rank {} on node {}, {} in {} of {}", i, realm.aggregator,
                                  realm.node, format_bytes(realm.bytes), counted(rounds_of(realm), "window"),
                                  format_bytes(realm.window_bytes)));
  }

  const plan::Facts& facts_;
  const plan::Plan& plan_;
  const Raster& raster_;
  Owners owners_;
  Box plot_;
  double row_height_ = 0;
  std::vector<double> first_row_, end_row_;  // of each node
  Drawing svg_;
};

}  // namespace

int picture_columns(int64_t ranks) {
  return static_cast<int>(ranks <= 100 ? plot_width : plot_width / 2);
}

std::string picture_of(const plan::Facts& facts, const plan::Plan& plan, const Raster& raster,
                       const std::string& title) {
  return Picture(facts, plan, raster).draw(title);
}

}  // namespace concilio::sim
