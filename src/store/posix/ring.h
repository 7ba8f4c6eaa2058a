// Requests to the kernel that are under way at the same time: Linux's io_uring. A ring takes about 12 KiB of
// memory, which is shared with the kernel.
#pragma once

#include <sys/uio.h>

#include <functional>
#include <memory>
#include <span>

#include "base/result.h"

namespace concilio::store {

// The most requests of one ring that can be under way.
inline constexpr unsigned ring_depth = 64;

// Only one thread may use a ring at a time.
class Ring {
 public:
  virtual ~Ring() = default;

  struct Request {
    bool writes;
    int fd;
    std::span<const iovec> pieces;  // must stay valid until turn() returns
    int64_t offset;
    unsigned tag;
  };
  // Prepares a request. No more than ring_depth may be prepared or under way. Returns false if it was not
  // accepted.
  virtual bool queue(const Request& request) = 0;
  // Submits what was queued and waits until at least one request is done. Calls done(tag, bytes or -errno)
  // for each that is. Returns false if the ring broke: requests that were under way are over, but done() is
  // not called for them, and whether they were carried out is not known.
  virtual bool turn(const std::function<void(unsigned tag, int result)>& done) = 0;
};

// The error has the system's errno; it is ENOSYS if Concilio was built without liburing.
Result<std::unique_ptr<Ring>> make_ring();

}  // namespace concilio::store
