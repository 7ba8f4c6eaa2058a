#include "summary/records.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "plan/facts/method.h"
#include "plan/show/candidate_json.h"

namespace concilio::tools {

using nlohmann::json;

namespace {

Counters counters_of(const json& object) {
  Counters counters;
  for (int i = 0; i < counter_count; ++i) {
    const Counter counter = static_cast<Counter>(i);
    counters[counter] = object.value(counter_name(counter), int64_t{0});
  }
  return counters;
}

json json_of(const Counters& counters) {
  json object = json::object();
  for (int i = 0; i < counter_count; ++i) {
    const Counter counter = static_cast<Counter>(i);
    object[counter_name(counter)] = counters[counter];
  }
  return object;
}

FileRecord record_of(const json& line) {
  FileRecord record;
  record.file = line.at("file").get<std::string>();
  record.ranks = line.value("ranks", int64_t{0});
  record.nodes = line.value("nodes", int64_t{0});
  record.mpi = line.value("mpi", "");
  record.open_seconds = line.value("open_seconds", 0.0);
  record.sum = counters_of(line.value("counters", json::object()));
  record.slowest = counters_of(line.value("max", json::object()));
  record.peak_bytes_per_rank = line.value("peak_bytes_per_rank", int64_t{0});
  record.peak_bytes_per_node = line.value("peak_bytes_per_node", int64_t{0});
  record.peak_description_bytes_per_rank = line.value("peak_description_bytes_per_rank", int64_t{0});
  for (const json& reason : line.value("reasons", json::array())) {
    record.reasons.push_back({reason.value("operation", ""), reason.value("method", ""),
                              reason.value("collective", false), reason.value("reason", ""),
                              reason.value("calls", int64_t{0}),
                              candidates_from_json(reason.value("candidates", json::array()))});
  }
  const json hints = line.value("hints", json::object());
  for (const auto& [name, value] : hints.items())
    record.hints[name] = value.is_string() ? value.get<std::string>() : value.dump();
  return record;
}

void add_reason(std::vector<Reason>& reasons, const Reason& added) {
  for (Reason& reason : reasons) {
    if (reason.operation == added.operation && reason.method == added.method &&
        reason.collective == added.collective && reason.text == added.text) {
      reason.calls += added.calls;
      reason.candidates = added.candidates;
      return;
    }
  }
  reasons.push_back(added);
}

}  // namespace

Records parse_records(std::string_view lines) {
  Records records;
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    const std::string_view line = lines.substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    try {
      records.files.push_back(record_of(json::parse(line)));
    } catch (const json::exception&) {
      ++records.unreadable_lines;
    }
  }
  return records;
}

std::vector<FileRecord> by_name(const std::vector<FileRecord>& files) {
  std::vector<FileRecord> merged;
  for (const FileRecord& file : files) {
    const auto same = std::find_if(merged.begin(), merged.end(),
                                   [&](const FileRecord& other) { return other.file == file.file; });
    if (same == merged.end()) {
      merged.push_back(file);
      continue;
    }
    same->ranks = std::max(same->ranks, file.ranks);
    same->nodes = std::max(same->nodes, file.nodes);
    same->times_opened += file.times_opened;
    same->open_seconds += file.open_seconds;
    for (int i = 0; i < counter_count; ++i) {
      const Counter counter = static_cast<Counter>(i);
      same->sum[counter] += file.sum[counter];
      same->slowest[counter] += file.slowest[counter];
    }
    same->peak_bytes_per_rank = std::max(same->peak_bytes_per_rank, file.peak_bytes_per_rank);
    same->peak_bytes_per_node = std::max(same->peak_bytes_per_node, file.peak_bytes_per_node);
    same->peak_description_bytes_per_rank =
        std::max(same->peak_description_bytes_per_rank, file.peak_description_bytes_per_rank);
    for (const Reason& reason : file.reasons) add_reason(same->reasons, reason);
    same->hints = file.hints;
  }
  return merged;
}

json to_json(const FileRecord& record) {
  json reasons = json::array();
  for (const Reason& reason : record.reasons) {
    reasons.push_back({{"operation", reason.operation},
                       {"method", reason.method},
                       {"collective", reason.collective},
                       {"reason", reason.text},
                       {"calls", reason.calls},
                       {"candidates", candidates_json(reason.candidates)}});
  }
  return {{"file", record.file},
          {"ranks", record.ranks},
          {"nodes", record.nodes},
          {"mpi", record.mpi},
          {"times_opened", record.times_opened},
          {"open_seconds", record.open_seconds},
          {"counters", json_of(record.sum)},
          {"max", json_of(record.slowest)},
          {"peak_bytes_per_rank", record.peak_bytes_per_rank},
          {"peak_bytes_per_node", record.peak_bytes_per_node},
          {"peak_description_bytes_per_rank", record.peak_description_bytes_per_rank},
          {"reasons", reasons},
          {"hints", record.hints}};
}

std::string methods_taken(const FileRecord& record) {
  std::vector<std::pair<int64_t, const char*>> taken;
  for (int i = 0; i < method_count; ++i) {
    const auto method = static_cast<Method>(i);
    if (const int64_t calls = record.sum[method_counter(method)])
      taken.emplace_back(calls, method_name(method));
  }
  std::stable_sort(taken.begin(), taken.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [calls, name] : taken) text += (text.empty() ? "" : ", ") + std::string(name);
  return text;
}

}  // namespace concilio::tools
