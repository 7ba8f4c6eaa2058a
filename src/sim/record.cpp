#include "sim/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/checked.h"
#include "base/text/json_document.h"
#include "base/text/json_place.h"
#include "base/text/record_words.h"
#include "base/text/text.h"
#include "pattern/encoding.h"

namespace concilio::sim {
namespace {

using What = RecordedCall::What;
using Kind = RecordedCall::Kind;

// Of a split call that has no place yet.
constexpr int64_t no_place = -1;

constexpr const char* again = "record the program again, with concilio run --record";

constexpr std::array call_names = {"open",        "view", "read",          "write",  "wait",  "set_size",
                                   "preallocate", "sync", "set_atomicity", "delete", "close", "place"};
constexpr std::array calls_named = {What::open,          What::view,     What::transfer,    What::transfer,
                                    What::wait,          What::set_size, What::preallocate, What::sync,
                                    What::set_atomicity, What::remove,   What::close};
constexpr size_t name_of_write = 3, name_of_place = 11;
static_assert(call_names[name_of_place] == std::string_view("place") && calls_named.size() == name_of_place);

template <size_t n>
size_t index_in(const JsonPlace& in, const std::array<const char*, n>& names) {
  return static_cast<size_t>(in.index_among(
      static_cast<int64_t>(n), [&](int64_t i) -> std::string { return names[static_cast<size_t>(i)]; }));
}

std::vector<std::byte> bytes_of(const JsonPlace& hexadecimal) {
  const std::string text = hexadecimal.text();
  const auto digit = [&](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    hexadecimal.refuse("has other characters than 0 to 9 and a to f");
  };
  if (text.size() % 2 != 0) hexadecimal.refuse("has half a byte");
  std::vector<std::byte> bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
  return bytes;
}

// Opens of a rank that are those of other ranks too: the same ranks have opened the same file equally often
// before. By this all ranks find the same number for what they opened together.
struct SameOpen {
  std::vector<int> ranks;
  int path = 0, times_before = 0;
  auto operator<=>(const SameOpen&) const = default;
};

// Reads the lines one after another. What does not fit is refused, as in a document of JSON.
class Reader {
 public:
  void read_line(const JsonPlace& in) {
    if (ended_) in.refuse("comes behind the last line");
    ++lines_;
    if (lines_ == 1) return read_head(in);
    if (in.find("lines")) return read_end(in);
    if (in.find("rank")) return read_rank(in);
    if (rank_ < 0) in.at("rank");
    if (full_of_rank_) in.refuse("comes behind the line that ends a rank's record");
    if (in.find("full")) {
      record_.full = full_of_rank_ = true;
      return;
    }
    if (const auto type = in.find("type"); type && !in.find("call")) return read_type(in, *type);
    read_call(in);
  }
  bool ended() const { return ended_; }
  Record take();

 private:
  // A file that this rank has open.
  struct Open {
    int number = 0;  // in the record
    pattern::Access view = pattern::Access::contiguous(0);
  };

  void read_head(const JsonPlace& in) {
    if (const JsonPlace version = in.at("concilio_record"); version.whole_number() != record_version)
      version.refuse(fmt::format("is no version that is known here; that is {}", record_version));
    const int64_t ranks = in.at("ranks").whole_number(1);
    constexpr int64_t most_ranks = 1'000'000;
    if (ranks > most_ranks) in.at("ranks").refuse(fmt::format("is more than {}", most_ranks));
    record_.nodes = in.at("nodes").whole_number(1);
    if (record_.nodes > ranks) in.at("nodes").refuse("is more than there are ranks");
    record_.calls.resize(static_cast<size_t>(ranks));
    record_.types.resize(static_cast<size_t>(ranks));
  }

  void read_end(const JsonPlace& in) {
    const JsonPlace lines = in.at("lines");
    if (lines.whole_number() != lines_ - 1)
      lines.refuse(fmt::format("does not count the {} lines before it", lines_ - 1));
    if (rank_ + 1 != record_.ranks())
      lines.refuse(fmt::format("comes before the lines of rank {}", rank_ + 1));
    ended_ = true;
  }

  void read_rank(const JsonPlace& in) {
    const JsonPlace rank = in.at("rank");
    if (rank.whole_number() != rank_ + 1 || rank_ + 1 >= record_.ranks())
      rank.refuse(fmt::format("is not the rank behind {}, of {}", rank_, record_.ranks()));
    ++rank_;
    files_.clear();
    times_.clear();
    started_.clear();
    numbers_.clear();
    full_of_rank_ = false;
  }

