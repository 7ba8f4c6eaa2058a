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

void write_name(int64_t process, const std::string& name, JsonText& json) {
  json.object([&] {
    json.member("ph", "M");
    json.member("name", "process_name");
    json.member("pid", process);
    json.name("args");
    json.object([&] { json.member("name", name); });
  });
}

struct Slice {
  const char* name;
  double begin_us, duration_us;
};

void write_slice(const Slice& slice, int64_t process, JsonText& json) {
  if (slice.duration_us <= 0) return;
  json.object([&] {
    json.member("ph", "X");
    json.member("name", slice.name);
    json.member("pid", process);
    json.member("tid", 0);
    json.member("ts", slice.begin_us);
    json.member("dur", slice.duration_us);
  });
}

// A process of the trace is a row of ranks in one file that was opened once: its ranks are numbered by the
// file's communicator, and files that are open at the same time would share slices. Returns how many there
// are.
int64_t write_file(const FileRecord& file, const std::string& name, const json& activity,
                   int64_t first_process, JsonText& out) {
  const json& time = activity.at("time");
  const int64_t rows = activity.at("rows").get<int64_t>(), bins = time.at("bins").get<int64_t>();
  const int64_t ranks_a_row = activity.at("ranks_a_row").get<int64_t>(),
                first_rank = activity.value("first_rank", int64_t{0}),
                first = time.at("first").get<int64_t>();
  constexpr int64_t most_rows = 1024, most_bins = 1024;
  if (rows < 0 || rows > most_rows || bins < 0 || bins > most_bins || ranks_a_row < 1) return 0;
  const double width_us = time.at("bin_ns").get<double>() * 1e-3;
  const auto count = static_cast<size_t>(rows * bins);
  const std::vector<int64_t> calls = cells_of(time, "call_us", count),
                             exchange = cells_of(time, "exchange_us", count),
                             storage = cells_of(time, "storage_us", count);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t process = first_process + row, begin_rank = first_rank + row * ranks_a_row;
    const int64_t last = std::min(begin_rank + ranks_a_row, std::max(file.ranks, begin_rank + 1)) - 1;
    const double ranks = static_cast<double>(last - begin_rank + 1);
    write_name(process,
               name + (last > begin_rank ? fmt::format(": ranks {}-{}, mean", begin_rank, last)
                                         : fmt::format(": rank {}", begin_rank)),
               out);
    for (int64_t bin = 0; bin < bins; ++bin) {
      const auto cell = static_cast<size_t>(row * bins + bin);
      const double begin = static_cast<double>(first + bin) * width_us;
      const auto part = [&](int64_t sum, double room) {
        return std::min(static_cast<double>(sum) / ranks, room);
      };
      const double call = part(calls[cell], width_us), waits = part(exchange[cell], call),
                   stores = part(storage[cell], call - waits);
      write_slice({"calls", begin, call}, process, out);
      write_slice({"waiting for other ranks and messages", begin, waits}, process, out);
      write_slice({"storage", begin + waits, stores}, process, out);
    }
  }
  return rows;
}

}  // namespace

std::string render_trace(const Report& report) {
  JsonText out;
  out.object([&] {
    out.member("displayTimeUnit", "ms");
    out.name("traceEvents");
    out.array([&] {
      int64_t process = 0;
      for (const FileRecord& file : by_name(report.records.files)) {
        for (size_t i = 0; i < file.activities.size(); ++i) {
          const std::string name =
              file.activities.size() == 1 ? file.file : fmt::format("{}, open {}", file.file, i + 1);
          try {
            const json activity = json::parse(file.activities[i]);
            if (activity.contains("time")) process += write_file(file, name, activity, process, out);
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
