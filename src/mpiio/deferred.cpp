#include "mpiio/deferred.h"

#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/counters.h"

namespace concilio::mpiio {
namespace {

// Where several files could go on, all ranks of a node try the same one, by the clock that they share.
constexpr int64_t slot_ns = 20'000'000;
// A test waits so long when all have come to one before, and longer from time to time: so those who only test
// meet in the end, however seldom they do.
constexpr int64_t first_patience_ns = 1'000'000;
constexpr int most_doublings = 8;

// Whose operations wait. No lock: calls of such a program follow one another.
std::vector<Deferred*>& files_with_work() {
  static auto* files = new std::vector<Deferred*>;  // files may be used while the process ends
  return *files;
}

}  // namespace

Deferred::~Deferred() {
  std::erase(files_with_work(), this);
}

uint64_t Deferred::add(Team& team, Operation operation) {
  team_ = &team;
  if (waiting_.empty()) files_with_work().push_back(this);
  waiting_.push_back(std::move(operation));
  return last();
}

// The first operation.
bool Deferred::attempt(int64_t patience_ns) {
  // One that throws is over too: what it refers to is gone with its caller.
  struct Try {
    Deferred& file;
    bool over = true;
    ~Try() {
      file.team_->set_patience(Team::for_ever);
      if (over) file.drop_first();
    }
  } now{*this};
  team_->set_patience(patience_ns);
  return now.over = waiting_.front()();
}

void Deferred::drop_first() {
  waiting_.pop_front();
  ++done_;
  tests_in_vain_ = 0;
  if (waiting_.empty()) std::erase(files_with_work(), this);
}

// Carries out one operation of a file, the wanted one or another, if all ranks of the node come to it. Ranks
// of other nodes cannot be asked whether they have come: only for the wanted file they are waited for.
bool Deferred::step(Deferred& wanted, int64_t patience_ns) {
  std::vector<Deferred*> ready;
  for (Deferred* file : files_with_work()) {
    file->team_->offer();
    const bool eligible = file == &wanted || file->within_a_node();
    if (eligible && file->team_->all_offer()) ready.push_back(file);
  }
  if (ready.empty()) return false;
  std::ranges::sort(ready, {}, [](const Deferred* file) { return file->team_->number(); });
  return ready[static_cast<size_t>(now_ns() / slot_ns) % ready.size()]->attempt(patience_ns);
}

void Deferred::finish(uint64_t number) {
  while (done_ < number) {
    const auto& files = files_with_work();
    const bool alone = std::ranges::none_of(
        files, [&](const Deferred* file) { return file != this && file->within_a_node(); });
    if (alone || !within_a_node()) {
      attempt(Team::for_ever);
    } else if (!step(*this, slot_ns - now_ns() % slot_ns)) {
      team_->make_progress();
      constexpr unsigned pause_us = 200;
      usleep(pause_us);
    }
  }
}

bool Deferred::test(uint64_t number) {
  while (done_ < number) {
    const int64_t patience_ns = first_patience_ns << std::min(tests_in_vain_, most_doublings);
    const bool all_came = team_->all_offer();
    if (step(*this, patience_ns)) continue;
    if (done_ < number && all_came) ++tests_in_vain_;
    break;
  }
  return done_ >= number;
}

}  // namespace concilio::mpiio