  std::vector<RecordedType>& types() { return record_.types[static_cast<size_t>(rank_)]; }
  std::vector<RecordedCall>& calls() { return record_.calls[static_cast<size_t>(rank_)]; }

  void read_type(const JsonPlace& in, const JsonPlace& number) {
    if (number.whole_number() != std::ssize(types()) + 1)
      number.refuse(fmt::format("is not the next number, {}", types().size() + 1));
    const JsonPlace text = in.at("nest");
    const std::vector<std::byte> bytes = bytes_of(text);
    std::span<const std::byte> left = bytes;
    auto nest = pattern::decode_nest(left);
    if (!nest) text.refuse("is no description of a datatype");
    const auto extent = pattern::decode_number(left);
    if (!extent || !left.empty()) text.refuse("is no description of a datatype");
    types().push_back({*nest, *extent});
  }

  int path_of(const std::string& name) {
    const auto [place, fresh] = path_numbers_.try_emplace(name, static_cast<int>(record_.paths.size()));
    if (fresh) record_.paths.push_back({name});
    return place->second;
  }

  std::vector<int> ranks_in(const JsonPlace& in) {
    std::vector<int> ranks;
    const auto given = in.find("ranks");
    if (!given) {
      for (int i = 0; i < record_.ranks(); ++i) ranks.push_back(i);
      return ranks;
    }
    std::set<int64_t> seen;
    for (const JsonPlace& one : given->list()) {
      const int64_t rank = one.whole_number();
      if (rank >= record_.ranks()) one.refuse(fmt::format("is no rank of {}", record_.ranks()));
      if (!seen.insert(rank).second) one.refuse("is there twice");
      ranks.push_back(static_cast<int>(rank));
    }
    if (!seen.contains(rank_)) given->refuse(fmt::format("is without rank {} itself", rank_));
    return ranks;
  }

  void read_open(const JsonPlace& in, RecordedCall& call) {
    const JsonPlace number = in.at("file");
    RecordedOpen open;
    open.ranks = ranks_in(in);
    open.path = path_of(in.at("path").text());
    open.size = in.at("size").whole_number();
    for (const JsonPlace& mode : in.at("mode").list())
      open.modes.emplace_back(recorded_modes[index_in(mode, recorded_modes)]);
    if (const auto hints = in.find("hints")) {
      for (const auto& [name, value] : hints->members()) open.hints[name] = value.text();
    }
    SameOpen same{open.ranks, open.path, 0};
    same.times_before = times_[same]++;
    const auto [place, fresh] = opens_.try_emplace(same, static_cast<int>(record_.opens.size()));
    if (!files_.try_emplace(number.whole_number(1), Open{place->second}).second)
      number.refuse("is a file that this rank has open already");
    extend(open.path, open.size);
    opened_by_[open.path].insert(rank_);
    if (fresh) record_.opens.push_back(std::move(open));
    call.open = place->second;
  }

  Open& file_of(const JsonPlace& in) {
    const JsonPlace number = in.at("file");
    const auto place = files_.find(number.whole_number());
    if (place == files_.end()) number.refuse("is a file that this rank has not open");
    return place->second;
  }

  void extend(int path, int64_t end) {
    int64_t& extent = record_.paths[static_cast<size_t>(path)].extent;
    extent = std::max(extent, end);
  }
  int path_of(const Open& file) const { return record_.opens[static_cast<size_t>(file.number)].path; }

  int type_in(const JsonPlace& in) {
    const auto type = in.find("type");
    if (!type) return -1;
    const int64_t number = type->whole_number(1);
    if (number > std::ssize(types())) type->refuse("is a datatype that no line before tells of");
    return static_cast<int>(number - 1);
  }

  void read_view(const JsonPlace& in, Open& file, RecordedCall& call) {
    call.position = in.at("displacement").whole_number();
    call.type = type_in(in);
    if (call.type >= 0) {
      const RecordedType& type = types()[static_cast<size_t>(call.type)];
      if (type.nest->size() > 0 && (type.nest->lower() < 0 || !type.nest->ascending()))
        in.at("type").refuse("is no datatype that a view can have");
    }
    file.view = access_of_view(record_, rank_, &call);
  }

