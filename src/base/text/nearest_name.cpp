#include "base/text/nearest_name.h"

#include <algorithm>
#include <array>

namespace concilio {

namespace {

// An info key has at most 255 characters; a longer name is compared with nothing.
constexpr size_t most_letters = 255;

// How many letters must be inserted, deleted, replaced, or swapped with the next one, to turn one text into
// the other.
size_t edit_distance(std::string_view a, std::string_view b) {
  using Row = std::array<size_t, most_letters + 1>;
  Row rows[3];  // of i, i - 1 and i - 2 letters of `a`, by turns
  for (size_t i = 0; i <= a.size(); ++i) {
    Row& row = rows[i % 3];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      if (i == 0) {
        row[j] = j;
        continue;
      }
      const Row& before = rows[(i + 2) % 3];
      const bool equal = a[i - 1] == b[j - 1];
      row[j] = std::min({before[j - 1] + (equal ? 0 : 1), before[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
    }
  }
  return rows[a.size() % 3][b.size()];
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
