#include "mpi/nodes/leader_socket.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace concilio::mpi {
namespace {

// So many ranks at a time connect, are served, and take what they were given. The system lets no more than
// net.core.somaxconn wait, which is 128 before Linux 5.4, and refuses messages if more descriptors are under
// way in them than a process may have open.
constexpr int most_waiting = 100;

Descriptor new_socket() {
  return Descriptor(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

Descriptor listen_anywhere(LeaderAddress& address) {
  Descriptor listening = new_socket();
  sockaddr_un any{};
  any.sun_family = AF_UNIX;
  address.bytes = sizeof address.address;
  if (listening && bind(listening.number(), reinterpret_cast<sockaddr*>(&any), sizeof any.sun_family) == 0 &&
      listen(listening.number(), most_waiting) == 0 &&
      getsockname(listening.number(), reinterpret_cast<sockaddr*>(&address.address), &address.bytes) == 0) {
    return listening;
  }
  address = {};
  return Descriptor();
}

Descriptor connect_to(const LeaderAddress& address) {
  Descriptor connected = new_socket();
  const auto* to = reinterpret_cast<const sockaddr*>(&address.address);
  if (address.bytes == 0 || !connected || connect(connected.number(), to, address.bytes) != 0)
    return Descriptor();
  return connected;
}

// Any process on the machine may connect to an abstract address, so the leader serves only its own user's
// processes.
bool is_same_user(int connection) {
  ucred peer{};
  socklen_t bytes = sizeof peer;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &bytes) == 0 && peer.uid == geteuid();
}

// A message of one byte that carries one descriptor, or has room for one.
class Message {
 public:
  Message() {
    header_.msg_iov = &byte_;
    header_.msg_iovlen = 1;
    header_.msg_control = control_.data();
    header_.msg_controllen = control_.size();
  }
  Message(const Message&) = delete;

  void put(int number) {
    cmsghdr* part = CMSG_FIRSTHDR(&header_);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof number);
    std::memcpy(CMSG_DATA(part), &number, sizeof number);
  }
  Descriptor take() {
    int number = -1;
    const cmsghdr* part = CMSG_FIRSTHDR(&header_);
    if (part && part->cmsg_level == SOL_SOCKET && part->cmsg_type == SCM_RIGHTS)
      std::memcpy(&number, CMSG_DATA(part), sizeof number);
    return Descriptor(number);
  }
  msghdr* header() { return &header_; }

 private:
  char content_ = 0;
  iovec byte_{&content_, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control_{};
  msghdr header_{};
};

void give_to_all(const Descriptor& listening, int number) {
  for (;;) {
    const Descriptor connection(accept4(listening.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection) {
      if (errno == EINTR || errno == ECONNABORTED) continue;
      return;
    }
    if (!is_same_user(connection.number())) continue;
    Message message;
    message.put(number);
    while (sendmsg(connection.number(), message.header(), MSG_NOSIGNAL) < 0 && errno == EINTR) continue;
  }
}

Descriptor take_from(const Descriptor& connection) {
  Message message;
  ssize_t got = -1;
  do {
    got = connection ? recvmsg(connection.number(), message.header(), MSG_CMSG_CLOEXEC) : -1;
  } while (got < 0 && connection && errno == EINTR);
  return got > 0 ? message.take() : Descriptor();
}

}  // namespace

// The leader (rank 0 of the node) hands its descriptor to the others. The kernel completes a connection, and
// keeps a message ready, without any action of the other side. So no step has to wait for another rank,
// except at the barriers, which separate one side's step from the other side's next one.
Descriptor pass_descriptor(int rank, int ranks, int number, FunctionRef<void(LeaderAddress&)> tell,
                           FunctionRef<void()> meet) {
  if (ranks == 1) return Descriptor();
  const bool gives = rank == 0;
  LeaderAddress address;
  Descriptor listening, passed;
  if (gives && number >= 0) listening = listen_anywhere(address);
  tell(address);
  for (int first = 1; first < ranks; first += most_waiting) {
    const bool takes = first <= rank && rank < first + most_waiting;
    Descriptor connection;
    if (takes) connection = connect_to(address);
    meet();
    if (listening) give_to_all(listening, number);
    meet();
    if (takes) passed = take_from(connection);
  }
  return passed;
}

}  // namespace concilio::mpi
