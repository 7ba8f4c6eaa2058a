#include "mpiio/file/report.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/exceptions.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/settings/given_hints.h"
#include "base/waiting.h"
#include "mpiio/file/lone_calls.h"
#include "mpiio/recording/brief_opens.h"
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

// So many files a process tells of singly, whatever that takes: an MPI program takes a tenth of a second to
// begin and to end.
constexpr int surely_in_full = 16;
std::atomic<int> told_in_full = 0;
bool has_time_in_full(int64_t now_ns) {
  return told_in_full < surely_in_full || closing_allowance().covers(now_ns);
}
// A record was written since then. What comes next takes longer for it too, with the caches full of other
// things, so twice the time counts.
void count_in_full(int64_t begin_ns) {
  ++told_in_full;
  closing_allowance().spend(2 * (now_ns() - begin_ns));
}

void append_record(JsonText json) {
  std::string line = std::move(json).text();
  line += '\n';
  append_line(process_config().text(Key::report), std::move(line));
}

}  // namespace

Report::Report(File& file, int64_t now_ns) : file_(file), now_ns_(now_ns) {}

void Report::add_this_rank(ClosedTotals& totals) const {
  totals.add_rank(file_.counters(), file_.budget().high_water_bytes(),
                  file_.descriptions().high_water_bytes(), file_.open_ns());
}

Status Report::agree(const Status& mine) {
  mpi::Team& team = file_.team();
  if (has_time_in_full(now_ns_)) {
    const Status ready = without_exceptions([&]() -> Status {
      node_peaks_.resize(team.nodes().size());
      return gathering_.prepare(team);
    });
    all_.in_full = ready.ok();
  }
  if (!file_.recording().first_error().empty()) all_.error_rank = team.rank();
  file_.count_untimed();
  // What a single rank counted need not go from hand to hand.
  if (team.size() == 1 && mine) {
    met_ = true;
    if (all_.in_full) add_this_rank(all_.totals);
    return {};
  }
  all_.failure = mpi::failure_of(team, mine);
  add_this_rank(all_.totals);
  met_ = team.allreduce(all_);
  if (!met_) return team.failure();
  if (all_.failure) return mpi::shared_error(team, all_.failure, mine);
  return {};
}

bool Report::tell() {
  if (!met_ || !learn_first_error()) return false;
  if (all_.in_full) {
    const int64_t begin_ns = now_ns();
    const bool told = tell_in_full();
    count_in_full(begin_ns);
    return told;
  }
  const mpi::Team& team = file_.team();
  if (team.rank() != 0) return true;
  keep_brief_opens(
      file_.path(), team.size(), team.nodes().size(), 1, first_error_.message.view(),
      [&](ClosedTotals& totals) { team.size() == 1 ? add_this_rank(totals) : totals.add(all_.totals); });
  return true;
}

bool Report::learn_first_error() {
  if (all_.error_rank == INT64_MAX) return true;
  mpi::Team& team = file_.team();
  if (team.rank() == all_.error_rank) first_error_.message.set(file_.recording().first_error());
  return team.allreduce(first_error_);
}

bool Report::tell_in_full() {
  mpi::Team& team = file_.team();
  NodePeak node_peak{file_.budget().high_water_bytes()};
  if (!team.node_allreduce(node_peak) || !team.gather_nodes(node_peak, node_peaks_)) return false;
  const int64_t slowest_call_ns = all_.totals.maxima[static_cast<size_t>(Counter::call_ns)];
  const bool has_tables = team.rank() != 0 || table_bytes < most_table_bytes(team.size());
  Activity* const activity = has_tables ? file_.recording().activity() : nullptr;
  if (!gathering_.gather(team, activity, file_.counters(), slowest_call_ns)) return false;
  if (team.rank() == 0) if_there_is_memory([&] { write_record(); });
  return true;
}

void Report::write_record() {
  const EarlierOpens earlier = take_brief_opens(file_.path(), all_.totals);
  const auto &sums = all_.totals.sums, &maxima = all_.totals.maxima;
  const ActivityOfFile& activity = gathering_.activity();
  JsonText json;
  json.object([&] {
    json.member("file", file_.path());
    json.member("ranks", std::max(file_.team().size(), earlier.ranks));
    json.member("nodes", std::max(std::ssize(file_.team().nodes()), ptrdiff_t{earlier.nodes}));
    json.member("mpi", CONCILIO_MPI);
    if (earlier.opens > 0) {
      json.member("times_opened", 1 + earlier.opens);
      json.member("brief_opens", earlier.opens);
    }
    json.member("open_seconds", static_cast<double>(maxima[ClosedTotals::open_ns]) * 1e-9);
    write_counters("counters", sums.data(), json);
    write_counters("max", maxima.data(), json);
    write_slowest(all_.totals.slowest, json);
    json.member("peak_bytes_per_rank", maxima[ClosedTotals::peak]);
    const auto less = [](const NodePeak& a, const NodePeak& b) { return a.bytes < b.bytes; };
    json.member("peak_bytes_per_node", std::ranges::max_element(node_peaks_, less)->bytes);
    if (node_peaks_.size() <= nodes_listed) {
      json.name("peak_bytes_by_node");
      json.array([&] {
        for (const NodePeak& one : node_peaks_) json.value(one.bytes);
      });
    }
    json.member("peak_description_bytes_per_rank", maxima[ClosedTotals::described]);
    write_reasons(file_.history().all(), json);
    // Of the calls of the other opens too little is known.
    if (earlier.opens == 0) {
      const auto calls =
          as_one_call(file_, {sums.data(), counter_count}, {maxima.data(), counter_count}, activity);
      if (!calls.empty()) write_one_calls(calls, json);
    }
    json.name("hints");
    json.object([&] {
      file_.config()->for_each_hint(
          [&](const char* name, const std::string& value) { json.member(name, value); });
    });
    write_hints_given(file_, json);
    if (!earlier.first_error.empty())
      json.member("first_error", earlier.first_error);
    else if (all_.error_rank != INT64_MAX)
      json.member("first_error", first_error_.message.view());
    json.name("activity");
    const size_t before = json.text().size();
    write_activity(activity, json);
    table_bytes += static_cast<int64_t>(json.text().size() - before);
  });
  append_record(std::move(json));
}

void report_failed_open(MPI_Comm comm, const char* path, const Error& error) {
  int rank = 0, ranks = 0;
  if (comm == MPI_COMM_NULL || process_config().text(Key::report).empty()) return;
  if (PMPI_Comm_rank(comm, &rank) != MPI_SUCCESS || rank != 0) return;
  if (PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) return;
  const int64_t begin_ns = now_ns();
  const bool in_full = has_time_in_full(begin_ns);
  if_there_is_memory([&] {
    const std::string message = "MPI_File_open: " + error.message;
    if (!in_full) return keep_brief_opens(path, ranks, 0, 0, message, [](ClosedTotals&) {});
    JsonText json;
    json.object([&] {
      json.member("file", path);
      json.member("ranks", ranks);
      json.member("mpi", CONCILIO_MPI);
      json.member("times_opened", 0);
      json.member("first_error", message);
    });
    append_record(std::move(json));
  });
  if (in_full) count_in_full(begin_ns);
}

void report_ends() {
  if_there_is_memory([] { tell_brief_opens([](JsonText record) { append_record(std::move(record)); }); });
}

}  // namespace concilio::mpiio
