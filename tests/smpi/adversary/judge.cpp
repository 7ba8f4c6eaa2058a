#include "judge.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "common/random.h"
#include "oracle/user_buffer.h"

namespace adversary {

using oracle::Access;
using oracle::Cell;
using oracle::Op;
using oracle::OpKind;
using oracle::UserBuffer;

namespace {

std::vector<char> contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

const char* name_of(Call call) {
  static const char* const names[] = {"open",        "transfer", "set_view", "set_size",
                                      "preallocate", "sync",     "get_size", "close"};
  return names[static_cast<int>(call)];
}

std::string place(const Record& record, int rank) {
  return std::string(name_of(record.call)) + " of open " + std::to_string(record.opening) + ", op " +
         std::to_string(record.op) + ", rank " + std::to_string(rank) + ": ";
}

}  // namespace

Judge::Judge(Trial& trial) : trial_(trial) {
  model_.reset(trial.plan.initial_bytes, tests::mix(trial.plan.seed, 1));
  least_size_ = size_seen_ = model_.size();
  untold_.assign(trial.plan.openings.size(), false);
  owed_.assign(trial.plan.openings.size(), std::vector<Owed>(static_cast<size_t>(trial.plan.ranks)));
  std::ofstream file(trial.path, std::ios::binary | std::ios::trunc);
  for (int64_t i = 0; i < model_.size(); ++i) file.put(static_cast<char>(model_[i]));
}

std::string Judge::look() {
  excused_ = may_fail();
  failures_ = false;
  bool unsaved = false;
  for (; judged_ < trial_.records.size(); ++judged_) {
    const Record& record = trial_.records[judged_];
    look_at(record);
    const bool saves = record.call == Call::sync || record.call == Call::close;
    for (const Outcome& outcome : record.of_rank) unsaved |= saves && outcome.failed;
  }
  if (failures_ && trial_.holds_back) {
    for (const auto& [offset, values] : before_) {
      for (const uint8_t value : values) doubt(offset, value);
    }
  }
  if (mistake_.empty()) check_file();
  // What is held back after a call that failed may still come, or be lost.
  if (mistake_.empty() && !(unsaved && trial_.holds_back)) believe_file();
  return mistake_;
}

bool Judge::may_fail() {
  const std::vector<char> record = contents(trial_.faults_path + ".struck");
  const int64_t strikes = std::count(record.begin(), record.end(), '\n');
  const bool more = strikes > strikes_ || trial_.allocation_failed;
  strikes_ = strikes;
  lock_stays_ = std::string_view(record.data(), record.size()).find("unlock\n") != std::string_view::npos;
  trial_.allocation_failed = false;
  mix_in(static_cast<uint64_t>(strikes));
  return more && trial_.disturbance.errors;
}

void Judge::look_at(const Record& record) {
  const size_t ranks = record.of_rank.size();
  bool tells = false;  // of an error that another rank has met before
  for (size_t rank = 0; rank < ranks; ++rank) {
    const Outcome& outcome = record.of_rank[rank];
    mix_in(outcome.called + 2u * outcome.failed + 4 * static_cast<uint64_t>(outcome.count));
    for (const uint8_t byte : outcome.bytes) mix_in(byte);
    if (!outcome.failed) continue;
    failures_ = saw_failures_ = true;
    const bool locked_out = lock_stays_ && outcome.message.ends_with("MPI_ERR_FILE_IN_USE");
    if (excused_ || locked_out) continue;
    tells |= record.collective && untold_[record.opening];
    if (!tells) wrong(place(record, static_cast<int>(rank)) + "failed for no reason: " + outcome.message);
  }
  if (tells) untold_[record.opening] = false;
  if (record.collective) check_agreement(record);
  if (record.call == Call::transfer && trial_.plan.ops[record.op].kind == OpKind::write) {
    apply_write(record);
  } else if (record.call == Call::transfer) {
    for (size_t rank = 0; rank < ranks; ++rank) check_read(record, static_cast<int>(rank));
  } else if (record.call == Call::set_size || record.call == Call::preallocate) {
    change_size(record);
  } else if (record.call == Call::get_size) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      const Outcome& outcome = record.of_rank[rank];
      if (!outcome.failed && (outcome.count < least_size_ || outcome.count > model_.size())) {
        wrong(place(record, static_cast<int>(rank)) + "the file has " + std::to_string(outcome.count) +
              " bytes, and must have " + std::to_string(least_size_) + " to " +
              std::to_string(model_.size()));
      }
    }
  }
}

