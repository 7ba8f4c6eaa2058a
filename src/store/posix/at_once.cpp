#include "store/posix/at_once.h"

#include <cerrno>

namespace concilio::store {

namespace {

// One request: a stretch of the file, which adjacent transfers make up.
struct Slot {
  enum class State { free, ready, under_way } state = State::free;
  Progress progress;     // this and the next two: what is left to do
  int64_t position = 0;  // counted along the transfers
  int64_t left_bytes = 0;
  Gathered asked;
  bool alone = false;  // made without the ring, through which the kernel did not take it
};

class Mover {
 public:
  Mover(Ring& ring, int fd, StoreOperation operation, std::span<const Transfer> transfers,
        const SyscallHook& hook)
      : ring_(ring), fd_(fd), operation_(operation), hook_(hook), next_(transfers) {}

  AtOnceOutcome run() {
    for (bool works = true; works;) {
      const auto done = [this](unsigned tag, int result) { finish(tag, result); };
      if (!fill() || (under_way_ > 0 && !ring_.turn(done))) {
        outcome_.ring_broke = true;
        return outcome_;
      }
      works = under_way_ > 0 || some_ready();
    }
    outcome_.done_bytes = std::min(stop_position_, next_position_);
    return outcome_;
  }

 private:
  enum class Taken { yes, no_room, refused };

  // Submits the requests that are ready, and begins more, as long as there are slots, and pieces for their
  // vectors. Returns false if the ring accepts nothing while nothing is under way.
  bool fill() {
    used_ = 0;
    for (unsigned tag = 0; tag < slots_.size(); ++tag) {
      Slot& slot = slots_[tag];
      if (slot.state == Slot::State::free) begin(slot);
      if (slot.state != Slot::State::ready) continue;
      if (slot.position >= stop_position_) {
        slot.state = Slot::State::free;
        continue;
      }
      const Taken taken = ask(tag);
      if (taken == Taken::refused) return under_way_ > 0;
      if (taken == Taken::no_room) return true;
    }
    return true;
  }

  void begin(Slot& slot) {
    if (stop_position_ != INT64_MAX) return;
    const int64_t bytes = next_.adjacent_bytes(most_call_bytes);
    if (bytes == 0) return;
    slot = {Slot::State::ready, next_, next_position_, bytes, {}, false};
    next_.advance(bytes);
    next_position_ += bytes;
  }

  Taken ask(unsigned tag) {
    Slot& slot = slots_[tag];
    const std::span<iovec> room = std::span(pieces_).subspan(used_);
    slot.asked = slot.progress.gather(room, slot.left_bytes);
    // A request gets a vector of full length, so it waits if others have used part of the pieces.
    if (slot.asked.bytes < slot.left_bytes && used_ > 0) return Taken::no_room;
    if (hook_) {
      const SyscallOutcome outcome = hook_(operation_, slot.asked.bytes);
      if (outcome.system_errno) {
        settle(slot, -outcome.system_errno);
        return Taken::yes;
      }
      if (outcome.most_bytes < slot.asked.bytes) {
        slot.asked = slot.progress.gather(room, std::max<int64_t>(outcome.most_bytes, 1));
      }
    }
    if (slot.alone) {
      const auto call = operation_ == StoreOperation::read ? preadv : pwritev;
      const ssize_t moved = call(fd_, room.data(), static_cast<int>(slot.asked.count), slot.asked.offset);
      settle(slot, moved < 0 ? -errno : moved);
      return Taken::yes;
    }
    const bool writes = operation_ == StoreOperation::write;
    if (!ring_.queue({writes, fd_, room.first(slot.asked.count), slot.asked.offset, tag})) {
      return Taken::refused;
    }
    used_ += slot.asked.count;
    slot.state = Slot::State::under_way;
    ++under_way_;
    return Taken::yes;
  }

  void finish(unsigned tag, int result) {
    --under_way_;
    Slot& slot = slots_[tag];
    if (result == -EAGAIN) {
      slot.alone = true;
      slot.state = Slot::State::ready;
    } else {
      settle(slot, result);
    }
  }

  // `result` is how many bytes were moved, or -errno.
  void settle(Slot& slot, int64_t result) {
    slot.state = Slot::State::ready;
    if (result == -EINTR) return;
    if (result > 0) {
      slot.progress.advance(result);
      slot.position += result;
      slot.left_bytes -= result;
      if (slot.left_bytes == 0) slot.state = Slot::State::free;
      return;
    }
    slot.state = Slot::State::free;
    if (slot.position >= stop_position_) return;
    stop_position_ = slot.position;
    // No disk answers a write with 0 bytes, so that is an error. For a read it is the end of the file.
    const bool ended = result == 0 && operation_ == StoreOperation::read;
    outcome_.system_errno = ended ? 0 : result == 0 ? EIO : static_cast<int>(-result);
    outcome_.failed = slot.asked;
  }

  bool some_ready() const {
    return std::any_of(slots_.begin(), slots_.end(),
                       [](const Slot& slot) { return slot.state == Slot::State::ready; }) ||
           (stop_position_ == INT64_MAX && next_.adjacent_bytes(1) > 0);
  }

  Ring& ring_;
  const int fd_;
  const StoreOperation operation_;
  const SyscallHook& hook_;
  Progress next_;                      // the first byte that no request was begun for
  int64_t next_position_ = 0;          // the same, counted along the transfers
  int64_t stop_position_ = INT64_MAX;  // of the first failure or the end of the file
  int under_way_ = 0;
  size_t used_ = 0;  // of pieces_, in the vectors of requests that the kernel has not yet taken
  AtOnceOutcome outcome_;
  std::array<Slot, ring_depth> slots_;
  Pieces pieces_;
};

}  // namespace

AtOnceOutcome move_at_once(Ring& ring, int fd, StoreOperation operation, std::span<const Transfer> transfers,
                           const SyscallHook& hook) {
  return Mover(ring, fd, operation, transfers, hook).run();
}

}  // namespace concilio::store
