#include "store/wrappers/fault.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>

#include "base/log.h"
#include "base/system/descriptor.h"
#include "base/system/read_file.h"
#include "base/text/text.h"
#include "store/wrappers/observed.h"

namespace concilio::store {

namespace {

constexpr int64_t most_plan_bytes = 64 << 10;

struct NamedErrno {
  std::string_view name;
  int system_errno;
};

constexpr NamedErrno errnos[] = {
    {"EACCES", EACCES}, {"EAGAIN", EAGAIN},         {"EBADF", EBADF},
    {"EBUSY", EBUSY},   {"EDQUOT", EDQUOT},         {"EEXIST", EEXIST},
    {"EFBIG", EFBIG},   {"EINVAL", EINVAL},         {"EIO", EIO},
    {"EISDIR", EISDIR}, {"EMFILE", EMFILE},         {"ENOENT", ENOENT},
    {"ENOLCK", ENOLCK}, {"ENOMEM", ENOMEM},         {"ENOSPC", ENOSPC},
    {"ENOSYS", ENOSYS}, {"EOPNOTSUPP", EOPNOTSUPP}, {"EPERM", EPERM},
    {"EROFS", EROFS},   {"ESTALE", ESTALE},         {"ETIMEDOUT", ETIMEDOUT},
};

// Faults, with how many matching operations each of them has seen.
class FaultCounts {
 public:
  FaultCounts(FaultPlan plan, StrikeSink struck)
      : faults_(std::move(plan)), seen_(faults_.size()), struck_(std::move(struck)) {}

  // Returns the first fault that strikes this operation. Every fault that matches the operation counts it.
  const Fault* strike(StoreOperation operation) {
    const Fault* struck = nullptr;
    for (size_t i = 0; i < faults_.size(); ++i) {
      const Fault& fault = faults_[i];
      if (fault.operation && *fault.operation != operation) continue;
      const int64_t number = seen_[i].fetch_add(1, std::memory_order_relaxed) + 1;
      const bool every_one =
          fault.number == 0 && (fault.effect != Fault::Effect::interrupt || number % 2 == 1);
      if (!struck && (every_one || fault.number == number)) struck = &fault;
    }
    if (struck && struck_) struck_(*struck);
    return struck;
  }

 private:
  const FaultPlan faults_;
  std::vector<std::atomic<int64_t>> seen_;
  const StrikeSink struck_;
};

class FaultObserver : public StoreObserver {
 public:
  FaultObserver(FaultPlan plan, StrikeSink struck) : counts_(std::move(plan), std::move(struck)) {}

  Status before(const StoreEvent& event) override {
    const Fault* fault = counts_.strike(event.operation);
    if (!fault) return {};
    return Error::from_errno(fault->system_errno, failure_text(event) + " (injected fault)");
  }

