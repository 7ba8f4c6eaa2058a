#include "summary/live_folder.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <utility>

#include "summary/live_activity.h"

namespace concilio::tools {

namespace fs = std::filesystem;

namespace {

constexpr const char* folder_in_memory = "/dev/shm";

// What one rank left; null if it does not have the form that is known here.
std::unique_ptr<LiveRecords> read_records(const fs::path& path) {
  auto records = std::make_unique<LiveRecords>();
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(records.get()), sizeof(LiveRecords))) return nullptr;
  return records->layout == LiveRecords::known_layout ? std::move(records) : nullptr;
}

void add(FileRecord& file, const LiveRecord& rank, int64_t now_ns) {
  file.file = rank.path.view();
  file.ranks = std::max<int64_t>(file.ranks, rank.ranks);
  file.nodes = std::max<int64_t>(file.nodes, rank.nodes);
  file.open_seconds = std::max(file.open_seconds, static_cast<double>(rank.open_ns) * 1e-9);
  OpenRank& open = file.open_ranks.emplace_back(OpenRank{rank.rank, rank.call.load(), 0});
  Counters counters = rank.counters;
  double unended_seconds = 0;
  if (open.call != LiveCall::none) {
    const int64_t ns = std::max<int64_t>(0, now_ns - rank.call_since_ns);
    open.seconds = static_cast<double>(ns) * 1e-9;
    // A close is no call that reads or writes.
    if (open.call != LiveCall::close) {
      counters[Counter::call_ns] += ns;
      unended_seconds = open.seconds;
    }
  }
  if (const RankTimes times(counters); times.whole_ns() > file.slowest_rank.whole_ns()) {
    file.slowest_rank = times;
    file.unended_seconds = unended_seconds;
  }
  for (int i = 0; i < counter_count; ++i) {
    const auto counter = static_cast<Counter>(i);
    file.sum[counter] += counters[counter];
    file.slowest[counter] = std::max<int64_t>(file.slowest[counter], counters[counter]);
  }
  if (file.first_error.empty() && rank.has_error) file.first_error = rank.first_error.view();
}

// What the first rank of a file kept of opens that it had not told of.
FileRecord record_of(const BriefOpens& brief) {
  FileRecord file;
  const ClosedTotals& totals = brief.totals;
  file.file = brief.path.is({}) ? BriefOpens::several : brief.path.view();
  file.ranks = brief.ranks;
  file.nodes = brief.nodes;
  file.times_opened = file.brief_opens = brief.opens;
  file.open_seconds = static_cast<double>(totals.maxima[ClosedTotals::open_ns]) * 1e-9;
  for (size_t i = 0; i < counter_count; ++i) {
    file.sum.values[i] = totals.sums[i];
    file.slowest.values[i] = totals.maxima[i];
  }
  file.slowest_rank = totals.slowest;
  file.peak_bytes_per_rank = totals.maxima[ClosedTotals::peak];
  file.peak_description_bytes_per_rank = totals.maxima[ClosedTotals::described];
  file.first_error = brief.first_error.view();
  return file;
}

}  // namespace

Result<LiveFolder> LiveFolder::make(const Environment& environment) {
  const bool in_memory = access(folder_in_memory, W_OK | X_OK) == 0;
  auto folder =
      TemporaryFolder::make(in_memory ? folder_in_memory : environment.temporary_folder(), "concilio-run-");
  if (!folder) return folder.error();
  return LiveFolder(std::move(*folder));
}

std::vector<FileRecord> LiveFolder::untold_files(int64_t now_ns) const {
  std::vector<FileRecord> all;
  std::map<std::string, FileRecord, std::less<>> files;
  std::map<std::string, std::vector<LiveActivity>, std::less<>> activities;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(path(), unreadable)) {
    const auto records = read_records(entry.path());
    if (!records) continue;
    for (const BriefOpens& brief : records->brief) {
      if (brief.used) all.push_back(record_of(brief));
    }
    for (const LiveRecord& record : records->records) {
      if (record.state != LiveRecord::State::open) continue;
      const std::string name(record.path.view());
      add(files[name], record, now_ns);
      const auto place = static_cast<size_t>(record.activity) - 1;  // of none: beyond the last
      const bool shown = place < records->activities.size();
      activities[name].push_back(
          {record.rank, record.counters, shown ? std::optional(records->activities[place]) : std::nullopt});
    }
  }
  for (auto& [name, file] : files) {
    std::ranges::sort(file.open_ranks, {}, &OpenRank::rank);
    add_activity(file, std::move(activities[name]));
    all.push_back(std::move(file));
  }
  return all;
}

}  // namespace concilio::tools