// Ranks that open a file together succeed together or fail together. Where they need not meet, the others
// hear of an error when they do; where they have met to set a view, in the next call that moves data.
void Judge::check_agreement(const Record& record) {
  std::vector<Owed>& owed = owed_[record.opening];
  const oracle::Openers openers = trial_.plan.openings[record.opening].openers;
  const auto ranks = static_cast<int>(record.of_rank.size());
  const bool moves = record.call == Call::transfer, meets = !moves;
  for (int rank = 0; rank < ranks; ++rank) {
    const Outcome& mine = record.of_rank[static_cast<size_t>(rank)];
    Owed& its = owed[static_cast<size_t>(rank)];
    const bool saves = record.call == Call::sync || record.call == Call::close;
    if (!mine.failed && ((moves && its == Owed::now) || (saves && its != Owed::nothing)))
      wrong(place(record, rank) + "does not tell of another rank's error");
    if (mine.failed) its = Owed::nothing;
    if (its == Owed::later && record.call == Call::set_view) its = Owed::now;
    for (int other = 0; other < ranks; ++other) {
      if (group_of(openers, rank) != group_of(openers, other) || mine.failed ||
          !record.of_rank[static_cast<size_t>(other)].failed)
        continue;
      if (meets || !trial_.apart)
        wrong(place(record, rank) + "succeeded, and failed on rank " + std::to_string(other));
      if (its == Owed::nothing) its = Owed::later;
      untold_[record.opening] = true;
    }
    if (saves) untold_[record.opening] = false;
  }
}

void Judge::apply_write(const Record& record) {
  const Op& op = trial_.plan.ops[record.op];
  const auto byte_of_cell = [&](int rank, int64_t at, const Cell& cell, int64_t low) {
    return op.same_bytes ? tests::byte_of(trial_.plan.seed, at)
                         : tests::byte_of(stream_of(trial_, record.op, rank), cell.place - low);
  };
  // What one rank wrote is there, also if another one failed to write the same.
  for (const bool failed : {true, false}) {
    for (int rank = 0; rank < trial_.plan.ranks; ++rank) {
      const Outcome& outcome = record.of_rank[static_cast<size_t>(rank)];
      const Access& access = op.accesses[static_cast<size_t>(rank)];
      if (!outcome.called || outcome.failed != failed || access.file.empty()) continue;
      const int64_t low = UserBuffer(access, 0).low();
      int64_t end = 0;
      for (const auto& piece : access.file) end = std::max(end, piece.offset + piece.length);
      model_.grow(end);
      if (!failed) least_size_ = std::max(least_size_, end);
      for_each_cell(access, [&](int64_t at, const Cell& cell) {
        const uint8_t value = byte_of_cell(rank, at, cell, low);
        if (trial_.holds_back) before_[at].push_back(model_[at]);
        if (failed) {
          doubt(at, value);
        } else {
          keep(at, value);
        }
      });
      if (outcome.changed_the_buffer) wrong(place(record, rank) + "a write changed the caller's buffer");
      if (!failed && outcome.count >= 0 && outcome.count != access.bytes)
        wrong(place(record, rank) + "wrote " + std::to_string(outcome.count) + " of " +
              std::to_string(access.bytes) + " bytes");
    }
  }
}

