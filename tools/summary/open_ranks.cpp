#include "summary/open_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/format_count.h"
#include "base/text/format_seconds.h"

namespace concilio::tools {

namespace {

constexpr size_t told_ranges = 6;

}  // namespace

std::string ranges_of(const std::vector<int64_t>& numbers) {
  std::string text;
  size_t ranges = 0;
  for (size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    for (end = begin + 1; end < numbers.size() && numbers[end] <= numbers[end - 1] + 1;) ++end;
    if (++ranges > told_ranges) return text + ", ...";
    const int64_t first = numbers[begin], last = numbers[end - 1];
    text += fmt::format("{}{}", text.empty() ? "" : ", ", first);
    if (last > first) text += fmt::format("-{}", last);
  }
  return text;
}

std::string told_of_open_ranks(const FileRecord& file) {
  if (file.open_ranks.empty()) return {};
  struct Group {
    std::vector<int64_t> ranks;
    double seconds = 0;
  };
  std::map<LiveCall, Group> groups;
  for (const OpenRank& open : file.open_ranks) {
    Group& group = groups[open.call];
    group.ranks.push_back(open.rank);
    group.seconds = std::max(group.seconds, open.seconds);
  }
  const int64_t open = std::ssize(file.open_ranks);
  std::string text = open < file.ranks
                         ? fmt::format("not closed by {} of {}", open, counted(file.ranks, "rank"))
                         : fmt::format("not closed by {}", counted(open, "rank"));
  for (const auto& [call, group] : groups) {
    const char* noun = group.ranks.size() > 1 ? "ranks" : "rank";
    text += fmt::format("; {} {} in ", noun, ranges_of(group.ranks));
    text += call == LiveCall::none ? "no call"
                                   : fmt::format("{} for {}", name_of(call), format_seconds(group.seconds));
  }
  return text;
}

}  // namespace concilio::tools
