#include "methods/methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <sstream>

#include "base/median.h"
#include "job/agree.h"
#include "job/library.h"

namespace concilio::bench {

namespace {

constexpr size_t most_repeated = 10;  // at most so many times the repetitions, see MethodsOptions
// A method is far if its first call takes so many times as long as the fastest one's.
constexpr double far_factor = 5;
constexpr const char* known_methods =
    "auto"
#define METHOD(name, ranks, writes, summary) ", " #name
#include "base/methods.def"
    ", posix, rows, mpi";

bool is_known(const std::string& method) {
  return method == "auto" || method == "posix" || method == "rows" || method == "mpi" ||
         library_method_index(method) >= 0;
}

// Whether the library carries the method out: its own choice, or a method that it is told to use.
bool is_of_library(const std::string& method) {
  return method == "auto" || library_method_index(method) >= 0;
}

std::string names_of(unsigned methods) {
  std::string names;
  for (size_t i = 0; i < library_methods.size(); ++i) {
    if (methods & (1u << i)) names += (names.empty() ? "" : ", ") + std::string(library_methods[i]);
  }
  return names;
}

// The predicted time of the requests that a method makes. One request for each piece is the method list
// without a library.
double predicted_for(const std::string& method, const PerMethod& predicted) {
  if (const int index = library_method_index(method); index >= 0)
    return predicted[static_cast<size_t>(index)];
  if (method != "posix") return -1;
  const double list = predicted[static_cast<size_t>(library_method_index("list"))];
  return list >= 0 ? list : predicted[static_cast<size_t>(library_method_index("independent"))];
}

double cheapest(const PerMethod& predicted) {
  double least = -1;
  for (const double seconds : predicted) {
    if (seconds >= 0 && (least < 0 || seconds < least)) least = seconds;
  }
  return least;
}

// The order of `count` methods in a round. What a method leaves in caches affects the method after it, so
// over `count` rounds (twice as many if `count` is odd) each method follows each other one equally often.
// Method 0 is the first one of round 0.
std::vector<size_t> order_of_round(size_t count, int round) {
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i) {
    const size_t zigzag = i % 2 == 1 ? (i + 1) / 2 : count - i / 2;
    order.push_back((zigzag + static_cast<size_t>(round)) % count);
  }
  if (count > 0 && static_cast<size_t>(round) / count % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

bool is_out(const MethodTimes& times) {
  return !times.failure.empty() || !times.left_out.empty();
}

// A way that is measured, with a file of its own: where two opens may write the same file, neither may
// rewrite what lies between its pieces.
struct Measured {
  std::string path;
  std::unique_ptr<Way> way;
  std::string failure;    // so far
  uint64_t content = 0;   // of the file
  bool is_known = false;  // whether the file has that content
};

class Methods {
 public:
  Methods(const Pattern& pattern, const RunOptions& options, const MethodsOptions& methods)
      : options_(options), methods_(methods), data_(pattern) {
    for (const std::string& method : methods.methods) {
      Measured& its = ways_.emplace_back();
      its.path = options.path + "." + method;
      const WaySettings settings{its.path, options.write, options.calls, options.sync, options.hints};
      its.way = method == "posix"  ? make_posix_way(data_, settings)
                : method == "rows" ? make_rows_way(data_, settings, nullptr)
                                   : make_mpi_way(method, data_, settings);
    }
    // The library's own choice comes first, because its predictions tell which methods are too slow to try.
    for (size_t i = 0; i < ways_.size(); ++i) order_.push_back(i);
    std::stable_partition(order_.begin(), order_.end(),
                          [&](size_t i) { return methods.methods[i] == "auto"; });
  }

  MethodsOutcome run() {
    outcome_.total_bytes = data_.total_bytes();
    for (const Measured& its : ways_) {
      if (outcome_.failure.empty()) outcome_.failure = agree(data_.prepare_file(its.path));
    }
    if (outcome_.failure.empty() && !options_.write) write_files();
    if (outcome_.failure.empty()) run_ways();
    MPI_Barrier(MPI_COMM_WORLD);
    for (const Measured& its : ways_) data_.remove_file(its.path);
    return outcome_;
  }

 private:
  void run_ways() {
    MPI_Barrier(MPI_COMM_WORLD);
    for (Measured& its : ways_) its.failure = its.way->open();
    if (options_.write) run_operation(Operation::write, outcome_.write);
    if (options_.read) {
      write_files();
      if (outcome_.failure.empty()) run_operation(Operation::read, outcome_.read);
    }
    for (const Measured& its : ways_) {
      const std::string failure = its.way->close();
      if (outcome_.failure.empty()) outcome_.failure = failure;
    }
  }

  // Those that no way has written, or whose last write failed.
  void write_files() {
    for (Measured& its : ways_) {
      if (its.is_known || !outcome_.failure.empty()) continue;
      its.content = ++content_;
      outcome_.failure = agree(data_.write_by_posix(its.path, its.content));
      its.is_known = true;
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void run_operation(Operation operation, std::vector<MethodTimes>& times) {
    predicted_.fill(-1);
    for (size_t i = 0; i < ways_.size(); ++i) {
      MethodTimes& own = times.emplace_back();
      own.method = methods_.methods[i];
      own.predicted.fill(-1);
      own.failure = ways_[i].failure;
    }
    std::vector<size_t> near = order_;
    take_turns(operation, 0, near, times);
    // A slow method would affect the next calls of the others, by what it leaves in caches and by moving
    // ranks between cores. So slow methods are measured after the others.
    double least = std::numeric_limits<double>::infinity();
    for (const size_t way : near) least = std::min(least, times[way].first_seconds);
    // The very first call finds no file and no buffers, and it was made by the library's own choice.
    const auto far_begin = std::stable_partition(near.begin(), near.end(), [&](size_t way) {
      return times[way].method == "auto" || times[way].first_seconds <= far_factor * least;
    });
    std::vector<size_t> far(far_begin, near.end());
    near.erase(far_begin, near.end());
    for (std::vector<size_t>* order : {&near, &far}) {
      for (int round = 1; !order->empty(); ++round) take_turns(operation, round, *order, times);
    }
    for (size_t i = 0; i < ways_.size(); ++i) ways_[i].failure = times[i].failure;
  }

  // Measures each method in `order` once, and removes those that are finished.
  void take_turns(Operation operation, int round, std::vector<size_t>& order,
                  std::vector<MethodTimes>& times) {
    for (const size_t place : order_of_round(order.size(), round)) {
      const size_t way = order[place];
      MethodTimes& own = times[way];
      if (round == 0) own.left_out = why_not_try(own);
      if (is_out(own)) continue;
      take_turn(operation, ways_[way], round, own);
      if (round == 0 && own.failure.empty()) own.left_out = why_not_go_on(own);
    }
    std::erase_if(order, [&](size_t way) { return is_out(times[way]) || is_measured(times[way]); });
  }

  void take_turn(Operation operation, Measured& its, int round, MethodTimes& own) {
    const uint64_t content = ++content_;
    if (operation == Operation::write) {
      data_.fill(content);
    } else {
      data_.poison();
    }
    const Took took = its.way->move(operation);
    own.failure = took.failure;
    if (own.failure.empty()) note(took, round, own);
    if (operation == Operation::write) {
      its.content = content;
      if (own.failure.empty() && options_.verify && (round == 0 || is_measured(own)))
        own.failure = check_written(its);
      its.is_known = own.failure.empty();
    } else if (own.failure.empty() && options_.verify) {
      own.failure = agree(data_.check_buffer(its.content));
    }
  }

  bool is_measured(const MethodTimes& own) const {
    const auto repetitions = static_cast<size_t>(options_.repetitions);
    const double sum = std::accumulate(own.seconds.begin(), own.seconds.end(), 0.0);
    return own.seconds.size() >= repetitions &&
           (sum >= methods_.measured_seconds || own.seconds.size() >= most_repeated * repetitions);
  }

  void note(const Took& took, int round, MethodTimes& own) {
    const std::string taken = names_of(took.methods);
    if (round == 0) {
      own.first_seconds = took.seconds;
      own.first_taken = taken;
    }
    if (round >= methods_.warm_up) {
      own.seconds.push_back(took.seconds);
      own.taken.push_back(taken);
    }
    own.predicted = took.predicted;
    own.predicted_seconds = predicted_for(own.method == "posix" ? "" : taken, took.predicted);
    if (cheapest(predicted_) < 0) predicted_ = took.predicted;
  }

  std::string check_written(const Measured& its) {
    std::string failure = its.way->sync();
    if (!failure.empty()) return failure;
    MPI_Barrier(MPI_COMM_WORLD);
    return agree(data_.check_file(its.path, its.content));
  }

  std::string why_not_try(const MethodTimes& own) const {
    const double least = cheapest(predicted_), expected = predicted_for(own.method, predicted_);
    // Its first call had to be stopped.
    if (expected > methods_.timeout_seconds)
      return fmt::format("left out: one call is predicted to take {:.3g} s", expected);
    if (least <= 0 || expected <= methods_.skip_factor * least) return {};
    return fmt::format("left out: predicted {:.3g} s, {:.0f} times the cheapest", expected, expected / least);
  }

  std::string why_not_go_on(const MethodTimes& own) const {
    if (library_method_index(own.method) >= 0 && own.first_taken != own.method && !own.first_taken.empty())
      return fmt::format("the library took {}", own.first_taken);
    const int more = methods_.warm_up + options_.repetitions - 1;
    if (own.first_seconds * more <= methods_.timeout_seconds) return {};
    return fmt::format("left out: one call took {:.3g} s", own.first_seconds);
  }

  const RunOptions& options_;
  const MethodsOptions& methods_;
  RankData data_;
  std::vector<Measured> ways_;
  std::vector<size_t> order_;
  PerMethod predicted_ = {};  // of the first call whose predictions were known
  uint64_t content_ = 0;      // the last one of any file
  MethodsOutcome outcome_;
};

}  // namespace

std::vector<std::string> parse_methods(const std::string& text, std::string& error) {
  std::vector<std::string> methods;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    if (!is_known(word)) {
      error = fmt::format("--methods: there is no method '{}'; there are {}", word, known_methods);
      return {};
    }
    if (std::find(methods.begin(), methods.end(), word) != methods.end()) {
      error = fmt::format("--methods names {} twice", word);
      return {};
    }
    methods.push_back(word);
  }
  const auto own_mpi_io = std::find(methods.begin(), methods.end(), "mpi");
  const bool library = std::any_of(methods.begin(), methods.end(), is_of_library);
  if (methods.empty()) {
    error = fmt::format("--methods: a list of {}", known_methods);
  } else if (own_mpi_io != methods.end() && library) {
    error = "--methods: mpi is the MPI's own MPI-IO, without Concilio: name it alone or with posix and rows";
  } else if (own_mpi_io != methods.end() && !concilio_version_loaded().empty()) {
    error = "--methods mpi: the program runs under Concilio";
  } else if (library && concilio_version_loaded().empty()) {
    error = "--methods: the program does not run under Concilio";
  }
  return error.empty() ? methods : std::vector<std::string>{};
}

std::vector<std::string> failures_of(const MethodsOutcome& outcome) {
  std::vector<std::string> failures;
  if (!outcome.failure.empty()) failures.push_back(outcome.failure);
  // A method that failed to write is not asked to read.
  for (const auto* operation : {&outcome.write, &outcome.read}) {
    for (const MethodTimes& times : *operation) {
      const std::string failure = fmt::format("{}: {}", times.method, times.failure);
      if (!times.failure.empty() && std::find(failures.begin(), failures.end(), failure) == failures.end())
        failures.push_back(failure);
    }
  }
  return failures;
}

MethodsOutcome run_methods(const Pattern& pattern, const RunOptions& options, const MethodsOptions& methods) {
  return Methods(pattern, options, methods).run();
}

namespace {

// The times of the library's own choice and of the best of its methods; null if they were not measured.
struct ChoiceAndBest {
  const MethodTimes *choice = nullptr, *best = nullptr;
};

ChoiceAndBest choice_and_best(const std::vector<MethodTimes>& all) {
  ChoiceAndBest found;
  for (const MethodTimes& times : all) {
    if (is_out(times) || times.seconds.empty() || !is_of_library(times.method)) continue;
    if (times.method == "auto") found.choice = &times;
    if (found.best == nullptr || median(times.seconds) < median(found.best->seconds)) found.best = &times;
  }
  return found;
}

}  // namespace

double regret(const std::vector<MethodTimes>& times) {
  const auto [choice, best] = choice_and_best(times);
  const double least = best ? median(best->seconds) : 0;
  return choice && least > 0 ? median(choice->seconds) / least : 0;
}

bool regret_may_be_chance(const std::vector<MethodTimes>& times) {
  const auto [choice, best] = choice_and_best(times);
  return choice && choice != best && !clearly_below(best->seconds, choice->seconds);
}

}  // namespace concilio::bench