void Judge::check_read(const Record& record, int rank) {
  const Outcome& outcome = record.of_rank[static_cast<size_t>(rank)];
  if (!outcome.called) return;
  const Access& access = trial_.plan.ops[record.op].accesses[static_cast<size_t>(rank)];
  const UserBuffer before(access, stream_of(trial_, record.op, rank));
  std::vector<bool> seen(before.bytes().size());
  const int64_t surely_there = saw_failures_ ? std::min(least_size_, size_seen_) : least_size_;
  int64_t least = 0, most = 0;
  for_each_cell(access, [&](int64_t from, const Cell& cell) {
    const auto at = static_cast<size_t>(cell.place - before.low());
    // While a rank reads, the case lets others make the file longer only where that rank cannot notice. But
    // if a call has failed, the file was shorter than the case knows.
    const bool there = from < model_.size();
    if (!there && !saw_failures_) return;
    seen[at] = true;
    ++most;
    least += from < surely_there;
    const bool unread = from >= surely_there && outcome.bytes[at] == before.bytes()[at];
    // A call that failed says nothing of what it read.
    if (!outcome.failed && !unread && !(there ? possible(from, outcome.bytes[at]) : outcome.bytes[at] == 0)) {
      wrong(place(record, rank) + "byte " + std::to_string(from) + " of the file was read as " +
            std::to_string(outcome.bytes[at]) +
            (there ? ", and is " + std::to_string(model_[from]) : ", behind its end"));
    }
  });
  for (size_t at = 0; at < seen.size(); ++at) {
    if (!seen[at] && outcome.bytes[at] != before.bytes()[at])
      wrong(place(record, rank) + "changed byte " + std::to_string(static_cast<int64_t>(at) + before.low()) +
            " of the buffer, which it should leave alone, to " + std::to_string(outcome.bytes[at]));
  }
  if (!outcome.failed && outcome.count >= 0 && (outcome.count < least || outcome.count > most))
    wrong(place(record, rank) + "read " + std::to_string(outcome.count) + " bytes, and must read " +
          std::to_string(least) + " to " + std::to_string(most));
}

void Judge::change_size(const Record& record) {
  const bool failed = std::any_of(record.of_rank.begin(), record.of_rank.end(),
                                  [](const Outcome& outcome) { return outcome.failed; });
  const int64_t size = trial_.plan.ops[record.op].size;
  if (record.call == Call::preallocate) {
    model_.grow(size);
    if (!failed) least_size_ = std::max(least_size_, size);
  } else if (!failed) {
    model_.resize(size);
    or_.erase(or_.lower_bound(size), or_.end());
    before_.erase(before_.lower_bound(size), before_.end());
    least_size_ = size;
  } else {
    model_.grow(size);
    least_size_ = std::min(least_size_, size);
    for (int64_t at = size; at < model_.size(); ++at) doubt(at, 0);
  }
}

void Judge::check_file() {
  const std::vector<char> bytes = contents(trial_.path);
  const int64_t size = std::ssize(bytes);
  if (size < least_size_ || size > model_.size()) {
    return wrong("the file has " + std::to_string(size) + " bytes, and must have " +
                 std::to_string(least_size_) + " to " + std::to_string(model_.size()));
  }
  for (int64_t at = 0; at < size; ++at) {
    const auto found = static_cast<uint8_t>(bytes[static_cast<size_t>(at)]);
    mix_in(found);
    if (!possible(at, found)) {
      return wrong("byte " + std::to_string(at) + " of the file is " + std::to_string(found) +
                   ", and must be " + std::to_string(model_[at]) + (or_.contains(at) ? " or others" : ""));
    }
  }
}

void Judge::believe_file() {
  const std::vector<char> bytes = contents(trial_.path);
  model_.resize(std::ssize(bytes));
  least_size_ = model_.size();
  for (int64_t at = 0; at < model_.size(); ++at)
    model_.set(at, static_cast<uint8_t>(bytes[static_cast<size_t>(at)]));
  size_seen_ = model_.size();
  or_.clear();
  before_.clear();
}

void Judge::keep(int64_t offset, uint8_t value) {
  model_.set(offset, value);
  or_.erase(offset);
}

void Judge::doubt(int64_t offset, uint8_t value) {
  if (model_[offset] != value) or_[offset].push_back(value);
}

bool Judge::possible(int64_t offset, uint8_t value) const {
  if (model_[offset] == value) return true;
  const auto others = or_.find(offset);
  return others != or_.end() &&
         std::find(others->second.begin(), others->second.end(), value) != others->second.end();
}

void Judge::mix_in(uint64_t value) {
  hash_ = tests::mix(hash_, value);
}

}  // namespace adversary
