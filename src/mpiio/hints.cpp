#include "mpiio/hints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <sstream>

#include "base/log.h"

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
    const size_t end = std::min(text.find('\0'), text.size());
    std::istringstream lines(text.substr(0, end));
    size_t key = 0;
    char equals = 0;
    for (std::string value; lines >> key >> equals && std::getline(lines, value);) {
      if (key < key_count) asked.values[key] = value;
    }
    if (end < text.size()) asked.complaints = text.substr(end + 1);
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

void broadcast(MPI_Comm comm, int root, std::string& text) {
  unsigned long length = text.size();
  PMPI_Bcast(&length, 1, MPI_UNSIGNED_LONG, root, comm);
  text.resize(length);
  PMPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, root, comm);
}

void reduce(MPI_Comm comm, MPI_Op operation, PerKey& values) {
  PMPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_INT64_T, operation, comm);
}

// Collects for each item what rank `sources[item]` asks. This takes at most one broadcast for each item, and
// usually one in all.
GivenHints collect(MPI_Comm comm, const GivenHints& mine, const PerKey& sources) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  GivenHints collected;
  std::set<int64_t> ranks(sources.begin(), sources.end());
  ranks.erase(no_rank);
  for (int64_t source : ranks) {
    std::string text = rank == source ? mine.as_text() : "";
    broadcast(comm, static_cast<int>(source), text);
    GivenHints theirs = GivenHints::from_text(text);
    for (size_t key = 0; key < key_count; ++key) {
      if (sources[key] == source) collected.values[key] = theirs.values[key];
    }
    if (sources[key_count] == source) collected.complaints = theirs.complaints;
  }
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

void complain(const std::string& complaints, const std::string& whose) {
  std::istringstream lines(complaints);
  for (std::string line; std::getline(lines, line);) log_once_on_node(LogLevel::warning, whose + line);
}

// Decides what all ranks use if they do not ask for the same; rank 0 says so.
GivenHints settle(MPI_Comm comm, const Config& config, const GivenHints& mine) {
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
  GivenHints agreed = collect(comm, mine, first);
  for (size_t item = 0; item <= key_count; ++item) {
    const std::string *own = item_of(mine, item), *used = item_of(agreed, item);
    silents[item] = used && !own;
    others[item] = used && own && *own != *used;
    if (others[item]) other[item] = rank;
  }
  reduce(comm, MPI_MIN, other);
  reduce(comm, MPI_SUM, others);
  reduce(comm, MPI_SUM, silents);
  const GivenHints second = collect(comm, mine, other);
  if (rank != 0) return agreed;
  for (size_t key = 0; key < key_count; ++key) {
    const Difference difference{first[key], other[key], others[key], silents[key], ranks};
    const bool differs = difference.others > 0 || difference.silents > 0;
    if (!agreed.values[key] || !differs || config.fixed_by_user(static_cast<Key>(key))) continue;
    const std::string* theirs = second.values[key] ? &*second.values[key] : nullptr;
    log_once(LogLevel::warning, describe(settings()[key].hint, difference, *agreed.values[key], theirs));
  }
  complain(agreed.complaints, fmt::format("rank {}: ", first[key_count]));
  if (others[key_count] > 0) {
    complain(second.complaints,
             fmt::format("rank {}, one of {} that differ: ", other[key_count], others[key_count]));
  }
  return agreed;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> hints_in(MPI_Info info) {
  std::vector<std::pair<std::string, std::string>> hints;
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

bool adopt_hints(MPI_Comm comm, MPI_Info info, Config& config, Moment moment) {
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  GivenHints asked = asked_by(info, config, moment);
  std::string base = config.hints_as_text();
  const auto hash = [](const std::string& text) {
    return static_cast<int64_t>(std::hash<std::string>{}(text));
  };
  // The maximum of ~x gives the minimum of x. If the maximum and the minimum are equal, all ranks have the
  // same.
  int64_t mine[4] = {hash(base), ~hash(base), hash(asked.as_text()), ~hash(asked.as_text())};
  PMPI_Allreduce(MPI_IN_PLACE, mine, 4, MPI_INT64_T, MPI_MAX, comm);
  const bool differed = mine[0] != ~mine[1];
  if (differed) {
    broadcast(comm, 0, base);
    if (rank != 0) config.adopt_hints(base);
  }
  if (mine[2] != ~mine[3]) {
    asked = settle(comm, config, asked);
  } else if (rank == 0) {
    complain(asked.complaints, "");
  }
  for (size_t key = 0; key < key_count; ++key) {
    if (asked.values[key]) config.take(static_cast<Key>(key), *asked.values[key], Config::Origin::info);
  }
  return differed || config.hints_as_text() != base;
}

int make_info(const Config& config, MPI_Info* info) {
  int code = PMPI_Info_create(info);
  if (code != MPI_SUCCESS) return code;
  for (const auto& [name, value] : config.effective_hints()) {
    if (!value.empty()) PMPI_Info_set(*info, name.c_str(), value.c_str());
  }
  return MPI_SUCCESS;
}

}  // namespace concilio::mpiio
