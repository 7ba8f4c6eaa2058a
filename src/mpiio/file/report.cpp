// Reports what happened to a file: when the file is closed, or could not be opened, rank 0 appends one line
// of JSON to the file that CONCILIO_REPORT names.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/exceptions.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/settings/given_hints.h"
#include "mpiio/file/file.h"
#include "mpiio/file/gather_activity.h"
#include "mpiio/file/lone_calls.h"
#include "mpiio/settings/process_config.h"
#include "plan/show/candidate_json.h"
#include "plan/show/reason_text.h"

namespace concilio::mpiio {
namespace {

void write_counters(const char* name, const int64_t* values, JsonText& json) {
  json.name(name);
  json.object([&] {
    for (int i = 0; i < counter_count; ++i) json.member(counter_name(static_cast<Counter>(i)), values[i]);
  });
}

std::string grounds_of(const CallsAlike& alike) {
  const plan::Grounds& grounds = alike.reason.grounds;
  return alike.various ? text_of_various(grounds.method) : text_of(grounds);
}

// Grounds that differ in what is not said, such as the last digits of a size, read alike and are told of
// together.
void write_reasons(const std::vector<CallsAlike>& all, JsonText& json) {
  std::map<std::tuple<Operation, bool, std::string>, CallsAlike> by_words;
  for (const CallsAlike& alike : all) {
    auto [place, fresh] = by_words.try_emplace({alike.operation, alike.collective, grounds_of(alike)}, alike);
    if (!fresh) place->second.calls += alike.calls;
  }
  json.name("reasons");
  json.array([&] {
    for (const auto& [words, alike] : by_words) {
      json.object([&, &alike = alike] {
        json.member("operation", alike.operation == Operation::read ? "read" : "write");
        json.member("method", method_name(alike.reason.grounds.method));
        json.member("collective", alike.collective);
        json.member("reason", alike.various ? grounds_of(alike) : text_of(alike.reason));
        json.member("calls", alike.calls);
        json.name("candidates");
        write_candidates(alike.candidates, json);
      });
    }
  });
}

// What rank 0 and the user have given, and what became of it.
void write_hints_given(const File& file, JsonText& json) {
  json.name("hints_given");
  json.array([&] {
    for (const GivenHint& hint : given_hints(file.given_hints().value_or(Hints()), *file.config())) {
      json.object([&] {
        json.member("name", hint.name);
        json.member("value", hint.value);
        json.member("by", hint.by_user ? "user" : "program");
        json.member("outcome", name_of(hint.outcome));
        if (!hint.why.empty()) json.member("why", hint.why);
      });
    }
  });
}

// Uses a single write, so that the lines of several programs do not mix. Where storage was full, the last
// line may be a part of one, which must not spoil this one. Without the lock, a line that another process is
// writing would look like that. Where files have no locks, an empty line is the worst that can come of it.
void append_line(const std::string& path, std::string line) {
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor >= 0) (void)::flock(descriptor, LOCK_EX);
  char last = '\n';
  const off_t end = descriptor < 0 ? -1 : ::lseek(descriptor, 0, SEEK_END);
  if (end > 0 && ::pread(descriptor, &last, 1, end - 1) == 1 && last != '\n') line.insert(0, 1, '\n');
  ssize_t written = descriptor < 0 ? -1 : ::write(descriptor, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    log_once(LogLevel::warning, "cannot write the report " + path + ": " + std::strerror(errno));
  }
  if (descriptor >= 0) ::close(descriptor);
}

// More nodes than this would make the line unreadable. The largest peak of all nodes is reported in any case.
constexpr size_t nodes_listed = 1024;
// The tables of an activity may take 350 KB. A process that has written so many bytes of them writes no more
// of files of so many ranks, so that a program with many files does not fill the folder of temporary files.
int64_t most_table_bytes(int ranks) {
  return static_cast<int64_t>(std::min(ranks, 16)) << 20;
}
std::atomic<int64_t> table_bytes = 0;

struct NodePeak {
  int64_t bytes;
};
NodePeak combine(const NodePeak& a, const NodePeak& b) {
  return {a.bytes + b.bytes};
}

// The message of the first failed call of the lowest rank that has one.
struct FirstError {
  int rank;  // INT_MAX: no call failed
  LiveText<240> message;
};
FirstError combine(const FirstError& a, const FirstError& b) {
  return a.rank <= b.rank ? a : b;
}

// Indices of further values that are combined over all ranks; they stand behind the counters.
constexpr int peak = counter_count, described = peak + 1, open_time = peak + 2, values = peak + 3;
struct Totals {
  int64_t sums[values], maxima[values];
};
Totals combine(const Totals& a, const Totals& b) {
  Totals both;
  for (int i = 0; i < values; ++i) {
    both.sums[i] = a.sums[i] + b.sums[i];
    both.maxima[i] = std::max(a.maxima[i], b.maxima[i]);
  }
  return both;
}

void append_record(JsonText json) {
  std::string line = std::move(json).text();
  line += '\n';
  append_line(process_config().text(Key::report), std::move(line));
}

void write_record(File& file, const Totals& totals, const std::vector<NodePeak>& node_peaks,
                  const FirstError& first_error, const ActivityOfFile& activity) {
  const int64_t *sums = totals.sums, *maxima = totals.maxima;
  JsonText json;
  json.object([&] {
    json.member("file", file.path());
    json.member("ranks", file.team().size());
    json.member("nodes", file.team().nodes().size());
    json.member("mpi", CONCILIO_MPI);
    json.member("open_seconds", static_cast<double>(maxima[open_time]) * 1e-9);
    write_counters("counters", sums, json);
    write_counters("max", maxima, json);
    json.member("peak_bytes_per_rank", maxima[peak]);
    const auto less = [](const NodePeak& a, const NodePeak& b) { return a.bytes < b.bytes; };
    json.member("peak_bytes_per_node", std::ranges::max_element(node_peaks, less)->bytes);
    if (node_peaks.size() <= nodes_listed) {
      json.name("peak_bytes_by_node");
      json.array([&] {
        for (const NodePeak& one : node_peaks) json.value(one.bytes);
      });
    }
    json.member("peak_description_bytes_per_rank", maxima[described]);
    write_reasons(file.history().all(), json);
    if (const auto calls = as_one_call(file, {sums, counter_count}, {maxima, counter_count}, activity);
        !calls.empty())
      write_one_calls(calls, json);
    json.name("hints");
    json.object([&] {
      file.config()->for_each_hint(
          [&](const char* name, const std::string& value) { json.member(name, value); });
    });
    write_hints_given(file, json);
    if (first_error.rank != INT_MAX) json.member("first_error", first_error.message.view());
    json.name("activity");
    const size_t before = json.text().size();
    write_activity(activity, json);
    table_bytes += static_cast<int64_t>(json.text().size() - before);
  });
  append_record(std::move(json));
}

}  // namespace

