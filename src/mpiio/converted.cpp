#include "mpiio/converted.h"

#include <algorithm>

#include "base/exceptions.h"

namespace concilio::mpiio {
namespace {

// How many rounds a call takes.
struct Most {
  int64_t value = 0;
};
Most combine(const Most& a, const Most& b) {
  return {std::max(a.value, b.value)};
}

}  // namespace

int64_t Converted::end_of_round(int64_t begin) const {
  const int64_t room = std::max(staging_bytes_, conversion_.widest_item_bytes());
  if (whole_.bytes - begin <= room) return whole_.bytes;
  return conversion_.item_boundary(begin + room);
}

int64_t Converted::rounds() const {
  int64_t rounds = 0;
  for (int64_t at = 0; at < whole_.bytes; ++rounds) at = end_of_round(at);
  return rounds;
}

Status Converted::allocate(Budget& budget) {
  auto made = Buffer::allocate(
      budget, std::min(whole_.bytes, std::max(staging_bytes_, conversion_.widest_item_bytes())));
  if (!made) return made.error();
  staging_ = std::move(*made);
  return {};
}

Result<Request> Converted::next() {
  begin_ = end_;
  end_ = ended_ ? begin_ : end_of_round(begin_);
  Request round = whole_;
  round.buffer = staging_.data();
  round.position = whole_.position + begin_;
  round.bytes = end_ - begin_;
  if (reads() || round.bytes == 0) return round;
  auto status = without_exceptions([&] {
    return conversion_.to_file(whole_.buffer, {begin_, end_}, staging_.data());
  });
  if (!status) return status.error();
  return round;
}

Status Converted::take(int64_t moved_bytes) {
  if (moved_bytes < end_ - begin_) {
    ended_ = true;
    end_ = conversion_.item_boundary(begin_ + moved_bytes);
  }
  if (!reads() || end_ == begin_) return {};
  return without_exceptions([&] {
    return conversion_.from_file(whole_.buffer, {begin_, end_}, staging_.data());
  });
}

Outcome Converted::run_alone(Budget& budget, const RunAlone& run) {
  if (auto status = allocate(budget); !status) return status.error();
  while (!ended_ && end_ < whole_.bytes) {
    auto round = next();
    if (!round) return round.error();
    auto moved = run(*round);
    if (!moved) return moved;
    if (auto status = take(*moved); !status) return status.error();
  }
  return conversion_.native_bytes(end_);
}

Outcome Converted::run_together(Engine& engine, Status trouble, const RunTogether& run, const Agree& agree) {
  if (trouble) trouble = without_exceptions([&] { return allocate(engine.budget); });
  // One round at least, in which the ranks hear of each other's trouble.
  Most most{std::max<int64_t>(1, trouble ? rounds() : 0)};
  if (!engine.team.allreduce(most)) return engine.team.failure().error();
  for (int64_t left = most.value; left > 0; --left) {
    Request request = whole_;
    request.bytes = 0;
    if (trouble) {
      if (auto round = next())
        request = *round;
      else
        trouble = round.error();
    }
    auto moved = run(request, trouble);
    if (!moved) return moved;
    trouble = take(*moved);
  }
  if (reads()) trouble = agree(trouble);
  if (!trouble) return trouble.error();
  return conversion_.native_bytes(end_);
}

}  // namespace concilio::mpiio
