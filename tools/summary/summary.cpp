#include "summary/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text/bytes.h"
#include "base/text/format_count.h"
#include "base/text/format_seconds.h"
#include "summary/advice.h"
#include "summary/call_time.h"
#include "summary/data_operations.h"
#include "summary/open_ranks.h"

namespace concilio::tools {

namespace {

double in_seconds(int64_t ns) {
  return static_cast<double>(ns) * 1e-9;
}

double call_seconds(const FileRecord& file) {
  return in_seconds(file.slowest[Counter::call_ns]);
}

// If the descriptions of datatypes take less memory than this, the summary does not mention it.
constexpr int64_t told_description_bytes = 1 << 16;

void add_row(std::string& text, const char* label, const std::string& content) {
  text += fmt::format("  {:<9}{}\n", label, content);
}

// "two_phase 3 ms predicted, 2.8 ms measured; list 9 ms predicted; sieve not possible"
std::string considered(const std::vector<plan::Candidate>& candidates) {
  std::string text;
  for (const plan::Candidate& one : candidates) {
    text += fmt::format("{}{}", text.empty() ? "" : "; ", method_name(one.method));
    if (!one.legal) {
      text += " not possible";
      continue;
    }
    text += fmt::format(" {} predicted", format_seconds(one.predicted_seconds));
    if (one.calls > 0) text += fmt::format(", {} measured", format_seconds(one.measured_seconds));
  }
  return text;
}

void add_word(std::string& text, const std::string& word) {
  text += (text.empty() ? "" : ", ") + word;
}

void add_operation(std::string& text, const FileRecord& file, const DataOperation& operation) {
  std::string content;
  if (const int64_t calls = file.sum[operation.collective])
    add_word(content, counted(calls, "collective call"));
  if (const int64_t calls = file.sum[operation.independent])
    add_word(content, counted(calls, "independent call"));
  if (!content.empty()) {
    add_word(content, format_bytes(file.sum[operation.bytes]));
    add_row(text, operation.name, content);
  }
  for (const Reason& reason : file.reasons) {
    if (reason.operation != operation.name) continue;
    // The library's reason may begin with the name of the method.
    const bool named = reason.text.compare(0, reason.method.size() + 1, reason.method + ":") == 0;
    const std::string why = named ? reason.text.substr(reason.method.size()) : ": " + reason.text;
    add_row(text, "",
            fmt::format("{}, {}{}", reason.method, counted(reason.calls, "call"),
                        reason.text.empty() ? "" : why));
    if (!reason.candidates.empty()) add_row(text, "", "  " + considered(reason.candidates));
  }
}

void add_storage(std::string& text, const FileRecord& file) {
  std::string content;
  for (const DataOperation& operation : data_operations) {
    const int64_t requests = file.sum[operation.requests];
    if (requests == 0) continue;
    if (!content.empty()) content += "; ";
    content += fmt::format("{}, mean {}", counted(requests, operation.name),
                           format_bytes(file.sum[operation.request_bytes] / requests));
  }
  add_row(text, "storage", content.empty() ? "no request" : content);
}

// How aggregators wrote their windows to the file.
void add_windows(std::string& text, const FileRecord& file) {
  constexpr std::pair<Counter, const char*> ways[] = {{Counter::windows_whole, "whole"},
                                                      {Counter::windows_rmw, "after reading their holes"},
                                                      {Counter::windows_list, "piece by piece"},
                                                      {Counter::windows_batch, "in many pieces at once"}};
  std::string content;
  for (const auto& [counter, way] : ways) {
    if (file.sum[counter] > 0) add_word(content, fmt::format("{} {}", file.sum[counter], way));
  }
  if (!content.empty()) add_row(text, "windows", content);
}

void add_time(std::string& text, const FileRecord& file) {
  constexpr std::pair<PartOfCalls, const char*> parts[] = {
      {PartOfCalls::waiting, "exchange"},
      {PartOfCalls::copying, "copy"},
      {PartOfCalls::storage, "storage"},
      {PartOfCalls::planning, "plan"},
      {PartOfCalls::unended, "in a call that did not end"}};
  const CallTime time = call_time_of(file);
  if (time.seconds == 0) return;
  std::string content;
  for (const auto& [part, name] : parts) {
    if (const double took = time.parts[static_cast<size_t>(part)]; took > 0)
      add_word(content, fmt::format("{} {}", name, format_seconds(took)));
  }
  const double other = time.parts[static_cast<size_t>(PartOfCalls::other)];
  if (!content.empty() && other > 0) add_word(content, "other " + format_seconds(other));
  add_row(text, "time",
          fmt::format("{} in calls, slowest rank{}{}", format_seconds(time.seconds),
                      content.empty() ? "" : ": ", content));
}

// How many files the summary tells of one by one. With one advice each they fit on a screen.
constexpr size_t told_files = 5;
// A part of a time that is a smaller share of it than this is not mentioned.
constexpr double least_share = 0.01;
// A rest that is smaller is as good as none: the parts add up.
constexpr double least_rest_share = 0.05;

// "4.1 s in MPI-IO calls on the slowest rank: 2.9 s waiting for others and messages, 0.9 s storage, 0.3 s
// other work"
std::string verdict(const FileRecord& job, size_t files) {
  constexpr std::pair<PartOfCalls, const char*> known_parts[] = {
      {PartOfCalls::waiting, "waiting for other ranks and messages"},
      {PartOfCalls::copying, "copying"},
      {PartOfCalls::storage, "storage"},
      {PartOfCalls::planning, "planning"},
      {PartOfCalls::unended, "in calls that did not end"}};
  const CallTime time = call_time_of(job);
  const double calls = time.seconds, all = calls + job.open_seconds;
  std::vector<std::pair<double, const char*>> parts;
  for (const auto& [part, what] : known_parts)
    parts.emplace_back(time.parts[static_cast<size_t>(part)], what);
  std::ranges::stable_sort(parts, std::ranges::greater(), [](const auto& part) { return part.first; });
  std::string content;
  double untold = calls;
  for (const auto& [part, what] : parts) {
    if (part <= least_share * calls) continue;
    add_word(content, fmt::format("{} {}", format_seconds(part), what));
    untold -= part;
  }
  if (!content.empty() && untold >= least_rest_share * calls)
    add_word(content, format_seconds(untold) + " other work");
  std::string text = "no time in MPI-IO calls that read or write";
  if (calls > 0) {
    text = fmt::format("{} in MPI-IO calls on the slowest rank{}{}{}", format_seconds(calls),
                       files > 1 ? " of each file" : "", content.empty() ? "" : ": ", content);
  }
  if (job.open_seconds > least_share * all)
    text += fmt::format("; {} in MPI_File_open", format_seconds(job.open_seconds));
  return text;
}

// "1200 collective writes and 4 independent reads by 4 ranks on 2 nodes, 8 MiB written, 1 KiB read, 2 MiB/s"
std::string calls_and_bytes(const FileRecord& file) {
  std::string calls, bytes;
  for (const DataOperation& operation : data_operations) {
    for (const auto& [counter, kind] :
         {std::pair{operation.collective, "collective"}, std::pair{operation.independent, "independent"}}) {
      if (const int64_t count = file.sum[counter])
        add_word(calls, counted(count, fmt::format("{} {}", kind, operation.name).c_str()));
    }
  }
  const int64_t written = file.sum[Counter::bytes_written], read = file.sum[Counter::bytes_read];
  if (written > 0) add_word(bytes, format_bytes(written) + " written");
  if (read > 0) add_word(bytes, format_bytes(read) + " read");
  const double seconds = call_seconds(file);
  if (seconds > 0 && written + read > 0) {
    const double rate = static_cast<double>(written + read) / seconds;
    add_word(bytes, format_bytes(static_cast<int64_t>(rate)) + "/s");
  }
  if (calls.empty()) calls = file.times_opened > 0 ? "opened" : "not opened";
  std::string text = fmt::format("{} by {}", calls, counted(file.ranks, "rank"));
  if (file.nodes > 1) text += fmt::format(" on {} nodes", file.nodes);
  if (!bytes.empty()) text += "; " + bytes;
  if (const int64_t calls_of_device = file.sum[Counter::device_calls]) {
    text += fmt::format("; {} with buffers of a GPU, {}", counted(calls_of_device, "call"),
                        format_bytes(file.sum[Counter::device_bytes]));
    if (const int64_t direct = file.sum[Counter::device_direct_bytes])
      text += fmt::format(" ({} directly)", format_bytes(direct));
  }
  return text;
}

// Files with which something went wrong come first, and then those whose calls and opens took longest.
std::vector<const FileRecord*> by_time(const std::vector<FileRecord>& files) {
  std::vector<const FileRecord*> sorted;
  sorted.reserve(files.size());
  for (const FileRecord& file : files) sorted.push_back(&file);
  std::ranges::stable_sort(sorted, std::ranges::greater(), [](const FileRecord* file) {
    const bool trouble = !file->open_ranks.empty() || !file->first_error.empty();
    return std::pair(trouble, seconds_of(*file));
  });
  return sorted;
}

std::string lines_on_troubles(const FileRecord& file, const std::string& indent) {
  std::string text;
  for (const std::string& trouble : troubles_of(file)) text += fmt::format("{}{}\n", indent, trouble);
  return text;
}

}  // namespace

std::string told_of_sampling(const FileRecord& file) {
  std::string text;
  if (file.brief_opens > 0)
    add_word(text, fmt::format("{} of {} so brief that only totals are known", file.brief_opens,
                               counted(file.times_opened, "open")));
  int64_t calls = 0;
  for (const DataOperation& operation : data_operations)
    calls += file.sum[operation.collective] + file.sum[operation.independent];
  if (file.left_out > 0 && calls > 0) {
    const int64_t singly = std::max<int64_t>(1, calls - file.left_out);
    add_word(text, fmt::format("1 of {} calls recorded singly, the others as if like these",
                               (calls + singly / 2) / singly));
  }
  return text;
}

std::string told_of_late_rank(const FileRecord& file) {
  constexpr double least_seconds = 0.01, least_share_of_calls = 0.2;
  const LateRank& late = file.late_rank;
  const double waits = in_seconds(file.slowest[Counter::exchange_ns]);
  if (late.rank < 0 || file.ranks < 2 || file.times_opened > 1 || waits < least_seconds ||
      waits < least_share_of_calls * call_seconds(file) || late.waited_seconds > waits / 2)
    return {};
  return fmt::format("ranks waited up to {} for rank {}, which waited {} and worked {} in its calls",
                     format_seconds(waits), late.rank, format_seconds(late.waited_seconds),
                     format_seconds(late.own_seconds));
}

FileRecord job_of(const std::vector<FileRecord>& files) {
  FileRecord job;
  for (const FileRecord& file : files) {
    job.ranks = std::max(job.ranks, file.ranks);
    job.nodes = std::max(job.nodes, file.nodes);
    job.open_seconds += file.open_seconds;
    job.peak_bytes_per_rank = std::max(job.peak_bytes_per_rank, file.peak_bytes_per_rank);
    for (int i = 0; i < counter_count; ++i) {
      const auto counter = static_cast<Counter>(i);
      job.sum[counter] += file.sum[counter];
      job.slowest[counter] += file.slowest[counter];
    }
    job.slowest_rank += file.slowest_rank;
    job.unended_seconds += file.unended_seconds;
  }
  return job;
}

std::string verdict_on(const std::vector<FileRecord>& files) {
  return verdict(job_of(files), files.size());
}

std::vector<std::string> troubles_of(const FileRecord& file) {
  std::vector<std::string> all;
  if (std::string open = told_of_open_ranks(file); !open.empty()) all.push_back(std::move(open));
  const int64_t failed = file.sum[Counter::failed_calls];
  if (failed > 0) {
    all.push_back(fmt::format("{} failed; the first: {}", counted(failed, "call"), file.first_error));
  } else if (!file.first_error.empty()) {
    all.push_back(file.first_error);
  }
  return all;
}

std::string render_summary(const std::vector<FileRecord>& files) {
  const FileRecord job = job_of(files);
  std::string text = fmt::format("concilio: {}\n", verdict(job, files.size()));
  if (files.size() > 1)
    text += fmt::format("concilio: {}: {}\n", counted(std::ssize(files), "file"), calls_and_bytes(job));
  const auto left_open =
      std::ranges::count_if(files, [](const FileRecord& file) { return !file.open_ranks.empty(); });
  if (left_open > 0) {
    text +=
        fmt::format("concilio: the program ended before it closed {}; what was counted until then is here\n",
                    counted(left_open, "file"));
  }
  const std::vector<const FileRecord*> sorted = by_time(files);
  double untold_seconds = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const FileRecord& file = *sorted[i];
    const double took = seconds_of(file);
    if (i >= told_files) {
      untold_seconds += took;
      continue;
    }
    text += fmt::format("  {:<8} {}: {}\n", format_seconds(took), file.file, calls_and_bytes(file));
    text += lines_on_troubles(file, fmt::format("  {:<8} ", ""));
    if (const std::string late = told_of_late_rank(file); !late.empty())
      text += fmt::format("  {:<8} {}\n", "", late);
    const Advice advice = advice_on(file);
    if (advice.text.empty()) continue;
    text += fmt::format("  {:<8} {}\n", "", advice.text);
    text += fmt::format("  {:<8} {}{}{}\n", "", to_be_won(advice), advice.expectation.empty() ? "" : ": ",
                        advice.expectation);
  }
  if (files.size() > told_files)
    text += fmt::format("  {:<8} {}\n", format_seconds(untold_seconds),
                        counted(static_cast<int64_t>(files.size() - told_files), "further file"));
  return text;
}

