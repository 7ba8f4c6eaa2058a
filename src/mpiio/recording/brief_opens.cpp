#include "mpiio/recording/brief_opens.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/activity/activity_json.h"
#include "mpiio/recording/recording.h"

namespace concilio::mpiio {
namespace {

using All = std::array<BriefOpens, LiveRecords::most_brief>;

constinit std::mutex mutex;
constinit bool any_kept = false;

All& all_kept() {
  static constinit All own;  // its pages are touched where they are needed
  LiveRecords* const shown = Recording::shown();
  return shown ? shown->brief : own;
}

// That of this file; null if nothing is kept of it.
BriefOpens* find(std::string_view path, All& all) {
  const auto found =
      std::ranges::find_if(all, [&](const BriefOpens& one) { return one.used.load() && one.path.is(path); });
  return found != all.end() ? &*found : nullptr;
}
// That of this file, or one that is free for it, or the last.
BriefOpens& place_of(std::string_view path, All& all) {
  if (BriefOpens* const known = find(path, all)) return *known;
  const auto free = std::find_if(all.begin(), all.end() - 1, [](const BriefOpens& one) { return !one.used; });
  if (free != all.end() - 1) free->path.set(path);
  return *free;
}

void write_values(const char* name, const std::array<int64_t, ClosedTotals::count>& values, JsonText& json) {
  json.name(name);
  json.object([&] {
    for (size_t i = 0; i < counter_count; ++i) json.member(counter_name(static_cast<Counter>(i)), values[i]);
  });
}

JsonText record_of(const BriefOpens& one) {
  JsonText json;
  const ClosedTotals& totals = one.totals;
  json.object([&] {
    json.member("file", one.path.is({}) ? BriefOpens::several : one.path.view());
    json.member("ranks", one.ranks);
    json.member("nodes", one.nodes);
    json.member("mpi", CONCILIO_MPI);
    json.member("times_opened", one.opens);
    json.member("brief_opens", one.opens);
    json.member("open_seconds", static_cast<double>(totals.maxima[ClosedTotals::open_ns]) * 1e-9);
    write_values("counters", totals.sums, json);
    write_values("max", totals.maxima, json);
    write_slowest(totals.slowest, json);
    json.member("peak_bytes_per_rank", totals.maxima[ClosedTotals::peak]);
    json.member("peak_description_bytes_per_rank", totals.maxima[ClosedTotals::described]);
    if (!one.first_error.is({})) json.member("first_error", one.first_error.view());
  });
  return json;
}

void forget(BriefOpens& one) {
  one.used = false;
  one.ranks = one.nodes = 0;
  one.opens = 0;
  one.path = {};
  one.totals = {};
  one.first_error = {};
}

}  // namespace

void keep_brief_opens(std::string_view path, int ranks, size_t nodes, int64_t opens,
                      std::string_view first_error, FunctionRef<void(ClosedTotals&)> add) {
  const std::lock_guard lock(mutex);
  BriefOpens& one = place_of(path, all_kept());
  one.ranks = std::max(one.ranks, ranks);
  one.nodes = std::max(one.nodes, static_cast<int32_t>(nodes));
  one.opens += opens;
  add(one.totals);
  if (!first_error.empty() && one.first_error.is({})) one.first_error.set(first_error);
  any_kept = true;
  one.used.store(true, std::memory_order_release);
}

EarlierOpens take_brief_opens(std::string_view path, ClosedTotals& totals) {
  const std::lock_guard lock(mutex);
  BriefOpens* const one = any_kept ? find(path, all_kept()) : nullptr;
  if (!one) return {};
  EarlierOpens taken{one->opens, one->ranks, one->nodes, std::string(one->first_error.view())};
  totals.add(one->totals);
  forget(*one);
  return taken;
}

void tell_brief_opens(FunctionRef<void(JsonText)> append) {
  const std::lock_guard lock(mutex);
  if (!any_kept) return;
  for (BriefOpens& one : all_kept()) {
    if (!one.used) continue;
    append(record_of(one));
    forget(one);
  }
}

}  // namespace concilio::mpiio
