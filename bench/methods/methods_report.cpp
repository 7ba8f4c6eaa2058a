#include "methods/methods_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/median.h"

namespace concilio::bench {

using nlohmann::json;

namespace {

constexpr double mib = 1024.0 * 1024.0;

json text_or_null(const std::string& text) {
  return text.empty() ? json() : json(text);
}
json seconds_or_null(double seconds) {
  return seconds < 0 ? json() : json(seconds);
}

const std::string& taken_at_last(const MethodTimes& times) {
  return times.taken.empty() ? times.first_taken : times.taken.back();
}

const std::string& why_not(const MethodTimes& times) {
  return times.failure.empty() ? times.left_out : times.failure;
}

bool changed(const MethodTimes& times) {
  return std::adjacent_find(times.taken.begin(), times.taken.end(), std::not_equal_to<>()) !=
         times.taken.end();
}

json times_json(const MethodTimes& times) {
  json result = {{"first_seconds", times.first_seconds},
                 {"seconds", times.seconds},
                 {"median_seconds", median(times.seconds)},
                 {"taken", text_or_null(taken_at_last(times))},
                 {"predicted_seconds", seconds_or_null(times.predicted_seconds)},
                 {"failure", text_or_null(why_not(times))}};
  if (changed(times)) result["taken_each"] = times.taken;
  json candidates = json::object();
  for (size_t i = 0; i < library_methods.size(); ++i) {
    if (times.predicted[i] >= 0) candidates[library_methods[i]] = times.predicted[i];
  }
  if (!candidates.empty()) result["candidates"] = candidates;
  return result;
}

json operation_json(const std::vector<MethodTimes>& all) {
  json operation = json::object();
  for (const MethodTimes& times : all) operation[times.method] = times_json(times);
  return operation;
}

std::string row(Operation operation, const MethodTimes& times, int64_t bytes) {
  if (!why_not(times).empty())
    return fmt::format("  {:<6} {:<12} {}\n", name_of(operation), times.method, why_not(times));
  const double seconds = median(times.seconds);
  const std::string rate =
      seconds > 0 ? fmt::format("{:.1f}", static_cast<double>(bytes) / mib / seconds) : "-";
  const std::string predicted =
      times.predicted_seconds < 0 ? "-" : fmt::format("{:.3f} ms", times.predicted_seconds * 1e3);
  const std::string& taken = taken_at_last(times);
  if (times.seconds.empty()) return {};
  const auto [least, most] = std::ranges::minmax(times.seconds);
  const std::string spread = fmt::format("{:.3f}-{:.3f} ms", least * 1e3, most * 1e3);
  return fmt::format("  {:<6} {:<12} {:>10.3f} ms {:>20} {:>10} MiB/s {:>14}  {}{}\n", name_of(operation),
                     times.method, seconds * 1e3, spread, rate, predicted, taken.empty() ? "-" : taken,
                     changed(times) ? " at last" : "");
}

}  // namespace

json to_json(const std::string& pattern, const std::string& note, const MethodsOutcome& outcome) {
  json result = {{"pattern", pattern}, {"bytes", outcome.total_bytes}, {"operations", json::object()}};
  if (!note.empty()) result["note"] = note;
  if (!outcome.failure.empty()) result["failure"] = outcome.failure;
  for (const auto& [name, times] : {std::pair{"write", &outcome.write}, std::pair{"read", &outcome.read}}) {
    if (times->empty()) continue;
    result["operations"][name] = operation_json(*times);
    if (const double times_best = regret(*times); times_best > 0) {
      result["regret"][name] = times_best;
      result["regret_may_be_chance"][name] = regret_may_be_chance(*times);
    }
  }
  return result;
}

std::string to_text(const std::string& pattern, const std::string& note, const MethodsOutcome& outcome) {
  std::string text =
      fmt::format("{}, {:.2f} MiB{}{}\n  {:<6} {:<12} {:>13} {:>20} {:>16} {:>14}  {}\n", pattern,
                  static_cast<double>(outcome.total_bytes) / mib, note.empty() ? "" : "; ", note, "",
                  "method", "median", "spread", "rate", "predicted", "taken");
  std::string last;
  for (const auto& [operation, times] :
       {std::pair{Operation::write, &outcome.write}, std::pair{Operation::read, &outcome.read}}) {
    for (const MethodTimes& own : *times) text += row(operation, own, outcome.total_bytes);
    if (const double times_best = regret(*times); times_best > 0)
      last += fmt::format("{} {} {:.2f}{}", last.empty() ? "" : ",", name_of(operation), times_best,
                          regret_may_be_chance(*times) ? "?" : "");
  }
  if (!last.empty()) {
    const bool unclear = last.find('?') != last.npos;
    text += fmt::format("  regret of auto:{}{}\n", last,
                        unclear ? " (?: the times spread so far that it may be chance)" : "");
  }
  return text;
}

}  // namespace concilio::bench
