#include "summary/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "system/write_text.h"

namespace concilio::tools {

using nlohmann::json;

namespace {

// The cells of a table of "activity", by index.
std::vector<int64_t> cells_of(const json& table, const char* name, size_t count) {
  std::vector<int64_t> cells(count);
  const json pairs = table.value(name, json::array());
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    const size_t place = pairs[i].get<size_t>();
    if (place < count) cells[place] = pairs[i + 1].get<int64_t>();
  }
  return cells;
}

void write_name(const char* what, int64_t process, int64_t thread, const std::string& name, JsonText& json) {
  json.object([&] {
    json.member("ph", "M");
    json.member("name", what);
    json.member("pid", process);
    json.member("tid", thread);
    json.name("args");
    json.object([&] { json.member("name", name); });
  });
}

struct Slice {
  const char* name;
  double begin_us, duration_us;
};

void write_slice(const Slice& slice, int64_t process, int64_t thread, JsonText& json) {
  if (slice.duration_us <= 0) return;
  json.object([&] {
    json.member("ph", "X");
    json.member("name", slice.name);
    json.member("pid", process);
    json.member("tid", thread);
    json.member("ts", slice.begin_us);
    json.member("dur", slice.duration_us);
  });
}

// A process of the trace is a row of ranks, and a thread a file.
void write_file(const FileRecord& file, const json& activity, int64_t thread, JsonText& out) {
  const json& time = activity.at("time");
  const int64_t rows = activity.at("rows").get<int64_t>(), bins = time.at("bins").get<int64_t>();
  const int64_t ranks_a_row = activity.at("ranks_a_row").get<int64_t>(),
                first = time.at("first").get<int64_t>();
  constexpr int64_t most_rows = 1024, most_bins = 1024;
  if (rows < 0 || rows > most_rows || bins < 0 || bins > most_bins || ranks_a_row < 1) return;
  const double width_us = time.at("bin_ns").get<double>() * 1e-3;
  const auto count = static_cast<size_t>(rows * bins);
  const std::vector<int64_t> calls = cells_of(time, "call_us", count),
                             exchange = cells_of(time, "exchange_us", count),
                             storage = cells_of(time, "storage_us", count);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t process = row * ranks_a_row;
    const int64_t last = std::min(process + ranks_a_row, std::max<int64_t>(file.ranks, 1)) - 1;
    const double ranks = static_cast<double>(std::max<int64_t>(last - process + 1, 1));
    write_name(
        "process_name", process, thread,
        last > process ? fmt::format("ranks {}-{}, mean", process, last) : fmt::format("rank {}", process),
        out);
    write_name("thread_name", process, thread, file.file, out);
    for (int64_t bin = 0; bin < bins; ++bin) {
      const auto cell = static_cast<size_t>(row * bins + bin);
      const double begin = static_cast<double>(first + bin) * width_us;
      const auto part = [&](int64_t sum, double room) {
        return std::min(static_cast<double>(sum) / ranks, room);
      };
      const double call = part(calls[cell], width_us), waits = part(exchange[cell], call),
                   stores = part(storage[cell], call - waits);
      write_slice({"calls", begin, call}, process, thread, out);
      write_slice({"waiting for other ranks and messages", begin, waits}, process, thread, out);
      write_slice({"storage", begin + waits, stores}, process, thread, out);
    }
  }
}

}  // namespace

std::string render_trace(const Report& report) {
  JsonText out;
  out.object([&] {
    out.member("displayTimeUnit", "ms");
    out.name("traceEvents");
    out.array([&] {
      int64_t thread = 0;
      for (const FileRecord& file : by_name(report.records.files)) {
        ++thread;
        for (const std::string& text : file.activities) {
          try {
            write_file(file, json::parse(text), thread, out);
          } catch (const json::exception&) {
            // Another version of Concilio wrote what this one cannot read.
          }
        }
      }
    });
  });
  return out.text() + "\n";
}

Status write_trace(const std::string& path, const Report& report) {
  return write_text(path, render_trace(report));
}

}  // namespace concilio::tools
