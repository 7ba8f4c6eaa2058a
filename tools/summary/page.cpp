#include "summary/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>
#include <vector>

#include "base/settings/config.h"
#include "base/text/xml.h"
#include "plan/show/candidate_json.h"
#include "summary/advice.h"
#include "summary/call_time.h"
#include "summary/page_text.h"
#include "summary/summary.h"
#include "system/write_text.h"

namespace concilio::tools {

using nlohmann::json;

namespace {

// The files that took longest are shown in full. More would make a page that opens slowly of a run that
// nobody reads file by file.
constexpr size_t files_in_full = 500;
// Of the files that took longest, what they did over time and where, as long as it takes no more bytes than
// the other files leave.
size_t most_activity_bytes(size_t files) {
  constexpr size_t of_all = 1'500'000, of_many = 300'000, bytes_a_file = 150;
  return std::max(of_many, of_all - std::min(of_all, files * bytes_a_file));
}
// Whole microseconds: more digits would only make the page larger.
double rounded(double seconds) {
  return std::round(seconds * 1e6) / 1e6;
}
// What the page shows of every other file, in the table and as its times.
constexpr Counter always_shown[] = {
    Counter::collective_reads,      Counter::collective_writes, Counter::independent_reads,
    Counter::independent_writes,    Counter::bytes_read,        Counter::bytes_written,
    Counter::storage_reads,         Counter::storage_writes,    Counter::storage_bytes_read,
    Counter::storage_bytes_written, Counter::failed_calls};
constexpr Counter times_shown[] = {Counter::call_ns, Counter::exchange_ns};

// Values that many files have in common, each once.
template <typename Key>
class Shared {
 public:
  size_t place_of(const Key& key) {
    const auto [place, fresh] = places_.try_emplace(key, list_.size());
    if (fresh) list_.push_back(key);
    return place->second;
  }
  const json& list() const { return list_; }

