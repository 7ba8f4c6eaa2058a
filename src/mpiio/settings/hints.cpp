#include "mpiio/settings/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "base/exceptions.h"
#include "base/log.h"
#include "base/text/text.h"

namespace concilio::mpiio {
namespace {

constexpr size_t key_count = static_cast<size_t>(Key::count_);
constexpr int64_t no_rank = INT64_MAX;

// What info objects ask of the settings. The complaints say, one on each line, what they ask in vain.
struct GivenHints {
  std::array<std::optional<std::string>, key_count> values;  // in canonical form
  std::string complaints;

  std::string as_text() const {
    std::string text;
    for (size_t key = 0; key < key_count; ++key) {
      if (values[key]) text += fmt::format("{}={}\n", key, *values[key]);
    }
    return text + '\0' + complaints;
  }
  static GivenHints from_text(const std::string& text) {
    GivenHints asked;
    std::string_view complaints = text;
    std::string_view lines = take_until(complaints, '\0');
    while (!lines.empty()) {
      std::string_view value = take_until(lines, '\n');
      const std::string_view number = take_until(value, '=');
      size_t key = key_count;
      std::from_chars(number.data(), number.data() + number.size(), key);
      if (key < key_count) asked.values[key] = value;
    }
    asked.complaints = complaints;
    return asked;
  }
};

// One number for each setting, and one at the end for the complaints. Ranks reduce these.
using PerKey = std::array<int64_t, key_count + 1>;

const std::string* item_of(const GivenHints& asked, size_t item) {
  if (item == key_count) return asked.complaints.empty() ? nullptr : &asked.complaints;
  return asked.values[item] ? &*asked.values[item] : nullptr;
}

std::string complaint_of(const std::string& name, const std::string& value) {
  return fmt::format("hint {}={} takes effect only when given to MPI_File_open; it is ignored\n", name,
                     value);
}

GivenHints asked_by(MPI_Info info, const Config& config, Moment moment) {
  GivenHints asked;
  for (const auto& [name, value] : hints_in(info)) {
    auto meanings = Config::read(name, value);
    if (!meanings) {
      asked.complaints += meanings.error().message + '\n';
      continue;
    }
    for (const Config::Meaning& meaning : *meanings) {
      const auto key = static_cast<size_t>(meaning.key);
      if (moment == Moment::later && settings()[key].effect == Effect::at_open) {
        const bool vain = meaning.value != config.text(meaning.key) && !config.fixed_by_user(meaning.key);
        if (vain) asked.complaints += complaint_of(name, value);
        continue;
      }
      // A hint's own name has precedence over its other names.
      if (!meaning.by_alias || !asked.values[key]) asked.values[key] = meaning.value;
    }
  }
  return asked;
}

// The settings with the hints that were asked for; null if they are the same already.
std::shared_ptr<Config> settings_with(const GivenHints& asked, const Config& config) {
  std::shared_ptr<Config> result;
  for (size_t key = 0; key < key_count; ++key) {
    if (!asked.values[key]) continue;
    if (!result) result = std::make_shared<Config>(config);
    result->take(static_cast<Key>(key), *asked.values[key], Config::Origin::info);
  }
  if (result && result->has_hints_of(config)) result.reset();
  return result;
}

// At an open there is no team yet, so the ranks meet by MPI's own functions. Before each step that needs
// memory they agree that all of them have it; none stays away from a step that others take.

int64_t kind_number(const Status& mine) {
  return static_cast<int64_t>(mine ? ErrorKind::none : mine.error().kind);
}

Status outcome_of(int64_t kind) {
  if (kind == kind_number({})) return {};
  return error_with(static_cast<ErrorKind>(kind), 0,
                    [] { return "a rank lacks what it needs for this call"; });
}

// Returns an error on all ranks if any rank has one.
Status agree_by_mpi(MPI_Comm comm, const Status& mine) {
  int64_t kind = kind_number(mine);
  PMPI_Allreduce(MPI_IN_PLACE, &kind, 1, MPI_INT64_T, MPI_MAX, comm);
  return outcome_of(kind);
}

// Gives all ranks the root's text. Fails on all ranks if any rank lacks memory for it, or had an error
// before.
Status broadcast(MPI_Comm comm, int root, std::string& text, const Status& before) {
  unsigned long length = text.size();
  PMPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, root, comm);
  const Status mine = without_exceptions([&] {
    if (before) text.resize(length);
    return before;
  });
  if (Status all = agree_by_mpi(comm, mine); !all) return all;
  PMPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, comm);
  return {};
}

