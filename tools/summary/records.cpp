#include "summary/records.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "plan/facts/method.h"
#include "plan/show/candidate_json.h"
#include "summary/data_operations.h"

namespace concilio::tools {

using nlohmann::json;

namespace {

constexpr std::pair<LiveCall, const char*> live_calls[] = {{LiveCall::read, "a read"},
                                                           {LiveCall::write, "a write"},
                                                           {LiveCall::collective_read, "a collective read"},
                                                           {LiveCall::collective_write, "a collective write"},
                                                           {LiveCall::close, "MPI_File_close"}};

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

LiveCall call_named(const std::string& name) {
  for (const auto& [call, known] : live_calls) {
    if (name == known) return call;
  }
  return LiveCall::none;
}

LateRank late_rank_of(const json& activity) {
  const auto ranks = activity.find("waited_least");
  if (ranks == activity.end() || ranks->empty()) return {};
  const json& first = ranks->at(0);
  return {first.value("rank", int64_t{-1}), first.value("waited_seconds", 0.0),
          first.value("own_seconds", 0.0)};
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
  // Older reports do not have it.
  const json slowest = line.value("slowest_rank", line.value("max", json::object()));
  record.slowest_rank = RankTimes(counters_of(slowest));
  record.unended_seconds = slowest.value("unended_seconds", 0.0);
  record.peak_bytes_per_rank = line.value("peak_bytes_per_rank", int64_t{0});
  record.peak_bytes_per_node = line.value("peak_bytes_per_node", int64_t{0});
  record.peak_description_bytes_per_rank = line.value("peak_description_bytes_per_rank", int64_t{0});
  for (const json& reason : line.value("reasons", json::array())) {
    record.reasons.push_back({reason.value("operation", ""), reason.value("method", ""),
                              reason.value("collective", false), reason.value("reason", ""),
                              reason.value("calls", int64_t{0}),
                              plan::candidates_from_json(reason.value("candidates", json::array()))});
  }
  for (const json& call : line.value("as_one_call", json::array())) {
    record.one_calls.push_back({call.value("operation", ""), call.value("method", ""),
                                call.value("seconds", 0.0), call.value("lone_seconds", 0.0)});
  }
  record.times_opened = line.value("times_opened", int64_t{1});
  record.brief_opens = line.value("brief_opens", int64_t{0});
  record.first_error = line.value("first_error", "");
  for (const json& rank : line.value("open_ranks", json::array())) {
    record.open_ranks.push_back(
        {rank.value("rank", int64_t{0}), call_named(rank.value("call", "")), rank.value("seconds", 0.0)});
  }
  const json hints = line.value("hints", json::object());
  for (const auto& [name, value] : hints.items())
    record.hints[name] = value.is_string() ? value.get<std::string>() : value.dump();
  if (line.contains("hints_given")) record.hints_given = line.at("hints_given").dump();
  const auto add = [&](const json& activity) {
    record.late_rank = late_rank_of(activity);
    record.left_out += activity.value("left_out", int64_t{0});
    record.activities.push_back(activity.dump());
  };
  if (line.contains("activity")) add(line.at("activity"));
  if (line.contains("activities")) std::ranges::for_each(line.at("activities"), add);
  return record;
}

json json_of_slowest(const FileRecord& record) {
  json object = json::object();
  for (size_t i = 0; i < record.slowest_rank.ns.size(); ++i)
    object[counter_name(RankTimes::counters[i])] = record.slowest_rank.ns[i];
  if (record.unended_seconds > 0) object["unended_seconds"] = record.unended_seconds;
  return object;
}

json json_of(const OpenRank& rank) {
  json object = {{"rank", rank.rank}};
  if (const char* call = name_of(rank.call)) {
    object["call"] = call;
    object["seconds"] = rank.seconds;
  }
  return object;
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

// What is known of the calls of both records together: nothing, where it is not known of those of one.
std::vector<OneCall> together(const FileRecord& a, const FileRecord& b) {
  std::vector<OneCall> all;
  for (const DataOperation& operation : data_operations) {
    OneCall both{operation.name, "", 0, 0};
    bool known = true;
    for (const FileRecord* record : {&a, &b}) {
      if (record->sum[operation.independent] == 0) continue;
      const auto found = std::ranges::find(record->one_calls, operation.name, &OneCall::operation);
      known = known && found != record->one_calls.end();
      if (!known) break;
      both.method = found->method;
      both.seconds += found->seconds;
      both.lone_seconds += found->lone_seconds;
    }
    if (known && !both.method.empty()) all.push_back(both);
  }
  return all;
}

Error no_report(const std::string& why) {
  return {ErrorKind::argument, 0,
          "no report of concilio run" + why + "; write one by concilio run --report FILE"};
}

// An object as text that lacks its end.
std::string opened(const json& object) {
  // A file name need not be valid UTF-8.
  std::string text = object.dump(2, ' ', false, json::error_handler_t::replace);
  text.resize(text.rfind('\n'));
  return text;
}

}  // namespace

json json_of(const FileRecord& record) {
  json reasons = json::array();
  for (const Reason& reason : record.reasons) {
    reasons.push_back({{"operation", reason.operation},
                       {"method", reason.method},
                       {"collective", reason.collective},
                       {"reason", reason.text},
                       {"calls", reason.calls},
                       {"candidates", candidates_json(reason.candidates)}});
  }
  json object = {{"file", record.file},
                 {"ranks", record.ranks},
                 {"nodes", record.nodes},
                 {"mpi", record.mpi},
                 {"times_opened", record.times_opened},
                 {"open_seconds", record.open_seconds},
                 {"counters", json_of(record.sum)},
                 {"max", json_of(record.slowest)},
                 {"slowest_rank", json_of_slowest(record)},
                 {"peak_bytes_per_rank", record.peak_bytes_per_rank},
                 {"peak_bytes_per_node", record.peak_bytes_per_node},
                 {"peak_description_bytes_per_rank", record.peak_description_bytes_per_rank},
                 {"reasons", reasons},
                 {"hints", record.hints}};
  if (record.brief_opens > 0) object["brief_opens"] = record.brief_opens;
  for (const OneCall& call : record.one_calls) {
    object["as_one_call"].push_back({{"operation", call.operation},
                                     {"method", call.method},
                                     {"seconds", call.seconds},
                                     {"lone_seconds", call.lone_seconds}});
  }
  if (!record.hints_given.empty()) object["hints_given"] = json::parse(record.hints_given);
  if (!record.first_error.empty()) object["first_error"] = record.first_error;
  for (const OpenRank& rank : record.open_ranks) object["open_ranks"].push_back(json_of(rank));
  return object;
}

std::string text_of(const FileRecord& record) {
  std::string text = opened(json_of(record));
  if (!record.activities.empty())
    text += fmt::format(",\n  \"activities\": [\n    {}\n  ]", fmt::join(record.activities, ",\n    "));
  return text + "\n}";
}

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

std::string text_of(const Report& report) {
  json object = {{"concilio", report.version}, {"command", report.command}};
  if (report.exit_status) object["exit_code"] = *report.exit_status;
  std::string text = opened(object) + ",\n  \"files\": [";
  const char* before = "\n";
  for (const FileRecord& file : report.records.files) {
    text += before + text_of(file);
    before = ",\n";
  }
  return text + "\n  ]\n}\n";
}

Result<Report> parse_report(std::string_view text) {
  Report report;
  const json whole = json::parse(text, nullptr, false);
  if (!whole.is_object() || !whole.contains("files")) {
    report.records = parse_records(text);
    if (report.records.files.empty()) return no_report("");
    return report;
  }
  try {
    report.version = whole.value("concilio", "");
    report.command = whole.value("command", std::vector<std::string>());
    if (whole.contains("exit_code")) report.exit_status = whole.at("exit_code").get<int>();
    for (const json& file : whole.at("files")) report.records.files.push_back(record_of(file));
  } catch (const json::exception& error) {
    return no_report(std::string(": ") + error.what());
  }
  return report;
}

std::vector<FileRecord> by_name(const std::vector<FileRecord>& files) {
  std::vector<FileRecord> merged;
  std::unordered_map<std::string_view, size_t> places;
  for (const FileRecord& file : files) {
    const auto [place, fresh] = places.try_emplace(file.file, merged.size());
    if (fresh) {
      merged.push_back(file);
      continue;
    }
    FileRecord* const same = &merged[place->second];
    same->ranks = std::max(same->ranks, file.ranks);
    same->nodes = std::max(same->nodes, file.nodes);
    same->times_opened += file.times_opened;
    same->brief_opens += file.brief_opens;
    same->left_out += file.left_out;
    same->open_seconds += file.open_seconds;
    same->one_calls = together(*same, file);  // before the calls are added up
    for (int i = 0; i < counter_count; ++i) {
      const Counter counter = static_cast<Counter>(i);
      same->sum[counter] += file.sum[counter];
      same->slowest[counter] += file.slowest[counter];
    }
    same->slowest_rank += file.slowest_rank;
    same->unended_seconds += file.unended_seconds;
    same->peak_bytes_per_rank = std::max(same->peak_bytes_per_rank, file.peak_bytes_per_rank);
    same->peak_bytes_per_node = std::max(same->peak_bytes_per_node, file.peak_bytes_per_node);
    same->peak_description_bytes_per_rank =
        std::max(same->peak_description_bytes_per_rank, file.peak_description_bytes_per_rank);
    for (const Reason& reason : file.reasons) add_reason(same->reasons, reason);
    if (!file.hints.empty()) same->hints = file.hints;
    if (file.late_rank.rank >= 0) same->late_rank = file.late_rank;
    if (!file.hints_given.empty()) same->hints_given = file.hints_given;
    same->activities.insert(same->activities.end(), file.activities.begin(), file.activities.end());
    if (same->first_error.empty()) same->first_error = file.first_error;
    same->open_ranks.insert(same->open_ranks.end(), file.open_ranks.begin(), file.open_ranks.end());
  }
  return merged;
}

const char* name_of(LiveCall call) {
  for (const auto& [known, name] : live_calls) {
    if (call == known) return name;
  }
  return nullptr;
}

double seconds_of(const FileRecord& record) {
  return static_cast<double>(record.slowest[Counter::call_ns]) * 1e-9 + record.open_seconds;
}

std::string methods_taken(const FileRecord& record) {
  std::vector<std::pair<int64_t, const char*>> taken;
  for (int i = 0; i < plan::method_count; ++i) {
    const auto method = static_cast<plan::Method>(i);
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
