#include "base/job/first_on_node.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <functional>

namespace concilio {
namespace {

// A name of the job. Open MPI's launcher sets one. With other launchers, all ranks of a job on a node have
// the same parent.
std::string job() {
  const char* name = std::getenv("PMIX_NAMESPACE");
  return name ? name : std::to_string(getppid());
}

}  // namespace

// Only one process can bind a socket to an abstract address (one without a file). The address is free again
// when that process ends, however it ends.
bool first_on_node(const std::string& text) {
  const int socket = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return true;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name =
      fmt::format("concilio-{}-{:x}", getuid(), std::hash<std::string>()(job() + '\n' + text));
  const size_t length = name.copy(address.sun_path + 1, sizeof address.sun_path - 1);
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
  if (bind(socket, reinterpret_cast<const sockaddr*>(&address), bytes) == 0)
    return true;  // the socket stays open, and with it the claim
  const bool taken = errno == EADDRINUSE;
  close(socket);
  return !taken;
}

}  // namespace concilio
