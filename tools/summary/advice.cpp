#include "summary/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/settings/config.h"
#include "base/text/bytes.h"
#include "base/text/format_count.h"
#include "base/text/format_seconds.h"
#include "summary/data_operations.h"

namespace concilio::tools {

namespace {

// If the calls on a file took less time than this, no advice is given.
constexpr int64_t least_call_ns = 10'000'000;
// Calls and requests of fewer bytes cost about the same whatever they transfer.
constexpr int64_t small_bytes = 4096;
// A rank that makes so many small calls is told of them.
constexpr int64_t many_calls = 100;
// A call that is carried out in so many requests or rounds is considered split up.
constexpr int64_t many_parts = 8;
// Targets of Lustre move some hundred MiB in a second.
constexpr int64_t worth_striping_bytes = 256 << 20;
// Another method is worth a hint if the one taken is expected to last longer by this factor.
constexpr double least_gain = 1.25;

double seconds_in_calls(const FileRecord& file) {
  return static_cast<double>(file.slowest[Counter::call_ns]) * 1e-9;
}

// The gain that is predicted. One above what the calls took is cut to that, and is then only a bound.
void set_won(Advice& advice, double seconds, const FileRecord& file) {
  advice.at_most = seconds > seconds_in_calls(file);
  advice.seconds = std::min(seconds, seconds_in_calls(file));
}

std::string hint_in_force(const FileRecord& file, const std::string& name) {
  const auto found = file.hints.find(name);
  return found == file.hints.end() ? "" : found->second;
}

// The expected times of the method taken and of the fastest other one. They are measured if both methods have
// run, and otherwise both predicted, because a price and a measured time cannot be compared.
struct Alternative {
  const plan::Candidate* taken = nullptr;
  const plan::Candidate* other = nullptr;
  double taken_seconds = 0, other_seconds = 0;
  bool measured = false;
};

Alternative best_alternative(const Reason& reason) {
  Alternative best;
  for (const plan::Candidate& one : reason.candidates) {
    if (one.legal && method_name(one.method) == reason.method) best.taken = &one;
  }
  if (best.taken == nullptr) return best;
  double least_share = 1;
  for (const plan::Candidate& one : reason.candidates) {
    if (!one.legal || &one == best.taken) continue;
    const bool measured = one.calls > 0 && best.taken->calls > 0;
    const double taken = measured ? best.taken->measured_seconds : best.taken->predicted_seconds;
    const double other = measured ? one.measured_seconds : one.predicted_seconds;
    if (taken <= 0 || other >= taken * least_share) continue;
    least_share = other / taken;
    best.other = &one;
    best.taken_seconds = taken;
    best.other_seconds = other;
    best.measured = measured;
  }
  return best;
}

// The option that gives up a hint which made calls take a method, e.g. "--hint concilio_method=auto".
std::string without_hint_for(const std::string& method, const FileRecord& file,
                             const DataOperation& operation) {
  if (hint_in_force(file, "concilio_method") == method) return "--hint concilio_method=auto";
  if (method == "two_phase" && hint_in_force(file, operation.buffering_hint) == "enable")
    return fmt::format("--hint {}=automatic", operation.buffering_hint);
  if (method == "sieve" && hint_in_force(file, operation.sieving_hint) == "enable")
    return fmt::format("--hint {}=automatic", operation.sieving_hint);
  return {};
}

Advice advice_on_hint_that_chose(const FileRecord& file, const DataOperation& operation) {
  Advice advice;
  std::string its_option;
  double won = 0;
  for (const Reason& reason : file.reasons) {
    if (reason.operation != operation.name) continue;
    const std::string option = without_hint_for(reason.method, file, operation);
    const Alternative best = best_alternative(reason);
    if (option.empty() || best.other == nullptr || best.taken_seconds < least_gain * best.other_seconds)
      continue;
    // Other calls that the same advice helps add to what it wins.
    if (!its_option.empty() && option != its_option) continue;
    won += (best.taken_seconds - best.other_seconds) * static_cast<double>(reason.calls);
    if (!its_option.empty()) continue;
    its_option = option;
    const char* known_by = best.measured ? "measured" : "predicted";
    advice.text = fmt::format(
        "{}: {} {} a {} by {}, {} by {}", option, known_by, format_seconds(best.other_seconds),
        operation.name, method_name(best.other->method), format_seconds(best.taken_seconds), reason.method);
  }
  if (!advice.text.empty()) set_won(advice, won, file);
  return advice;
}

bool took(const FileRecord& file, const DataOperation& operation, bool collective, const char* method) {
  return std::ranges::any_of(file.reasons, [&](const Reason& reason) {
    return reason.operation == operation.name && reason.collective == collective && reason.method == method;
  });
}

// A hint that forbids small pieces to be brought together. Concilio chooses by price if it is automatic.
Advice advice_on_hint_that_forbade(const FileRecord& file, const DataOperation& operation) {
  const int64_t requests = file.sum[operation.requests];
  if (requests == 0 || file.sum[operation.request_bytes] / requests >= small_bytes) return {};
  const auto allow = [&](const char* hint) -> Advice {
    return {fmt::format("--hint {0}=automatic: with {0}=disable there were {1} of {2} on average", hint,
                        counted(requests, operation.name),
                        format_bytes(file.sum[operation.request_bytes] / requests)),
            seconds_in_calls(file)};
  };
  const bool lists_together = took(file, operation, true, "list");
  if (file.ranks > 1 && lists_together && hint_in_force(file, operation.buffering_hint) == "disable")
    return allow(operation.buffering_hint);
  const bool lists = lists_together || took(file, operation, false, "list");
  if (lists && hint_in_force(file, operation.sieving_hint) == "disable") return allow(operation.sieving_hint);
  return {};
}

// 8 -> "8-byte", 1536 -> "1.5-KiB".
std::string sized(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{}-byte", bytes);
  std::string text = format_bytes(bytes);
  std::ranges::replace(text, ' ', '-');
  return text;
}

// How programs make the calls collective.
std::vector<std::string> collective_forms(const DataOperation& operation) {
  return {
      fmt::format("C: {}(file, offset, data, count, type, MPI_STATUS_IGNORE);", operation.collective_call),
      "h5py: with dset.collective:", "netCDF4 for Python: variable.set_collective(True)",
      "HDF5: H5Pset_dxpl_mpio(transfer_properties, H5FD_MPIO_COLLECTIVE);",
      "netCDF: nc_var_par_access(file, variable, NC_COLLECTIVE);"};
}

// Whether a file was used by independent calls of this operation alone, so that all the time was theirs.
bool has_no_other_calls(const FileRecord& file, const DataOperation& operation) {
  return std::ranges::all_of(data_operations, [&](const DataOperation& one) {
    return file.sum[one.collective] == 0 && (&one == &operation || file.sum[one.independent] == 0);
  });
}

// Adds what one collective call would take in place of the independent ones, if that is known. Returns
// whether it is worth while as far as anybody knows.
bool add_expectation(const FileRecord& file, const DataOperation& operation, Advice& advice) {
  const auto one = std::ranges::find(file.one_calls, operation.name, &OneCall::operation);
  if (one == file.one_calls.end()) return true;
  const bool measured = has_no_other_calls(file, operation);
  const double now = measured ? seconds_in_calls(file) : one->lone_seconds;
  if (now < least_gain * one->seconds) return false;
  const std::string basis = measured
                                ? fmt::format("predicted, by prices that give {} for the calls as they were",
                                              format_seconds(one->lone_seconds))
                                : "both predicted";
  advice.expectation =
      fmt::format("as one collective {}, {} would take {} instead of {} ({})", operation.name, one->method,
                  format_seconds(one->seconds), format_seconds(now), basis);
  set_won(advice, now - one->seconds, file);
  return true;
}

// Independent calls of several ranks that are small, or that were carried out in many small requests. Only
// collective calls can bring the pieces of several ranks together.
Advice advice_on_independent_calls(const FileRecord& file, const DataOperation& operation) {
  const int64_t calls = file.sum[operation.independent], most = file.slowest[operation.independent];
  // At least this many ranks made the calls.
  const int64_t callers = most > 0 ? (calls + most - 1) / most : 0;
  if (callers < 2) return {};
  const bool others = file.sum[operation.collective] > 0;
  const int64_t mean = file.sum[operation.bytes] / calls, requests = file.sum[operation.requests];
  const auto advise = [&](const std::string& what, const char* how) -> Advice {
    Advice advice{fmt::format("{}: make them {}: {}; h5py: with dset.collective:", what, how,
                              operation.collective_call),
                  seconds_in_calls(file), true, collective_forms(operation)};
    return add_expectation(file, operation, advice) ? advice : Advice{};
  };
  // The bytes of collective calls are counted too, so they make the mean a bound.
  if (mean > 0 && mean < small_bytes && calls >= many_calls * callers)
    return advise(fmt::format("{}{} independent {}s, {} by {}", others ? "at most " : "", sized(mean),
                              operation.name, calls, counted(file.ranks, "rank")),
                  "fewer and collective");
  if (others || requests < many_parts * calls || !took(file, operation, false, "list")) return {};
  const int64_t piece = file.sum[operation.request_bytes] / requests;
  if (piece >= small_bytes) return {};
  return advise(fmt::format("independent {}s in {} pieces, {} requests of {}", operation.name, sized(piece),
                            requests, counted(file.ranks, "rank")),
                "collective");
}

// Less memory than is usual, so that collective calls take many rounds.
Advice advice_on_memory(const FileRecord& file) {
  const Setting& setting = settings()[static_cast<size_t>(Key::memory_limit)];
  const auto usual = parse_bytes(setting.default_value);
  const auto limit = parse_bytes(hint_in_force(file, setting.hint));
  if (!usual || !limit || *limit >= *usual) return {};
  const int64_t calls = file.slowest[Counter::collective_writes] + file.slowest[Counter::collective_reads];
  const int64_t rounds = file.slowest[Counter::rounds];
  if (calls == 0 || rounds < many_parts * calls) return {};
  return {fmt::format("--memory-limit {}: {} make {} of {}", setting.default_value, format_bytes(*limit),
                      counted(rounds, "round"), counted(calls, "collective call")),
          seconds_in_calls(file)};
}

// A large file of Lustre that lies on one storage target is not faster than that target.
Advice advice_on_stripes(const FileRecord& file) {
  const int64_t bytes = file.sum[Counter::bytes_written] + file.sum[Counter::bytes_read];
  if (file.ranks < 2 || bytes < worth_striping_bytes || hint_in_force(file, "striping_factor") != "1" ||
      hint_in_force(file, "romio_filesystem_type") != "Concilio on lustre")
    return {};
  return {fmt::format("--hint striping_factor=-1, where the program creates the file: {} went to or from one "
                      "storage target of Lustre; for all files of a folder: lfs setstripe -c -1 FOLDER",
                      format_bytes(bytes)),
          seconds_in_calls(file)};
}

}  // namespace

Advice advice_on(const FileRecord& file) {
  if (file.slowest[Counter::call_ns] < least_call_ns) return {};
  for (const auto advice_of :
       {advice_on_hint_that_chose, advice_on_hint_that_forbade, advice_on_independent_calls}) {
    for (const DataOperation& operation : data_operations) {
      if (Advice advice = advice_of(file, operation); !advice.text.empty()) return advice;
    }
  }
  if (Advice advice = advice_on_memory(file); !advice.text.empty()) return advice;
  return advice_on_stripes(file);
}

std::string to_be_won(const Advice& advice) {
  return fmt::format("{} {} to be won", advice.at_most ? "at most" : "about", format_seconds(advice.seconds));
}

}  // namespace concilio::tools
