#include "exec/windows/window_set.h"

#include <algorithm>
#include <atomic>
#include <span>

#include "base/checked.h"
#include "plan/layout/windows.h"

namespace concilio::exec {
namespace {

constexpr int64_t most_set_bytes = 512;

bool has_data_in_any(const Request& request, std::span<const pattern::Interval> parts) {
  const pattern::Interval mine{request.position, request.position + request.bytes};
  return std::any_of(parts.begin(), parts.end(), [&](const pattern::Interval& part) {
    return std::max(mine.begin, request.file->data_before(part.begin)) <
           std::min(mine.end, request.file->data_before(part.end));
  });
}

}  // namespace

int64_t WindowSet::most_bytes(const plan::Realm& realm) {
  return std::min(most_set_bytes, realm.image_bytes);
}

WindowSet::WindowSet(const plan::Realm& realm) {
  const int64_t rounds = rounds_of(realm);
  windows_per_mark_ = std::max<int64_t>(1, ceil_divide(rounds, most_bytes(realm) * 8));
  marks_.resize(static_cast<size_t>(ceil_divide(ceil_divide(rounds, windows_per_mark_), 64)));
}

void WindowSet::add(const Request& request, const plan::Realm& realm, std::vector<pattern::Interval>& parts) {
  if (request.bytes == 0) return;
  const pattern::Interval bounds = request.bounds();
  for (int64_t round = 0; round < rounds_of(realm); ++round) {
    window(realm, round, parts);
    // Windows need not come in ascending order (plan/layout/stagger.h).
    if (parts.back().end <= bounds.begin || parts.front().begin >= bounds.end) continue;
    if (has_data_in_any(request, parts)) marks_[word(round)] |= bit(round);
  }
}

void WindowSet::add_to(uint64_t* shared) const {
  for (size_t i = 0; i < marks_.size(); ++i)
    std::atomic_ref(shared[i]).fetch_or(marks_[i], std::memory_order_relaxed);
}

}  // namespace concilio::exec
