#include "simulation/outcome.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/median.h"
#include "base/text/bytes.h"
#include "base/text/json_document.h"
#include "base/text/json_place.h"

namespace concilio::tools {

namespace {

SimulatedCalls read_calls(const JsonPlace& in) {
  SimulatedCalls calls;
  std::vector<double> seconds;
  for (const JsonPlace& one : in.at("seconds").list()) seconds.push_back(one.number_from_0());
  calls.seconds = median(seconds);
  const JsonPlace sums = in.at("counters").at("sum");
  calls.messages = sums.at("messages_sent").whole_number();
  calls.message_bytes = sums.at("message_bytes_sent").whole_number();
  calls.storage_requests = sums.at("storage_reads").whole_number() + sums.at("storage_writes").whole_number();
  calls.rounds = in.at("counters").at("max").at("rounds").whole_number();
#define METHOD(name, ranks, writes, summary) \
  if (sums.at("method_" #name).whole_number() > 0) calls.methods.emplace_back(#name);
#include "base/methods.def"
  return calls;
}

Simulated simulated_of(const JsonPlace& in) {
  Simulated one;
  one.pattern = in.at("pattern").text();
  one.method = in.at("method").text();
  one.bytes = in.at("bytes").whole_number();
  if (const auto note = in.find("note")) one.note = note->text();
  if (const auto failure = in.find("failure")) {
    one.failure = failure->text();
    return one;
  }
  one.peak_bytes_per_node = in.at("peak_bytes_per_node").whole_number();
  one.open_seconds = in.at("open").at("seconds").number_from_0();
  if (const auto init = in.find("init")) one.init_seconds = init->at("seconds").number_from_0();
  if (const auto close = in.find("close")) one.close_seconds = close->at("seconds").number_from_0();
  if (const auto write = in.find("write")) one.write = read_calls(*write);
  if (const auto read = in.find("read")) one.read = read_calls(*read);
  return one;
}

std::string line_of(const Simulated& one, const char* call, const SimulatedCalls& calls, size_t width) {
  const double mib_per_second =
      calls.seconds > 0 ? static_cast<double>(one.bytes) / 0x1p20 / calls.seconds : 0;
  return fmt::format("  {:<{}} {:<5} {:>12.6f} {:>10.1f} {:>10} {:>10} {:>6} {:>9} {:>11}\n",
                     method_text(one.method, calls.methods), width, call, calls.seconds, mib_per_second,
                     calls.messages, format_bytes(calls.message_bytes), calls.rounds, calls.storage_requests,
                     format_bytes(one.peak_bytes_per_node));
}

}  // namespace

std::string method_text(const std::string& method, const std::vector<std::string>& taken) {
  if (taken.empty() || taken == std::vector{method}) return method;
  return fmt::format("{}: {}", method, fmt::join(taken, ", "));
}

Result<std::vector<Simulated>> parse_outcome(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::parse(text);
  if (!document) return document.error();
  return read_json([&] {
    std::vector<Simulated> all;
    for (const JsonPlace& one : JsonPlace::document(document->value(), "it").list())
      all.push_back(simulated_of(one));
    return all;
  });
}

std::string table_of(const std::vector<Simulated>& all) {
  std::string text, pattern;
  size_t width = 0;  // of the column of methods
  for (const Simulated& one : all) {
    for (const auto* calls : {&one.write, &one.read})
      width = std::max(width, (*calls ? method_text(one.method, (*calls)->methods) : one.method).size());
  }
  for (const Simulated& one : all) {
    if (one.pattern != pattern) {
      pattern = one.pattern;
      text += fmt::format("\n{}: {}{}{}\n", pattern, format_bytes(one.bytes), one.note.empty() ? "" : "; ",
                          one.note);
      text += fmt::format("  {:<{}} {:<5} {:>12} {:>10} {:>10} {:>10} {:>6} {:>9} {:>11}\n", "method", width,
                          "call", "simulated s", "MiB/s", "messages", "on wire", "rounds", "storage",
                          "peak a node");
    }
    const auto line_of_time = [&](const char* what, std::optional<double> seconds) {
      if (seconds && one.failure.empty())
        text += fmt::format("  {:<{}} {:<5} {:>12.6f}\n", one.method, width, what, *seconds);
    };
    line_of_time("init", one.init_seconds);
    line_of_time("open", one.open_seconds);
    if (one.write) text += line_of(one, "write", *one.write, width);
    if (one.read) text += line_of(one, "read", *one.read, width);
    line_of_time("close", one.close_seconds);
    if (!one.failure.empty()) text += fmt::format("  {:<{}} failed: {}\n", one.method, width, one.failure);
  }
  return text;
}

}  // namespace concilio::tools
