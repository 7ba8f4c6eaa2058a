#include <liburing.h>

#include <cerrno>

#include "store/posix/ring.h"

namespace concilio::store {

namespace {

// With these features, the kernel copies the vectors of pieces when it takes a request, and never drops a
// completion.
constexpr unsigned needed_features = IORING_FEAT_SUBMIT_STABLE | IORING_FEAT_NODROP;

class Uring : public Ring {
 public:
  Uring() = default;
  Uring(const Uring&) = delete;
  ~Uring() override {
    if (made_) io_uring_queue_exit(&ring_);
  }

  // Returns 0 or -errno.
  int make() {
    io_uring_params params{};
    const int failed = io_uring_queue_init_params(ring_depth, &ring_, &params);
    if (failed) return failed;
    made_ = true;
    return (params.features & needed_features) == needed_features ? 0 : -ENOSYS;
  }

  bool queue(const Request& request) override {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    if (!entry) return false;
    const auto count = static_cast<unsigned>(request.pieces.size());
    const auto offset = static_cast<__u64>(request.offset);
    if (request.writes) {
      io_uring_prep_writev(entry, request.fd, request.pieces.data(), count, offset);
    } else {
      io_uring_prep_readv(entry, request.fd, request.pieces.data(), count, offset);
    }
    entry->user_data = request.tag;
    ++queued_;
    return true;
  }

  bool turn(const std::function<void(unsigned, int)>& done) override {
    while (queued_ > 0) {
      const int taken = io_uring_submit_and_wait(&ring_, 1);
      if (taken > 0) {
        queued_ -= taken;
        under_way_ += taken;
        continue;
      }
      if (taken == -EINTR) continue;
      // The kernel lacks a resource that requests under way will give back.
      const bool busy = taken == 0 || taken == -EAGAIN || taken == -EBUSY;
      if (!busy || under_way_ == 0 || !wait()) return broken();
      reap(done);
    }
    if (under_way_ > 0 && !wait()) return broken();
    reap(done);
    return true;
  }

 private:
  bool wait() {
    for (;;) {
      io_uring_cqe* entry = nullptr;
      const int failed = io_uring_wait_cqe(&ring_, &entry);
      if (failed == 0) return true;
      if (failed != -EINTR && failed != -EAGAIN) return false;
    }
  }

  void reap(const std::function<void(unsigned, int)>& done) {
    io_uring_cqe* entry = nullptr;
    while (under_way_ > 0 && io_uring_peek_cqe(&ring_, &entry) == 0) {
      const auto tag = static_cast<unsigned>(entry->user_data);
      const int result = entry->res;
      io_uring_cqe_seen(&ring_, entry);
      --under_way_;
      done(tag, result);
    }
  }

  // The kernel uses the memory of requests until they are over, so they are waited for.
  bool broken() {
    while (under_way_ > 0 && wait()) reap([](unsigned, int) {});
    return false;
  }

  io_uring ring_{};
  bool made_ = false;
  int queued_ = 0, under_way_ = 0;
};

}  // namespace

Result<std::unique_ptr<Ring>> make_ring() {
  auto ring = std::make_unique<Uring>();
  if (const int failed = ring->make()) return Error::from_errno(-failed, "io_uring");
  return std::unique_ptr<Ring>(std::move(ring));
}

}  // namespace concilio::store
