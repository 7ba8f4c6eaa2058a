#include "benchmark/compare_program.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "base/counters.h"
#include "base/median.h"
#include "base/text/format_count.h"
#include "base/text/format_seconds.h"
#include "benchmark/progress.h"
#include "system/complain.h"

namespace concilio::tools {

namespace {

// The files of a kind that are named; the others are counted.
constexpr size_t named_files = 5;

// Times that overlap do not show that one side is faster.
bool overlap(const std::vector<double>& a, const std::vector<double>& b) {
  return *std::ranges::min_element(a) <= *std::ranges::max_element(b) &&
         *std::ranges::min_element(b) <= *std::ranges::max_element(a);
}

// "1.2 s (1.1 s to 1.4 s)"
std::string median_and_spread(const std::vector<double>& seconds) {
  if (seconds.size() < 2) return format_seconds(median(seconds));
  return fmt::format("{} ({} to {})", format_seconds(median(seconds)),
                     format_seconds(*std::ranges::min_element(seconds)),
                     format_seconds(*std::ranges::max_element(seconds)));
}

std::string judgement(const std::vector<double>& own, const std::vector<double>& concilio) {
  const double ratio = median(own) / std::max(median(concilio), std::numeric_limits<double>::min());
  std::string difference = fmt::format("the program is {:.2f} times as fast with Concilio", ratio);
  if (own.size() < 2)
    return difference + "; one turn of each does not tell whether that is chance (--alternations)";
  if (overlap(own, concilio)) return "the difference is within the spread";
  return difference;
}

// What a comparison of the bytes of one file says.
enum class Bytes { equal, differ, vary, written_by_concilio_alone, gone };

Bytes compared(const WrittenFile& file) {
  if (file.concilio.empty()) return Bytes::gone;
  if (file.own.empty()) return Bytes::written_by_concilio_alone;
  if (file.own.size() > 1) return Bytes::vary;
  return file.own == file.concilio ? Bytes::equal : Bytes::differ;
}

constexpr std::pair<Bytes, const char*> meanings[] = {
    {Bytes::equal, "equal, byte for byte, without and with Concilio"},
    {Bytes::differ, "DIFFERENT with Concilio"},
    {Bytes::vary, "not to be compared: different from turn to turn also without Concilio"},
    {Bytes::written_by_concilio_alone,
     "not to be compared: a name that the turns without Concilio did not write"},
    {Bytes::gone, "not to be compared: gone, or not to be read, when the program had ended"}};

std::string file_lines(const std::map<std::string, WrittenFile>& files) {
  if (files.empty()) return "  files written by MPI-IO: none was seen\n";
  std::string text;
  for (const auto& [bytes, meaning] : meanings) {
    std::vector<std::string> names;
    for (const auto& [name, file] : files) {
      if (compared(file) == bytes) names.push_back(name);
    }
    if (names.empty()) continue;
    text += fmt::format("  {}: {}\n", counted(std::ssize(names), "file"), meaning);
    for (size_t i = 0; i < std::min(names.size(), named_files); ++i)
      text += fmt::format("    {}\n", names[i]);
    if (names.size() > named_files) text += fmt::format("    and {} more\n", names.size() - named_files);
  }
  return text;
}

// What tells that a file was written meanwhile.
using FileState = std::tuple<ino_t, off_t, time_t, long>;

std::optional<FileState> state_of(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileState{status.st_ino, status.st_size, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
}

// The times and files of one start after another.
class Turns {
 public:
  Turns(const Launch& own, const Launch& concilio, const RecordsFile& records, int alternations)
      : own_(own),
        concilio_(concilio),
        records_(records),
        progress_(2 * static_cast<size_t>(alternations) + 2) {}

  // One start. `counts`: it is none to warm up. Returns the program's exit status.
  int take(bool with_concilio, bool counts) {
    const char* side = with_concilio ? "with Concilio" : "without Concilio";
    progress_.next(fmt::format("{}{}", side, counts ? "" : ", to warm up"));
    std::map<std::string, std::optional<FileState>> before;
    for (const auto& [name, file] : comparison_.files) before[name] = state_of(name);
    if (with_concilio) records_.remove();
    const Launch& launch = with_concilio ? concilio_ : own_;
    const auto start = std::chrono::steady_clock::now();
    const auto captured = capture(launch.words, launch.environment, most_seconds);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const int exit_status = captured ? status_after_signals(captured->exit_status) : exit_not_executable;
    if (exit_status != 0) {
      progress_.end();
      if (captured) fmt::print(stderr, "{}{}", captured->output, captured->errors);
      complain(captured ? fmt::format("the program ended with status {} {}, so there is nothing to compare",
                                      exit_status, side)
                        : captured.error().message);
      return exit_status;
    }
    if (with_concilio) {
      note_files_of_concilio(counts);
    } else {
      for (const auto& [name, state] : before)
        note(name, state != state_of(name), comparison_.files[name].own);
    }
    if (counts)
      (with_concilio ? comparison_.concilio_seconds : comparison_.own_seconds).push_back(took.count());
    return 0;
  }
  const ProgramComparison& end() const {
    progress_.end();
    return comparison_;
  }

 private:
  static constexpr double most_seconds = 1e9;  // no limit but the user's patience

  static void note(const std::string& name, bool written, std::set<FileDigest>& digests) {
    if (!written) return;
    if (const auto digest = digest_of(name)) digests.insert(*digest);
  }
  void note_files_of_concilio(bool counts) {
    double io_seconds = 0;
    for (const FileRecord& record : by_name(records_.read().files)) {
      io_seconds += seconds_of(record);
      if (record.sum[Counter::bytes_written] > 0)
        note(record.file, true, comparison_.files[record.file].concilio);
    }
    if (counts) comparison_.concilio_io_seconds.push_back(io_seconds);
  }

  const Launch& own_;
  const Launch& concilio_;
  const RecordsFile& records_;
  Progress progress_;
  ProgramComparison comparison_;
};

}  // namespace

bool ProgramComparison::files_differ() const {
  return std::ranges::any_of(files, [](const auto& file) { return compared(file.second) == Bytes::differ; });
}

std::string render(const ProgramComparison& comparison) {
  const auto& [own, concilio, io, files] = comparison;
  constexpr const char* row = "  {:<16} {:<32} {}\n";
  std::string text =
      fmt::format("concilio: {} without and with Concilio by turns, after one of each to warm up\n",
                  counted(std::ssize(own), "start"));
  text += fmt::format(row, own.size() > 1 ? "median (spread)" : "", "without Concilio", "with Concilio");
  text += fmt::format(row, "program", median_and_spread(own), median_and_spread(concilio));
  text += fmt::format(row, "of it in MPI-IO", "not known", median_and_spread(io));
  text += fmt::format("  {}\n", judgement(own, concilio));
  return text + file_lines(files);
}

int compare_program(const Launch& own, const Launch& concilio, const RecordsFile& records, int alternations) {
  Turns turns(own, concilio, records, alternations);
  // Which files there are, the first turn with Concilio tells.
  for (int start = -2; start < 2 * alternations; ++start) {
    // Each side comes first in every other pair, so that neither always finds what the other left in caches.
    const bool second = start % 2 != 0, concilio_first = start >= 0 && start / 2 % 2 == 1;
    if (const int failed = turns.take(second != concilio_first, start >= 0)) return failed;
  }
  const ProgramComparison& comparison = turns.end();
  fmt::print("{}", render(comparison));
  return comparison.files_differ() ? exit_failure : 0;
}

}  // namespace concilio::tools