 private:
  std::map<Key, size_t> places_;
  json list_ = json::array();
};

std::vector<Counter> all_counters() {
  std::vector<Counter> all(counter_count);
  for (int i = 0; i < counter_count; ++i) all[static_cast<size_t>(i)] = static_cast<Counter>(i);
  return all;
}

// [index, value, index, value, ...] of those that are not zero.
json pairs_of(const Counters& counters, std::span<const Counter> shown) {
  json pairs = json::array();
  for (const Counter counter : shown) {
    if (counters[counter] == 0) continue;
    pairs.push_back(static_cast<int>(counter));
    pairs.push_back(counters[counter]);
  }
  return pairs;
}

// Of the time in calls, by PartOfCalls. The last ones are mostly nothing, and then left out.
json parts_of(const FileRecord& file) {
  std::vector<double> parts;
  for (const double seconds : call_time_of(file).parts) parts.push_back(rounded(seconds));
  while (!parts.empty() && parts.back() <= 0) parts.pop_back();
  return parts;
}

json numbers_of(const FileRecord& file, bool in_full) {
  const std::vector<Counter> all = all_counters();
  return {{"ranks", file.ranks},
          {"seconds", rounded(seconds_of(file))},
          {"parts", parts_of(file)},
          {"peak", file.peak_bytes_per_rank},
          {"sum", pairs_of(file.sum, in_full ? std::span<const Counter>(all) : always_shown)},
          {"max", pairs_of(file.slowest, in_full ? std::span<const Counter>(all) : times_shown)}};
}

json reason_of(const Reason& reason) {
  return {{"operation", reason.operation},
          {"method", reason.method},
          {"collective", reason.collective},
          {"reason", reason.text},
          {"candidates", candidates_json(reason.candidates)}};
}

json defaults() {
  json all = json::object();
  for (const Setting& setting : settings()) {
    if (setting.hint && setting.effect != Effect::told) all[setting.hint] = setting.default_value;
  }
  return all;
}

// What page.js reads.
json page_data(const Report& report, std::vector<FileRecord> files) {
  std::ranges::stable_sort(files, std::ranges::greater(), seconds_of);
  Shared<std::map<std::string, std::string>> hints;
  Shared<json> reasons;
  Shared<std::string> methods;
  json rows = json::array();
  size_t activity_bytes = 0;
  for (const FileRecord& file : files) {
    const bool in_full = rows.size() < files_in_full;
    json row = numbers_of(file, in_full);
    row["name"] = file.file;
    row["methods"] = methods.place_of(methods_taken(file));
    row["hints"] = hints.place_of(file.hints);
    if (const auto troubles = troubles_of(file); !troubles.empty()) row["troubles"] = troubles;
    if (const std::string sampled = told_of_sampling(file); !sampled.empty()) row["sampled"] = sampled;
    if (in_full) {
      row["nodes"] = file.nodes;
      row["opened"] = file.times_opened;
      row["open_seconds"] = rounded(file.open_seconds);
      if (const Advice advice = advice_on(file); !advice.text.empty()) {
        row["advice"] = {
            {"text", advice.text},       {"to_paste", advice.to_paste}, {"expectation", advice.expectation},
            {"seconds", advice.seconds}, {"at_most", advice.at_most},   {"to_be_won", to_be_won(advice)}};
      }
      if (!file.hints_given.empty()) row["hints_given"] = json::parse(file.hints_given);
      row["why"] = json::array();
      for (const Reason& reason : file.reasons)
        row["why"].push_back({reasons.place_of(reason_of(reason)), reason.calls});
    }
    for (const std::string& activity : file.activities) {
      if (activity_bytes + activity.size() > most_activity_bytes(files.size())) continue;
      activity_bytes += activity.size();
      row["activities"].push_back(json::parse(activity));
    }
    rows.push_back(std::move(row));
  }
  json names = json::array();
  for (int i = 0; i < counter_count; ++i) names.push_back(counter_name(static_cast<Counter>(i)));
  json data = {{"version", report.version},
               {"command", report.command},
               {"job", numbers_of(job_of(files), true)},
               {"counters", names},
               {"files", rows},
               {"hints", hints.list()},
               {"reasons", reasons.list()},
               {"methods", methods.list()},
               {"defaults", defaults()}};
  if (report.exit_status) data["exit_code"] = *report.exit_status;
  return data;
}

std::string paragraph(const char* style, const std::string& text) {
  return fmt::format("<p class=\"{}\">{}</p>\n", style, xml_escaped(text));
}

std::string verdict(const Report& report, const std::vector<FileRecord>& files) {
  std::string text = paragraph("verdict", verdict_on(files));
  if (report.exit_status.value_or(0) != 0)
    text += paragraph("trouble", fmt::format("The program ended with status {}.", *report.exit_status));
  constexpr size_t told = 5;
  size_t found = 0;
  for (const FileRecord& file : files) {
    for (const std::string& trouble : troubles_of(file)) {
      if (++found <= told) text += paragraph("trouble", fmt::format("{}: {}", file.file, trouble));
    }
  }
  if (found > told) text += paragraph("trouble", fmt::format("and {} more, in the table", found - told));
  return text;
}

// A browser looks for the end of a script in its text, whatever that means there.
std::string within_script(const json& data) {
  const std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string safe;
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace

std::string render_page(const Report& report) {
  const std::vector<FileRecord> files = by_name(report.records.files);
  std::string title = fmt::format("{}", fmt::join(report.command, " "));
  if (title.empty()) title = "a run";
  const std::pair<std::string_view, std::string> parts[] = {
      {"title", xml_escaped(title)},
      {"version", xml_escaped(report.version)},
      {"style", page_style},
      {"verdict", verdict(report, files)},
      {"data", within_script(page_data(report, files))},
      {"d3_licence", page_d3_licence},
      {"d3", page_d3},
      {"script", page_script},
      {"charts", page_charts},
      {"pictures", page_pictures},
  };
  // What is put in is not looked through again: a file may be called like a part.
  std::string page;
  std::string_view rest = page_frame;
  for (size_t begin = rest.find("<!--"); begin != rest.npos; begin = rest.find("<!--")) {
    const size_t end = rest.find("-->", begin);
    const std::string_view name = rest.substr(begin + 4, end - begin - 4);
    page += rest.substr(0, begin);
    page += std::ranges::find(parts, name, &std::pair<std::string_view, std::string>::first)->second;
    rest.remove_prefix(end + 3);
  }
  return page += rest;
}

Status write_page(const std::string& path, const Report& report) {
  return write_text(path, render_page(report));
}

}  // namespace concilio::tools
