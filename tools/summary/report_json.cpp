#include "summary/report_json.h"

#include <nlohmann/json.hpp>

#include "summary/advice.h"
#include "summary/summary.h"

namespace concilio::tools {

namespace {

nlohmann::json told_of(const FileRecord& file) {
  nlohmann::json told = json_of(file);
  if (const auto troubles = troubles_of(file); !troubles.empty()) told["troubles"] = troubles;
  if (const std::string sampled = told_of_sampling(file); !sampled.empty()) told["sampled"] = sampled;
  if (const std::string late = told_of_late_rank(file); !late.empty()) told["late_rank"] = late;
  if (const Advice advice = advice_on(file); !advice.text.empty()) {
    told["advice"] = {{"text", advice.text},
                      {"to_paste", advice.to_paste},
                      {"expectation", advice.expectation},
                      {"seconds", advice.seconds},
                      {"at_most", advice.at_most}};
  }
  return told;
}

}  // namespace

std::string summary_as_json(const Report& report) {
  const std::vector<FileRecord> files = by_name(report.records.files);
  nlohmann::json all = {
      {"concilio", report.version}, {"command", report.command}, {"verdict", verdict_on(files)}};
  if (report.exit_status) all["exit_code"] = *report.exit_status;
  all["files"] = nlohmann::json::array();
  for (const FileRecord& file : files) all["files"].push_back(told_of(file));
  // A file name need not be valid UTF-8.
  return all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace concilio::tools