 private:
  FaultCounts counts_;
};

// Returns the faults that strike operations of a store, or those that strike system calls.
FaultPlan faults_of(const FaultPlan& plan, bool operations) {
  FaultPlan result;
  std::copy_if(plan.begin(), plan.end(), std::back_inserter(result), [operations](const Fault& fault) {
    return (fault.effect == Fault::Effect::fail && fault.operation != StoreOperation::ring) == operations;
  });
  return result;
}

// `number` at least `minimum`.
template <typename Number>
bool parse_number(std::string_view text, Number minimum, Number& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc{} && end == text.data() + text.size() && number >= minimum;
}

bool parse_effect(std::string_view text, Fault& fault) {
  if (text == "short") {
    fault.effect = Fault::Effect::shorten;
    return true;
  }
  if (text == "eintr") {
    fault.effect = Fault::Effect::interrupt;
    return true;
  }
  const auto found = std::find_if(std::begin(errnos), std::end(errnos),
                                  [text](const NamedErrno& named) { return named.name == text; });
  if (found == std::end(errnos)) return false;
  fault.system_errno = found->system_errno;
  return true;
}

Result<Fault> parse_fault(std::string_view text) {
  const auto malformed = [text](const char* what) {
    return Error{ErrorKind::argument, 0,
                 fmt::format("fault '{}': {}; write OPERATION:N:EFFECT, e.g. write:3:ENOSPC", text, what)};
  };
  Fault fault;
  std::string_view body = text;
  if (const size_t at = text.find('@'); at != std::string_view::npos) {
    if (!parse_number(text.substr(at + 1), 0, fault.rank)) return malformed("no rank behind @");
    body = text.substr(0, at);
  }
  const size_t first = body.find(':');
  const size_t second = first == std::string_view::npos ? first : body.find(':', first + 1);
  if (second == std::string_view::npos) return malformed("not of three parts");
  const std::string_view operation = body.substr(0, first);
  if (operation != "any") {
    fault.operation = operation_of_name(operation);
    if (!fault.operation) return malformed("no such operation");
  }
  const std::string_view number = body.substr(first + 1, second - first - 1);
  if (number != "*" && !parse_number<int64_t>(number, 1, fault.number)) {
    return malformed("N is neither a number from 1 nor *");
  }
  if (!parse_effect(body.substr(second + 1), fault)) {
    return malformed("the effect is neither short, eintr nor an error such as EIO");
  }
  return fault;
}

}  // namespace

Result<FaultPlan> parse_faults(std::string_view text) {
  FaultPlan plan;
  while (!text.empty()) {
    const std::string_view part = trimmed(take_until(text, ';'));
    if (part.empty()) continue;
    Result<Fault> fault = parse_fault(part);
    if (!fault) return fault.error();
    plan.push_back(*fault);
  }
  return plan;
}

FaultPlan faults_of_rank(const FaultPlan& plan, int rank) {
  FaultPlan result;
  std::copy_if(plan.begin(), plan.end(), std::back_inserter(result),
               [rank](const Fault& fault) { return fault.rank < 0 || fault.rank == rank; });
  return result;
}

Result<FaultPlan> read_faults(const std::string& text, StrikeSink& struck) {
  if (!text.starts_with('@')) return parse_faults(text);
  const std::string path = text.substr(1);
  const auto plan = read_file(path, most_plan_bytes);
  if (!plan) return Error{ErrorKind::argument, 0, fmt::format("no plan of faults can be read in {}", path)};
  struck = [record = path + ".struck"](const Fault& fault) {
    const Descriptor file(open(record.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
    const std::string line = fmt::format("{}\n", fault.operation ? operation_name(*fault.operation) : "any");
    // The line is one write, so that lines of several ranks do not mix.
    if (!file || write(file.number(), line.data(), line.size()) != std::ssize(line))
      log(LogLevel::error, "cannot record in {} that a fault struck", record);
  };
  return parse_faults(*plan);
}

std::unique_ptr<Store> make_fault_store(std::unique_ptr<Store> inner, const FaultPlan& plan,
                                        StrikeSink struck) {
  return make_observed_store(std::move(inner),
                             std::make_shared<FaultObserver>(faults_of(plan, true), std::move(struck)));
}

SyscallHook make_fault_hook(const FaultPlan& plan, StrikeSink struck) {
  FaultPlan faults = faults_of(plan, false);
  if (faults.empty()) return {};
  return [counts = std::make_shared<FaultCounts>(std::move(faults), std::move(struck))](
             StoreOperation operation, int64_t bytes) -> SyscallOutcome {
    const Fault* fault = counts->strike(operation);
    if (!fault) return {};
    if (fault->effect == Fault::Effect::interrupt) return {EINTR, INT64_MAX};
    if (fault->effect == Fault::Effect::fail) return {fault->system_errno, INT64_MAX};
    return {0, std::max<int64_t>(bytes / 2, 1)};
  };
}

}  // namespace concilio::store
