#include "mpiio/file/deferred.h"

#include <algorithm>
#include <utility>

#include "base/waiting.h"

namespace concilio::mpiio {
namespace {

// If several files can proceed, the ranks of a node must try the same one. They choose it by the clock that
// they share, and try it for one slot of this length.
constexpr int64_t slot_ns = 20'000'000;
// How long a test waits for the other ranks once all of them have come to a test before. The time is doubled
// after every such test that was in vain, so ranks that only test, however seldom, meet in the end.
constexpr int64_t first_patience_ns = 1'000'000;
constexpr int most_doublings = 8;
// How long a rank waits for the others before it settles its part. It has nothing else to do meanwhile, but
// what it moves alone is not brought together with the others' data. A program that tests may compute between
// its tests.
constexpr int64_t patience_of_wait_ns = 1'000'000'000, patience_of_next_wait_ns = 100'000'000;
constexpr int64_t patience_of_test_ns = 2'000'000'000;

}  // namespace

Deferred* Deferred::files_with_work_ = nullptr;

void Deferred::enlist() {
  Deferred** place = &files_with_work_;
  while (*place && (*place)->team_->number() < team_->number()) place = &(*place)->next_file_;
  next_file_ = std::exchange(*place, this);
}

void Deferred::withdraw() {
  Deferred** place = &files_with_work_;
  while (*place && *place != this) place = &(*place)->next_file_;
  if (*place) *place = next_file_;
}

Deferred::~Deferred() {
  while (first_) drop_first();
}

uint64_t Deferred::add(mpi::Team& team, Operation& operation) {
  team_ = &team;
  if (!first_) enlist();
  (first_ ? last_operation_->next_ : first_) = &operation;
  last_operation_ = &operation;
  ++waiting_;
  return last();
}

// Tries to carry out the first operation.
bool Deferred::attempt(int64_t patience_ns) {
  // An operation that throws is over too, because what it refers to goes away with its caller.
  struct Try {
    Deferred& file;
    bool over = true;
    ~Try() {
      file.team_->set_patience(mpi::Team::for_ever);
      if (over) file.drop_first();
    }
  } now{*this};
  team_->set_patience(patience_ns);
  return now.over = first_->attempt();
}

void Deferred::drop_first() {
  Operation& gone = *std::exchange(first_, first_->next_);
  --waiting_;
  ++done_;
  tests_in_vain_ = 0;
  if (settled_ < done_) waits_since_ns_ = 0;
  if (!first_) withdraw();
  gone.let_go();
}

// Carries out one operation of a file, the wanted one or another, if all ranks of the node come to it, or if
// it needs none of them. Ranks of other nodes cannot be asked whether they have come; they are waited for
// only if it is the wanted file. Such a file comes last in the choice: ranks of the node that want another
// file do not have it in theirs, and what they would try first must be the same.
bool Deferred::step(Deferred& wanted, int64_t patience_ns) {
  int64_t within = 0;
  for (Deferred* file = files_with_work_; file; file = file->next_file_) {
    if (file->first_is_apart()) return file->attempt(patience_ns);
    // A rank that is not wanted between nodes must not seem to come.
    if (file->within_a_node() || file == &wanted) file->team_->offer();
    file->ready_ = file->within_a_node() && file->team_->all_offer();
    within += file->ready_;
  }
  const int64_t between = !wanted.within_a_node() && wanted.team_->all_offer();
  if (within + between == 0) return false;
  int64_t before = now_ns() / slot_ns % (within + between);
  if (before == within) return wanted.attempt(patience_ns);
  Deferred* chosen = files_with_work_;
  while (!chosen->ready_ || before-- > 0) chosen = chosen->next_file_;
  return chosen->attempt(patience_ns);
}

// One try of a rank that waits for this file's operations.
void Deferred::try_first(int64_t patience_ns) {
  const bool alone = files_with_work_ == this && !next_file_;
  if (alone || first_is_apart()) {
    attempt(patience_ns);
  } else if (!step(*this, slot_ns - now_ns() % slot_ns)) {
    team_->make_progress();
    constexpr int64_t pause_ns = 200'000;
    sleep_ns(pause_ns);
  }
}

// Settles the next operation if the program has waited for it so long in vain. Between nodes a rank cannot
// leave: another node may have come to the operation already, and count on this one.
void Deferred::settle_after(int64_t patience_ns) {
  const bool waits = waits_since_ns_ != 0;  // not if an operation before it has just been carried out
  if (!waits || !within_a_node()) return;
  if (now_ns() - waits_since_ns_ < patience_ns) return;
  settled_ = std::max(settled_, done_);
  Operation* next = first_;
  for (uint64_t number = done_; number < settled_; ++number) next = next->next_;
  if (!next->settle()) return;
  ++settled_;
  waits_since_ns_ = 0;
  has_settled_ = true;
}

void Deferred::finish(uint64_t number) {
  while (done_ < number) try_first(mpi::Team::for_ever);
}

void Deferred::finish_part(uint64_t number) {
  while (!has_no_part(number)) {
    const int64_t patience_ns = !within_a_node() ? mpi::Team::for_ever
                                : has_settled_   ? patience_of_next_wait_ns
                                                 : patience_of_wait_ns;
    if (waits_since_ns_ == 0) waits_since_ns_ = now_ns();
    try_first(patience_ns);
    if (!has_no_part(number)) settle_after(patience_ns);
  }
}

bool Deferred::test(uint64_t number) {
  while (!has_no_part(number)) {
    const int64_t patience_ns = first_patience_ns << std::min(tests_in_vain_, most_doublings);
    const bool all_came = team_->all_offer();
    if (waits_since_ns_ == 0) waits_since_ns_ = now_ns();
    if (step(*this, patience_ns)) continue;
    if (has_no_part(number)) break;
    // Ranks that only test, however seldom, have come to meet in the end.
    if (all_came && ++tests_in_vain_ <= most_doublings) break;
    settle_after(patience_of_test_ns);
    break;
  }
  return has_no_part(number);
}

}  // namespace concilio::mpiio