void reduce(MPI_Comm comm, MPI_Op operation, PerKey& values) {
  PMPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, operation, comm);
}

int64_t next_above(int64_t rank, const PerKey& ranks) {
  int64_t next = no_rank;
  for (const int64_t other : ranks) {
    if (other > rank) next = std::min(next, other);
  }
  return next;
}

// Collects for each item what rank `sources[item]` asks. This takes at most one broadcast for each item, and
// usually one in all.
Result<GivenHints> collect(MPI_Comm comm, const GivenHints& own, const PerKey& sources) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  GivenHints collected;
  Status mine;
  for (int64_t source = -1; (source = next_above(source, sources)) != no_rank;) {
    std::string text;
    if (mine && rank == source) {
      mine = without_exceptions([&]() -> Status {
        text = own.as_text();
        return {};
      });
    }
    if (Status sent = broadcast(comm, static_cast<int>(source), text, mine); !sent) return sent.error();
    mine = without_exceptions([&]() -> Status {
      GivenHints theirs = GivenHints::from_text(text);
      for (size_t key = 0; key < key_count; ++key) {
        if (sources[key] == source) collected.values[key] = std::move(theirs.values[key]);
      }
      if (sources[key_count] == source) collected.complaints = std::move(theirs.complaints);
      return {};
    });
  }
  if (Status all = agree_by_mpi(comm, mine); !all) return all.error();
  return collected;
}

// How the ranks' values of one hint differ.
struct Difference {
  int64_t first, other;     // the lowest rank that gives the hint; the lowest rank that gives another value
  int64_t others, silents;  // how many ranks give another value, and how many give none
  int ranks;
};

std::string describe(const char* name, const Difference& difference, const std::string& value,
                     const std::string* other) {
  std::string text =
      fmt::format("hint {} is not the same on all ranks: rank {} gives {}", name, difference.first, value);
  if (other) text += fmt::format(", rank {} gives {}", difference.other, *other);
  if (difference.others > 1) {
    text += fmt::format(", {} of {} ranks give another value", difference.others, difference.ranks);
  }
  if (difference.silents > 0) {
    text += fmt::format(", {} of {} ranks give none", difference.silents, difference.ranks);
  }
  return text + fmt::format("; {} is used on all; give the same hints on every rank", value);
}

void complain(std::string_view complaints, const std::string& whose) {
  while (!complaints.empty())
    log_once_on_node(LogLevel::warning, fmt::format("{}{}", whose, take_until(complaints, '\n')));
}

// Decides what all ranks use if they do not ask for the same; rank 0 says so.
Result<GivenHints> settle(MPI_Comm comm, const Config& config, const GivenHints& mine) {
  int rank = 0, ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  PerKey first, other, others{}, silents{};
  first.fill(no_rank);
  other.fill(no_rank);
  for (size_t item = 0; item <= key_count; ++item) {
    if (item_of(mine, item)) first[item] = rank;
  }
  reduce(comm, MPI_MIN, first);
  auto collected = collect(comm, mine, first);
  if (!collected) return collected;
  const GivenHints& agreed = *collected;
  for (size_t item = 0; item <= key_count; ++item) {
    const std::string *own = item_of(mine, item), *used = item_of(agreed, item);
    silents[item] = used && !own;
    others[item] = used && own && *own != *used;
    if (others[item]) other[item] = rank;
  }
  reduce(comm, MPI_MIN, other);
  reduce(comm, MPI_SUM, others);
  reduce(comm, MPI_SUM, silents);
  const auto second = collect(comm, mine, other);
  if (!second) return second.error();
  if (rank != 0) return collected;
  if_there_is_memory([&] {
    for (size_t key = 0; key < key_count; ++key) {
      const Difference difference{first[key], other[key], others[key], silents[key], ranks};
      const bool differs = difference.others > 0 || difference.silents > 0;
      if (!agreed.values[key] || !differs || config.fixed_by_user(static_cast<Key>(key))) continue;
      const std::string* theirs = item_of(*second, key);
      log_once(LogLevel::warning, describe(settings()[key].hint, difference, *agreed.values[key], theirs));
    }
    complain(agreed.complaints, fmt::format("rank {}: ", first[key_count]));
    if (others[key_count] > 0) {
      complain(second->complaints,
               fmt::format("rank {}, one of {} that differ: ", other[key_count], others[key_count]));
    }
  });
  return collected;
}

}  // namespace

