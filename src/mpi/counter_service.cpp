#include "mpi/counter_service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <system_error>
#include <thread>
#include <vector>

namespace concilio {
namespace {

struct Question {
  uint64_t token, id;
  int64_t operation, operand;
};
struct Answer {
  int64_t known, before;
};

constexpr int connect_timeout_ms = 5000;
constexpr int answer_timeout_s = 60;
// Idle connections beyond this are closed, so that many ranks do not use up the process's descriptors; who
// asks again connects again.
constexpr size_t most_connections = 128;

sockaddr_in6 mapped(const sockaddr_in& four) {
  sockaddr_in6 six{};
  six.sin6_family = AF_INET6;
  six.sin6_addr.s6_addr[10] = six.sin6_addr.s6_addr[11] = 0xff;
  std::memcpy(&six.sin6_addr.s6_addr[12], &four.sin_addr, 4);
  return six;
}

// The host's addresses, those that lead to other hosts first.
std::vector<sockaddr_in6> own_addresses() {
  std::vector<sockaddr_in6> outside, inside;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || !(one->ifa_flags & IFF_UP) || one->ifa_addr->sa_family != AF_INET) continue;
    auto& list = one->ifa_flags & IFF_LOOPBACK ? inside : outside;
    list.push_back(mapped(*reinterpret_cast<const sockaddr_in*>(one->ifa_addr)));
  }
  for (const ifaddrs* one = all; one; one = one->ifa_next) {
    if (!one->ifa_addr || !(one->ifa_flags & IFF_UP) || one->ifa_addr->sa_family != AF_INET6) continue;
    auto address = *reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
    // Link-local addresses mean nothing without the asker's own interface.
    if (!(one->ifa_flags & IFF_LOOPBACK) && !IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr)) {
      outside.push_back(address);
    }
  }
  freeifaddrs(all);
  const size_t room = CounterAddress::max_hosts - std::min<size_t>(inside.size(), 1);
  if (outside.size() > room) outside.resize(room);
  if (!inside.empty()) outside.push_back(inside.front());
  return outside;
}

class Service {
 public:
  static Service& instance() {
    static auto* service = new Service;  // its thread ends with the process
    return *service;
  }

  CounterAddress offer(std::atomic<int64_t>* value) {
    std::lock_guard lock(mutex_);
    CounterAddress address;
    if (listening_ < 0) {
      auto status = start();
      if (!status) {
        status.error().message.copy(address.why_not, sizeof address.why_not - 1);
        return address;
      }
    }
    address.token = token_;
    address.id = next_id_++;
    for (sockaddr_in6 host : own_addresses()) {
      host.sin6_port = port_;
      address.host[address.hosts++] = host;
    }
    counters_.emplace(address.id, value);
    return address;
  }
  void withdraw(uint64_t id) {
    std::lock_guard lock(mutex_);
    counters_.erase(id);
  }

 private:
  struct Connection {
    int socket;
    size_t received = 0;
    Question question{};
  };

  static Error failure(const char* what) {
    return {ErrorKind::communication, errno, fmt::format("{}: {}", what, std::strerror(errno))};
  }

  Status start() {
    if (getrandom(&token_, sizeof token_, 0) != sizeof token_) return failure("no random token");
    int made = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool six = made >= 0;
    if (!six) made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (made < 0) return failure("no socket");
    int off = 0;
    sockaddr_in6 any{};
    any.sin6_family = AF_INET6;
    sockaddr_in any_four{};
    any_four.sin_family = AF_INET;
    if (six) setsockopt(made, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    int bound = six ? bind(made, reinterpret_cast<sockaddr*>(&any), sizeof any)
                    : bind(made, reinterpret_cast<sockaddr*>(&any_four), sizeof any_four);
    socklen_t length = sizeof any;
    if (bound != 0 || listen(made, 128) != 0 ||
        getsockname(made, reinterpret_cast<sockaddr*>(&any), &length) != 0) {
      Error error = failure("cannot listen");
      ::close(made);
      return error;
    }
    port_ = any.sin6_port;  // lies where sockaddr_in has it
    listening_ = made;
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    Status status;
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::system_error&) {
      ::close(made);
      listening_ = -1;
      status = Error{ErrorKind::communication, 0, "no thread to answer"};
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return status;
  }

  [[noreturn]] void serve() {
    pthread_setname_np(pthread_self(), "concilio");
    std::vector<Connection> connections;  // least recently used first
    std::vector<pollfd> polled;
    for (;;) {
      polled.assign(1, {listening_, POLLIN, 0});
      for (const Connection& connection : connections) polled.push_back({connection.socket, POLLIN, 0});
      if (poll(polled.data(), polled.size(), -1) < 0) continue;
      std::vector<Connection> idle, used;
      for (size_t i = 0; i < connections.size(); ++i) {
        if (polled[i + 1].revents == 0) {
          idle.push_back(connections[i]);
        } else if (hear(connections[i])) {
          used.push_back(connections[i]);
        } else {
          ::close(connections[i].socket);
        }
      }
      if (polled[0].revents) accept_one(used);
      idle.insert(idle.end(), used.begin(), used.end());
      connections = std::move(idle);
      while (connections.size() > most_connections && connections.front().received == 0) {
        ::close(connections.front().socket);
        connections.erase(connections.begin());
      }
    }
  }

  void accept_one(std::vector<Connection>& connections) {
    int accepted = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) return;
    int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections.push_back({accepted});
  }

