#include "simulation/replayed.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text/bytes.h"
#include "base/text/json_document.h"
#include "base/text/json_place.h"
#include "simulation/outcome.h"

namespace concilio::tools {

namespace {

Replayed replayed_of(const JsonPlace& in) {
  Replayed one;
  one.method = in.at("method").text();
  if (const auto failure = in.find("failure")) one.failure = failure->text();
  one.seconds = in.at("seconds").number_from_0();
  one.call_seconds = in.at("call_seconds").number_from_0();
  one.idle_seconds = in.at("idle_seconds").number_from_0();
  one.all_calls_seconds = in.at("all_calls_seconds").number_from_0();
  one.peak_bytes_per_node = in.at("peak_bytes_per_node").whole_number();
  const JsonPlace sums = in.at("counters").at("sum");
  const auto seconds = [&](const char* name) {
    return static_cast<double>(sums.at(name).whole_number()) * 1e-9;
  };
  one.written = sums.at("bytes_written").whole_number();
  one.read = sums.at("bytes_read").whole_number();
  one.messages = sums.at("messages_sent").whole_number();
  one.message_bytes = sums.at("message_bytes_sent").whole_number();
  one.storage_requests = sums.at("storage_reads").whole_number() + sums.at("storage_writes").whole_number();
  one.storage_seconds = seconds("storage_ns");
  one.exchange_seconds = seconds("exchange_ns");
  one.copy_seconds = seconds("copy_ns");
  one.rounds = in.at("counters").at("max").at("rounds").whole_number();
#define METHOD(name, ranks, writes, summary) \
  if (sums.at("method_" #name).whole_number() > 0) one.methods.emplace_back(#name);
#include "base/methods.def"
  return one;
}

constexpr const char* replayed_line_format =
    "  {:<{}} {:>12} {:>12} {:>12} {:>10} {:>10} {:>6} {:>9} {:>11}\n";

std::string line_of(const Replayed& one, size_t width) {
  const auto seconds = [](double value) { return fmt::format("{:.6f}", value); };
  return fmt::format(fmt::runtime(replayed_line_format), method_text(one.method, one.methods), width,
                     seconds(one.seconds), seconds(one.call_seconds), seconds(one.idle_seconds), one.messages,
                     format_bytes(one.message_bytes), one.rounds, one.storage_requests,
                     format_bytes(one.peak_bytes_per_node));
}

// Less than this is no reason for a hint.
constexpr double worth_a_hint = 0.05;

}  // namespace

Result<std::vector<Replayed>> parse_replayed(std::string_view text) {
  Result<JsonDocument> document = JsonDocument::parse(text);
  if (!document) return document.error();
  return read_json([&] {
    std::vector<Replayed> all;
    for (const JsonPlace& one : JsonPlace::document(document->value(), "it").list())
      all.push_back(replayed_of(one));
    return all;
  });
}

std::string table_of(const std::string& name, const std::vector<Replayed>& all) {
  if (all.empty()) return {};
  size_t width = 0;
  for (const Replayed& one : all) width = std::max(width, method_text(one.method, one.methods).size());
  std::string text = fmt::format("\n{}: {} written, {} read\n", name, format_bytes(all.front().written),
                                 format_bytes(all.front().read));
  text += fmt::format(fmt::runtime(replayed_line_format), "method", width, "simulated s", "in calls", "idle",
                      "messages", "on wire", "rounds", "storage", "peak a node");
  for (const Replayed& one : all) {
    text += one.failure.empty() ? line_of(one, width)
                                : fmt::format("  {:<{}} failed: {}\n", one.method, width, one.failure);
  }
  return text;
}

std::string limits_of(const std::vector<Replayed>& all, const DescribedMachine& machine,
                      const RanksOnNodes& placed) {
  std::vector<const Replayed*> sound;
  for (const Replayed& one : all) {
    if (one.failure.empty() && one.all_calls_seconds > 0) sound.push_back(&one);
  }
  if (sound.empty()) return {};
  const Replayed& usual = *sound.front();
  const auto percent = [&](double seconds) {
    return fmt::format("{:.0f} %", std::clamp(seconds / usual.all_calls_seconds, 0.0, 1.0) * 100);
  };
  const double rest =
      usual.all_calls_seconds - usual.storage_seconds - usual.exchange_seconds - usual.copy_seconds;
  std::string text = fmt::format(
      "\nOf the time in calls with {}, {} goes to storage, {} to waiting for other ranks and to messages "
      "between nodes, {} to copies, {} to the rest: agreeing on opens, views and closes.\n",
      usual.method, percent(usual.storage_seconds), percent(usual.exchange_seconds),
      percent(usual.copy_seconds), percent(rest));
  if (usual.message_bytes > 0 && machine.network_rate > 0) {
    // The links of all nodes carry the bytes side by side, while all ranks wait.
    const double wire_seconds =
        static_cast<double>(usual.message_bytes) / machine.network_rate / static_cast<double>(placed.nodes);
    text += fmt::format("At the network's full rate the messages would take {}.\n",
                        percent(wire_seconds * static_cast<double>(placed.ranks)));
  }
  // A hint is worth what it saves where there is none.
  if (sound.size() < 2 || !usual.method.starts_with("auto")) return text;
  const Replayed& best =
      **std::ranges::min_element(sound, {}, [](const Replayed* one) { return one->seconds; });
  const double saved = usual.call_seconds > 0 ? (usual.seconds - best.seconds) / usual.call_seconds : 0;
  if (saved < worth_a_hint)
    return text + fmt::format("No other method saves as much as {:.0f} % of it: no hint is needed.\n",
                              worth_a_hint * 100);
  const std::string unit = best.seconds > 0 && usual.seconds / best.seconds < 100
                               ? fmt::format("{:.2f}", usual.seconds / best.seconds)
                               : "more than 100";
  return text + fmt::format(
                    "The best method is {}: the whole takes {:.6f} s, not {:.6f} s ({} times as fast). "
                    "To have it:\n  concilio run --hint concilio_method={} mpirun ...\n",
                    best.method, best.seconds, usual.seconds, unit, best.method);
}

}  // namespace concilio::tools