  void read_transfer(const JsonPlace& in, const Open& file, RecordedCall& call) {
    call.kind = static_cast<Kind>(index_in(in.at("kind"), recorded_kinds));
    call.collective = in.at("collective").truth();
    index_in(in.at("pointer"), recorded_pointers);
    call.bytes = in.at("bytes").whole_number();
    constexpr int64_t most_bytes = int64_t{1} << 40;
    if (call.bytes > most_bytes) in.at("bytes").refuse("is more than memory holds");
    call.type = type_in(in);
    if (call.type >= 0 && call.bytes > 0) {
      const RecordedType& type = types()[static_cast<size_t>(call.type)];
      if (type.nest->size() == 0 || call.bytes % type.nest->size() != 0)
        in.at("bytes").refuse("is no whole number of the datatype's elements");
      if (!pattern::Access::of({type.nest, 0, type.extent}, 0, call.bytes / type.nest->size())
               .reaches(0, call.bytes))
        in.at("bytes").refuse("reaches further in memory than 64 bits can count");
    }
    if (call.kind != Kind::blocking) {
      const JsonPlace number = in.at("number");
      call.number = number.whole_number(1);
      if (!numbers_.insert(call.number).second) number.refuse("is that of another call too");
      started_[call.number] = calls().size();
    }
    if (const auto position = in.find("position")) {
      call.position = position->whole_number();
      check_place(*position, file, call);
    } else if (call.bytes > 0 && call.kind != Kind::split) {
      in.at("position");
    } else {
      call.position = no_place;
    }
  }

  // Where the transfer's bytes lie in the file.
  void check_place(const JsonPlace& position, const Open& file, const RecordedCall& call) {
    if (call.bytes == 0) return;
    const auto end = checked_add(call.position, call.bytes);
    if (file.view.empty() || !end || !file.view.reaches(call.position, *end))
      position.refuse("is not in the file's view");
    extend(path_of(file), file.view.bounds(call.position, *end).end);
  }

  RecordedCall& started(const JsonPlace& number) {
    const auto place = started_.find(number.whole_number(1));
    if (place == started_.end()) number.refuse("is no call of this rank that is under way");
    return calls()[place->second];
  }

  void read_place(const JsonPlace& in) {
    RecordedCall& call = started(in.at("number"));
    call.position = in.at("position").whole_number();
    for (const auto& [number, file] : files_) {
      if (file.number == call.open) check_place(in.at("position"), file, call);
    }
  }

  void read_call(const JsonPlace& in) {
    const size_t name = index_in(in.at("call"), call_names);
    if (name == name_of_place) return read_place(in);
    RecordedCall call;
    call.what = calls_named[name];
    call.operation = name == name_of_write ? Operation::write : Operation::read;
    call.idle_ns = in.at("idle_ns").whole_number();
    if (call.what == What::open) {
      read_open(in, call);
    } else if (call.what == What::remove) {
      call.path = path_of(in.at("path").text());
    } else if (call.what == What::wait) {
      const JsonPlace number = in.at("number");
      call.open = started(number).open;
      call.number = number.whole_number();
      started_.erase(call.number);
    } else {
      Open& file = file_of(in);
      call.open = file.number;
      if (call.what == What::view) read_view(in, file, call);
      if (call.what == What::transfer) read_transfer(in, file, call);
      if (const auto argument = in.find("size")) call.position = argument->whole_number();
      if (call.what == What::set_size || call.what == What::preallocate)
        extend(path_of(file), in.at("size").whole_number());
      if (call.what == What::close) files_.erase(in.at("file").whole_number());
    }
    calls().push_back(call);
  }

