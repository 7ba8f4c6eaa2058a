#include "base/text/nearest_name.h"

#include <algorithm>
#include <array>

namespace concilio {

namespace {

// An info key has at most 255 characters; a longer name is compared with nothing.
constexpr size_t most_letters = 255;

// How many letters must be inserted, deleted or replaced to turn one text into the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::array<size_t, most_letters + 1> row;
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

NearestName::NearestName(std::string_view unknown, bool any)
    : unknown_(unknown), distance_(any ? most_letters + 1 : std::min<size_t>(4, unknown.size() / 3)) {}

void NearestName::consider(const char* known) {
  const std::string_view name = known ? known : "";
  if (name.empty() || unknown_.empty() || std::max(name.size(), unknown_.size()) > most_letters) return;
  const size_t distance = name.starts_with(unknown_) ? 1 : edit_distance(unknown_, name);
  if (distance >= distance_) return;
  name_ = known;
  distance_ = distance;
}

std::string NearestName::question() const {
  return name_ ? "; did you mean " + std::string(name_) + "?" : "";
}

}  // namespace concilio
