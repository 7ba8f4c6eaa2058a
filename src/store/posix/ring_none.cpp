// Used where there is no liburing to build with.
#include <cerrno>

#include "store/posix/ring.h"

namespace concilio::store {

Result<std::unique_ptr<Ring>> make_ring() {
  return Error::from_errno(ENOSYS, "Concilio was built without liburing");
}

}  // namespace concilio::store
