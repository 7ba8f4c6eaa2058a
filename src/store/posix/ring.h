// Requests to the kernel that are under way side by side: Linux's io_uring. A ring takes about 12 KiB of
// memory, shared with the kernel.
#pragma once

#include <sys/uio.h>

#include <functional>
#include <memory>
#include <span>

#include "base/result.h"

namespace concilio {

// Most requests of one ring that are under way.
inline constexpr unsigned ring_depth = 64;

// For one thread at a time.
class Ring {
 public:
  virtual ~Ring() = default;

  struct Request {
    bool writes;
    int fd;
    std::span<const iovec> pieces;  // needed until turn() returns
    int64_t offset;
    unsigned tag;
  };
  // Prepares a request; no more than ring_depth may be prepared or under way. False: it was not taken.
  virtual bool queue(const Request& request) = 0;
  // Hands over what was queued and waits until a request is done. Calls done(tag, bytes or -errno) for each
  // that is. False: the ring broke; what it had under way is over, and neither told of nor known to have
  // been made.
  virtual bool turn(const std::function<void(unsigned tag, int result)>& done) = 0;
};

// The error has the system's errno; ENOSYS where Concilio was built without liburing.
Result<std::unique_ptr<Ring>> make_ring();

}  // namespace concilio
