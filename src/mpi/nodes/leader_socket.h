// The steps in which a node's ranks pass a descriptor. They meet in whatever way the caller has.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include "base/function_ref.h"
#include "base/system/descriptor.h"

namespace concilio::mpi {

// The abstract address that the kernel chose for the leader's socket, in the form in which it is sent to the
// other ranks.
struct LeaderAddress {
  socklen_t bytes = 0;  // 0: there is no socket
  sockaddr_un address{};
};
inline LeaderAddress combine(const LeaderAddress& a, const LeaderAddress& b) {
  return a.bytes > 0 ? a : b;
}

// One rank's part of pass_to_node (descriptor_passing.h). tell(address) tells all ranks of the node the
// leader's address; meet() is a barrier over these ranks.
Descriptor pass_descriptor(int rank, int ranks, int number, FunctionRef<void(LeaderAddress&)> tell,
                           FunctionRef<void()> meet);

}  // namespace concilio::mpi