void report_failed_open(MPI_Comm comm, const char* path, const Error& error) {
  int rank = 0, ranks = 0;
  if (comm == MPI_COMM_NULL || process_config().text(Key::report).empty()) return;
  if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0) return;
  if (PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return;
  if_there_is_memory([&] {
    JsonText json;
    json.object([&] {
      json.member("file", path);
      json.member("ranks", ranks);
      json.member("mpi", CONCILIO_MPI);
      json.member("times_opened", 0);
      json.member("first_error", "MPI_File_open: " + error.message);
    });
    append_record(std::move(json));
  });
}

bool write_report(File& file) {
  mpi::Team& team = file.team();
  std::vector<NodePeak> node_peaks;
  ActivityGathering gathering;
  const Status ready = without_exceptions([&]() -> Status {
    node_peaks.resize(team.nodes().size());
    return gathering.prepare(team);
  });
  if (!file.agree(ready)) return false;  // if one rank has no memory, no rank takes part in the report
  file.count_untimed();
  Totals totals;
  std::ranges::copy(file.counters().values, totals.sums);
  totals.sums[peak] = file.budget().high_water_bytes();
  totals.sums[described] = file.descriptions().high_water_bytes();
  totals.sums[open_time] = file.open_ns();
  std::ranges::copy(totals.sums, totals.maxima);
  NodePeak node_peak{totals.sums[peak]};
  FirstError first_error{file.recording().first_error().empty() ? INT_MAX : team.rank(), {}};
  first_error.message.set(file.recording().first_error());
  if (!team.allreduce(totals) || !team.allreduce(first_error) || !team.node_allreduce(node_peak))
    return false;
  if (!team.gather_nodes(node_peak, node_peaks)) return false;
  const int64_t slowest_call_ns = totals.maxima[static_cast<size_t>(Counter::call_ns)];
  const bool has_tables = team.rank() != 0 || table_bytes < most_table_bytes(team.size());
  Activity* const activity = has_tables ? file.recording().activity() : nullptr;
  if (!gathering.gather(team, activity, file.counters(), slowest_call_ns)) return false;
  if (team.rank() == 0)
    if_there_is_memory([&] { write_record(file, totals, node_peaks, first_error, gathering.activity()); });
  return true;
}

}  // namespace concilio::mpiio