  Record record_;
  int64_t lines_ = 0;
  bool ended_ = false;
  std::map<SameOpen, int> opens_;
  std::map<std::string, int> path_numbers_;
  std::map<int, std::set<int>> opened_by_;  // ranks by path
  // Of the rank whose lines are read.
  int rank_ = -1;
  bool full_of_rank_ = false;
  std::map<int64_t, Open> files_;
  std::map<SameOpen, int> times_;
  std::map<int64_t, size_t> started_;  // indices of calls that are under way
  std::set<int64_t> numbers_;
};

// How many of a rank's first `calls` are made together with the other ranks of each open file, by file.
std::vector<int64_t> counted_together(const Record& record, int rank, size_t calls) {
  std::vector<int64_t> counts(record.opens.size());
  const auto& all = record.calls[static_cast<size_t>(rank)];
  for (size_t i = 0; i < calls; ++i) {
    if (all[i].is_together()) ++counts[static_cast<size_t>(all[i].open)];
  }
  return counts;
}

// Cuts each rank before its first call together that not all others have made, until none is left. The calls
// that then remain came to an end in the program, so they can be made again in the order of each rank.
void cut(Record& record) {
  std::vector<size_t> kept;
  std::vector<std::vector<int64_t>> counts;
  for (int rank = 0; rank < record.ranks(); ++rank) {
    kept.push_back(record.calls[static_cast<size_t>(rank)].size());
    counts.push_back(counted_together(record, rank, kept.back()));
    record.total_calls += static_cast<int64_t>(kept.back());
  }
  for (bool changed = true; std::exchange(changed, false);) {
    for (size_t i = 0; i < record.opens.size(); ++i) {
      int64_t least = INT64_MAX;
      for (const int rank : record.opens[i].ranks)
        least = std::min(least, counts[static_cast<size_t>(rank)][i]);
      for (const int rank : record.opens[i].ranks) {
        const auto r = static_cast<size_t>(rank);
        if (counts[r][i] == least) continue;
        int64_t met = 0;
        const auto& calls = record.calls[r];
        kept[r] = static_cast<size_t>(std::ranges::find_if(calls,
                                                           [&](const RecordedCall& call) {
                                                             return call.is_together() &&
                                                                    call.open == static_cast<int>(i) &&
                                                                    ++met > least;
                                                           }) -
                                      calls.begin());
        counts[r] = counted_together(record, rank, kept[r]);
        changed = true;
      }
    }
  }
  for (size_t r = 0; r < kept.size(); ++r) {
    record.left_out += static_cast<int64_t>(record.calls[r].size() - kept[r]);
    record.calls[r].resize(kept[r]);
  }
}

Record Reader::take() {
  for (const auto& [path, ranks] : opened_by_)
    record_.paths[static_cast<size_t>(path)].of_all_ranks = std::ssize(ranks) == record_.ranks();
  cut(record_);
  for (auto& calls : record_.calls) {
    for (RecordedCall& call : calls) {
      if (call.what == What::transfer && call.position == no_place) call.position = call.bytes = 0;
    }
  }
  return std::move(record_);
}

Error malformed_record(const std::string& path, int64_t line, const std::string& why) {
  return {ErrorKind::argument, 0, fmt::format("{}, line {}: {}; {}", path, line, why, again)};
}

}  // namespace

bool RecordedCall::is_together() const {
  if (open < 0 || what == What::wait) return false;
  return what != What::transfer || collective;
}

pattern::Access access_of_view(const Record& record, int rank, const RecordedCall* view) {
  if (!view) return pattern::Access::contiguous(0);
  if (view->type < 0) return pattern::Access::contiguous(view->position);
  const RecordedType& type = record.types[static_cast<size_t>(rank)][static_cast<size_t>(view->type)];
  return pattern::Access::of({type.nest, 0, type.extent}, view->position);
}

void for_each_transfer(const Record& record, int rank, const VisitTransfer& visit) {
  std::map<int, pattern::Access> views;
  for (const RecordedCall& call : record.calls[static_cast<size_t>(rank)]) {
    if (call.what == What::open) views[call.open] = access_of_view(record, rank, nullptr);
    if (call.what == What::view) views[call.open] = access_of_view(record, rank, &call);
    if (call.what == What::transfer && call.bytes > 0) visit(call, views[call.open]);
  }
}

Result<Record> parse_record(std::string_view text, const std::string& name) {
  Reader reader;
  int64_t number = 0;
  while (!text.empty()) {
    ++number;
    const auto document = JsonDocument::parse(take_until(text, '\n'));
    if (!document) return malformed_record(name, number, "this is no JSON: " + document.error().message);
    const auto read = read_json([&] {
      reader.read_line(JsonPlace::document(document->value(), "the line"));
      return true;
    });
    if (!read) return malformed_record(name, number, read.error().message);
  }
  if (number == 0) return malformed_record(name, 1, "the file is empty");
  if (!reader.ended())
    return malformed_record(name, number, "the file ends here, without the line that counts the others");
  return reader.take();
}

}  // namespace concilio::sim