Hints hints_in(MPI_Info info) {
  Hints hints;
  int count = 0;
  if (info == MPI_INFO_NULL || PMPI_Info_get_nkeys(info, &count) != MPI_SUCCESS) return hints;
  for (int i = 0; i < count; ++i) {
    char key[MPI_MAX_INFO_KEY + 1] = "";
    if (PMPI_Info_get_nthkey(info, i, key) != MPI_SUCCESS) continue;
    int length = 0, found = 0;
    PMPI_Info_get_valuelen(info, key, &length, &found);
    if (!found) continue;
    std::string value(static_cast<size_t>(length) + 1, '\0');
    PMPI_Info_get(info, key, length, value.data(), &found);
    hints.emplace_back(key, value.c_str());
  }
  return hints;
}

bool holds(MPI_Info info, const Hints& hints) {
  int count = 0;
  if (info == MPI_INFO_NULL || PMPI_Info_get_nkeys(info, &count) != MPI_SUCCESS) return false;
  // An info object has no key twice.
  if (count != std::ssize(hints)) return false;
  return std::ranges::all_of(hints, [&](const auto& hint) {
    char value[MPI_MAX_INFO_VAL + 1];
    int found = 0;
    return PMPI_Info_get(info, hint.first.c_str(), MPI_MAX_INFO_VAL, value, &found) == MPI_SUCCESS && found &&
           hint.second == value;
  });
}

Result<std::shared_ptr<Config>> adopt_hints(MPI_Comm comm, MPI_Info info, const Config* config, Moment moment,
                                            Status before) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  GivenHints asked;
  std::shared_ptr<Config> later;
  int64_t base_hash = 0, asked_hash = 0;
  // As a rule, all ranks have the same settings and give the same hints. Before they meet, each rank has made
  // all that it needs if it is so.
  Status mine = without_exceptions([&]() -> Status {
    if (!before) return std::move(before);
    asked = asked_by(info, *config, moment);
    later = settings_with(asked, *config);
    base_hash = static_cast<int64_t>(config->hints_hash());
    asked_hash = static_cast<int64_t>(std::hash<std::string>{}(asked.as_text()));
    return {};
  });
  // The maximum of ~x gives the minimum of x. If the maximum and the minimum are equal, all ranks have the
  // same.
  int64_t most[5] = {kind_number(mine), base_hash, ~base_hash, asked_hash, ~asked_hash};
  PMPI_Allreduce(MPI_IN_PLACE, most, 5, MPI_INT64_T, MPI_MAX, comm);
  if (Status all = outcome_of(most[0]); !all) return all.error();
  const bool bases_differ = most[1] != ~most[2], hints_differ = most[3] != ~most[4];
  if (!hints_differ && rank == 0) if_there_is_memory([&] { complain(asked.complaints, ""); });
  if (!bases_differ && !hints_differ) return later;

  std::string base;
  if (bases_differ) {
    if (rank == 0) {
      mine = without_exceptions([&]() -> Status {
        base = config->hints_as_text();
        return {};
      });
    }
    if (Status sent = broadcast(comm, 0, base, mine); !sent) return sent.error();
  }
  if (hints_differ) {
    auto settled = settle(comm, *config, asked);
    if (!settled) return settled.error();
    asked = std::move(*settled);
  }
  mine = without_exceptions([&]() -> Status {
    Config start = *config;
    if (bases_differ && rank != 0) start.adopt_hints(base);
    later = settings_with(asked, start);
    if (bases_differ && !later) later = std::make_shared<Config>(std::move(start));
    return {};
  });
  if (Status all = agree_by_mpi(comm, mine); !all) return all.error();
  return later;
}

namespace {

// Whether the value only says that the plan, or the file system, chooses. Programs divide by these numbers.
bool says_nothing(const char* name, const std::string& value) {
  const std::string_view numbers[] = {"cb_buffer_size", "cb_nodes", "striping_unit", "striping_factor"};
  return value == "0" && std::ranges::find(numbers, name) != std::end(numbers);
}

}  // namespace

int make_info(const Config& config, MPI_Info* info) {
  int code = PMPI_Info_create(info);
  if (code != MPI_SUCCESS) return code;
  config.for_each_hint([&](const char* name, const std::string& value) {
    // Open MPI ends the program for a longer value. A list that is cut would say something else.
    if (!value.empty() && value.size() < MPI_MAX_INFO_VAL && !says_nothing(name, value))
      PMPI_Info_set(*info, name, value.c_str());
  });
  return MPI_SUCCESS;
}

}  // namespace concilio::mpiio
