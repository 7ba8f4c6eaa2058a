// Requests to a file that are no more than one system call each. For a request of a few bytes, what is around
// the call takes as long as the call.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/operation.h"
#include "base/system/cached_file.h"
#include "store/store.h"

namespace concilio::store {

class PlainRequests {
 public:
  PlainRequests() = default;  // there are none
  explicit PlainRequests(StoreFile& file)
      : descriptors_{file.descriptor_of_plain(Operation::read), file.descriptor_of_plain(Operation::write)} {}

  // Moves all bytes, at least one, and returns how many; or a negative number: then the request is to be made
  // as StoreFile makes it, which says why it fails, goes on where it was interrupted, and knows whether bytes
  // are worth to be copied on the way.
  int64_t move(Operation operation, const Transfer& transfer) const {
    const int descriptor = descriptors_[static_cast<size_t>(operation)];
    if (descriptor < 0 || is_slow_request(operation, transfer.data, transfer.length, transfer.offset))
      return -1;
    const ssize_t moved =
        move_plainly(descriptor, operation, transfer.data, transfer.length, transfer.offset);
    return moved == transfer.length ? moved : -1;
  }

 private:
  std::array<int, 2> descriptors_ = {-1, -1};
};

}  // namespace concilio::store
