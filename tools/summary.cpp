#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/format_count.h"
#include "base/format_seconds.h"
#include "base/settings/config.h"

namespace concilio::tools {

namespace {

std::string seconds(int64_t ns) {
  return fmt::format("{:.3f} s", static_cast<double>(ns) * 1e-9);
}

struct Operation {
  const char* name;
  Counter collective, independent, bytes, requests, request_bytes;
};

constexpr Operation operations[] = {
    {"write", Counter::collective_writes, Counter::independent_writes, Counter::bytes_written,
     Counter::storage_writes, Counter::storage_bytes_written},
    {"read", Counter::collective_reads, Counter::independent_reads, Counter::bytes_read,
     Counter::storage_reads, Counter::storage_bytes_read}};

// Descriptions of datatypes that take less are not worth a word.
constexpr int64_t told_description_bytes = 1 << 16;

void add_row(std::string& text, const char* label, const std::string& content) {
  text += fmt::format("  {:<9}{}\n", label, content);
}

// "two_phase 3 ms predicted, 2.8 ms measured; list 9 ms predicted; sieve not possible"
std::string considered(const std::vector<Candidate>& candidates) {
  std::string text;
  for (const Candidate& one : candidates) {
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

void add_operation(std::string& text, const FileRecord& file, const Operation& operation) {
  const int64_t collective = file.sum[operation.collective], independent = file.sum[operation.independent];
  if (collective + independent > 0) {
    add_row(text, operation.name,
            fmt::format("{} ({} collective, {} independent), {}", counted(collective + independent, "call"),
                        collective, independent, format_bytes(file.sum[operation.bytes])));
  }
  for (const Reason& reason : file.reasons) {
    if (reason.operation != operation.name) continue;
    // The library's reason may begin with the method's name.
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
  for (const Operation& operation : operations) {
    const int64_t requests = file.sum[operation.requests];
    if (requests == 0) continue;
    if (!content.empty()) content += "; ";
    content += fmt::format("{}, mean {}", counted(requests, operation.name),
                           format_bytes(file.sum[operation.request_bytes] / requests));
  }
  add_row(text, "storage", content.empty() ? "no request" : content);
}

// How aggregators' windows reached the file.
void add_windows(std::string& text, const FileRecord& file) {
  constexpr std::pair<Counter, const char*> ways[] = {{Counter::windows_whole, "whole"},
                                                      {Counter::windows_rmw, "after reading their holes"},
                                                      {Counter::windows_list, "piece by piece"},
                                                      {Counter::windows_batch, "in many pieces at once"}};
  std::string content;
  for (const auto& [counter, way] : ways) {
    if (file.sum[counter] == 0) continue;
    content += fmt::format("{}{} {}", content.empty() ? "" : ", ", file.sum[counter], way);
  }
  if (!content.empty()) add_row(text, "windows", content);
}

}  // namespace

std::string render_summary(const std::vector<FileRecord>& files) {
  std::string text;
  for (const FileRecord& file : files) {
    text += fmt::format("concilio: {}\n", file.file);
    add_row(text, "opened",
            fmt::format("{}, {:.3f} s, by {} on {}", counted(file.times_opened, "time"), file.open_seconds,
                        counted(file.ranks, "rank"), counted(file.nodes, "node")));
    for (const Operation& operation : operations) add_operation(text, file, operation);
    const std::string methods = methods_taken(file);
    if (methods.empty()) {
      add_row(text, "calls", "none that read or wrote");
    } else if (file.reasons.empty()) {
      add_row(text, "method", methods);
    }
    const Counters& slowest = file.slowest;
    add_row(text, "time",
            fmt::format("{} in calls, slowest rank: exchange {}, copy {}, storage {}",
                        seconds(slowest[Counter::call_ns]), seconds(slowest[Counter::exchange_ns]),
                        seconds(slowest[Counter::copy_ns]), seconds(slowest[Counter::storage_ns])));
    add_storage(text, file);
    add_windows(text, file);
    const int64_t extra = file.sum[Counter::storage_bytes_read] - file.sum[Counter::bytes_read];
    add_row(
        text, "sieving",
        fmt::format("{} read beyond what the program asked for", format_bytes(std::max<int64_t>(extra, 0))));
    std::string memory =
        fmt::format("{} a rank at the peak, {} a node", format_bytes(file.peak_bytes_per_rank),
                    format_bytes(file.peak_bytes_per_node));
    if (file.peak_description_bytes_per_rank >= told_description_bytes)
      memory += fmt::format("; {} a rank to know the program's datatypes",
                            format_bytes(file.peak_description_bytes_per_rank));
    add_row(text, "memory", memory);
  }
  return text;
}

}  // namespace concilio::tools