  // False: the connection is of no more use.
  bool hear(Connection& connection) {
    auto* into = reinterpret_cast<char*>(&connection.question);
    ssize_t got =
        recv(connection.socket, into + connection.received, sizeof(Question) - connection.received, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    connection.received += static_cast<size_t>(got);
    if (connection.received < sizeof(Question)) return true;
    connection.received = 0;
    if (connection.question.token != token_) return false;
    Answer answer = reply_to(connection.question);
    return send(connection.socket, &answer, sizeof answer, MSG_NOSIGNAL) == sizeof answer;
  }

  Answer reply_to(const Question& question) {
    std::lock_guard lock(mutex_);
    auto found = counters_.find(question.id);
    if (found == counters_.end()) return {0, 0};
    if (question.operation == static_cast<int64_t>(CounterClient::Operation::set)) {
      return {1, found->second->exchange(question.operand)};
    }
    return {1, found->second->fetch_add(question.operand)};
  }

  std::mutex mutex_;
  std::map<uint64_t, std::atomic<int64_t>*> counters_;
  uint64_t token_ = 0, next_id_ = 0;
  int listening_ = -1;
  in_port_t port_ = 0;
};

// A connection to one address, or -1.
int connect_to(const sockaddr_in6& host) {
  sockaddr_in four{};
  const bool is_four = IN6_IS_ADDR_V4MAPPED(&host.sin6_addr);
  if (is_four) {
    four.sin_family = AF_INET;
    four.sin_port = host.sin6_port;
    std::memcpy(&four.sin_addr, &host.sin6_addr.s6_addr[12], 4);
  }
  int made = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return -1;
  int code = is_four ? ::connect(made, reinterpret_cast<const sockaddr*>(&four), sizeof four)
                     : ::connect(made, reinterpret_cast<const sockaddr*>(&host), sizeof host);
  pollfd wait{made, POLLOUT, 0};
  int error = 0;
  socklen_t length = sizeof error;
  if ((code != 0 && errno != EINPROGRESS) || poll(&wait, 1, connect_timeout_ms) != 1 ||
      getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
    ::close(made);
    return -1;
  }
  int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(made, F_SETFL, fcntl(made, F_GETFL) & ~O_NONBLOCK);
  timeval patience{answer_timeout_s, 0};
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  return made;
}

// 1: answered; 0: the other side had closed before it heard the question; -1: an error.
int exchange(int socket, const Question& question, Answer& answer) {
  ssize_t sent = send(socket, &question, sizeof question, MSG_NOSIGNAL);
  if (sent != sizeof question) return errno == EPIPE || errno == ECONNRESET ? 0 : -1;
  size_t received = 0;
  while (received < sizeof answer) {
    ssize_t got = recv(socket, reinterpret_cast<char*>(&answer) + received, sizeof answer - received, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return received == 0 && (got == 0 || errno == ECONNRESET) ? 0 : -1;
    received += static_cast<size_t>(got);
  }
  return 1;
}

}  // namespace

OfferedCounter::OfferedCounter() : address_(Service::instance().offer(&value_)) {}

OfferedCounter::~OfferedCounter() {
  if (address_.why_not[0] == '\0') Service::instance().withdraw(address_.id);
}

CounterClient::~CounterClient() {
  disconnect();
}

void CounterClient::disconnect() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Result<int64_t> CounterClient::ask(Operation operation, int64_t operand) {
  auto fail = [](std::string why) {
    return Error{ErrorKind::communication, 0, "no shared file pointer between hosts: " + std::move(why)};
  };
  if (address_.why_not[0] != '\0') return fail(fmt::format("rank 0: {}", address_.why_not));
  std::lock_guard lock(mutex_);
  const Question question{address_.token, address_.id, static_cast<int64_t>(operation), operand};
  Answer answer{};
  // A question that was not heard may be asked again: over the connection we had, then over one to each
  // address.
  if (socket_ >= 0) {
    int outcome = exchange(socket_, question, answer);
    if (outcome != 1) disconnect();
    if (outcome == 1 && answer.known) return answer.before;
    if (outcome == -1) return fail("rank 0 does not answer");
  }
  for (int i = 0; i < address_.hosts; ++i) {
    socket_ = connect_to(address_.host[i]);
    if (socket_ < 0) continue;
    int outcome = exchange(socket_, question, answer);
    if (outcome == 1 && answer.known) return answer.before;
    disconnect();
    if (outcome == -1) return fail("rank 0 does not answer");
  }
  return fail("rank 0's host cannot be reached over TCP by any of its addresses");
}

}  // namespace concilio