std::string render_details(const std::vector<FileRecord>& files) {
  std::string text;
  for (const FileRecord& file : files) {
    text += fmt::format("concilio: {}\n", file.file);
    add_row(text, "opened",
            fmt::format("{}, {}, by {} on {}", counted(file.times_opened, "time"),
                        format_seconds(file.open_seconds), counted(file.ranks, "rank"),
                        counted(file.nodes, "node")));
    if (const std::string sampling = told_of_sampling(file); !sampling.empty())
      add_row(text, "sampled", sampling);
    text += lines_on_troubles(file, "  ");
    for (const DataOperation& operation : data_operations) add_operation(text, file, operation);
    const std::string methods = methods_taken(file);
    if (methods.empty()) {
      add_row(text, "calls", "none that read or wrote");
    } else if (file.reasons.empty()) {
      add_row(text, "method", methods);
    }
    add_time(text, file);
    add_storage(text, file);
    add_windows(text, file);
    const int64_t extra = file.sum[Counter::storage_bytes_read] - file.sum[Counter::bytes_read];
    if (extra > 0) add_row(text, "sieving", format_bytes(extra) + " read beyond what the program asked for");
    std::string memory = fmt::format("at most {} in a rank", format_bytes(file.peak_bytes_per_rank));
    if (file.peak_bytes_per_node > 0)
      memory += fmt::format(", {} in a node", format_bytes(file.peak_bytes_per_node));
    if (file.peak_description_bytes_per_rank >= told_description_bytes)
      memory += fmt::format("; {} in a rank for descriptions of the program's datatypes",
                            format_bytes(file.peak_description_bytes_per_rank));
    add_row(text, "memory", memory);
  }
  return text;
}

}  // namespace concilio::tools
