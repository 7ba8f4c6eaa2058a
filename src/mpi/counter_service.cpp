#include "mpi/counter_service.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <iterator>
#include <list>
#include <map>
#include <thread>
#include <vector>

#include "base/counters.h"

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
constexpr int64_t answer_timeout_ms = 60'000;
// Who connects and then says nothing whole is sent away.
constexpr int64_t question_timeout_ms = 5000;

int64_t now_ms() {
  return now_ns() / 1'000'000;
}

// Which machine, and which network of it, this process is on.
std::string this_machine() {
  char boot[64] = "", host[64] = "";
  if (const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); file >= 0) {
    const ssize_t got = ::read(file, boot, sizeof boot - 1);
    boot[std::max<ssize_t>(got, 0)] = '\0';
    ::close(file);
  }
  gethostname(host, sizeof host - 1);
  return fmt::format("{:.36} {}", boot, host);
}

bool is_loopback(const sockaddr_in6& host) {
  return IN6_IS_ADDR_V4MAPPED(&host.sin6_addr) && host.sin6_addr.s6_addr[12] == 127;
}

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
    this_machine().copy(address.machine, sizeof address.machine - 1);
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
    int64_t heard_ms;  // when it last said something
    size_t received = 0;
    bool answered = false;
    Question question{};

    // Nothing is lost if it is closed: who asks again connects again.
    bool idle() const { return answered && received == 0; }
  };
  using Connections = std::list<Connection>;  // least recently heard first

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
    sigset_t others, before;
    sigfillset(&others);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&others, own);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    Status status;
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {
      ::close(made);
      listening_ = -1;
      status = Error{ErrorKind::communication, 0, "no thread to answer"};
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return status;
  }

  [[noreturn]] void serve() {
    pthread_setname_np(pthread_self(), "concilio");
    // Many ranks must not use up the program's descriptors.
    rlimit descriptors{};
    getrlimit(RLIMIT_NOFILE, &descriptors);
    const auto most = static_cast<size_t>(std::clamp<rlim_t>(descriptors.rlim_cur / 4, 16, 1024));
    Connections connections;
    bool full = false;  // no descriptor is left for one more
    for (;;) {
      std::vector<pollfd> polled;
      for (const Connection& connection : connections) polled.push_back({connection.socket, POLLIN, 0});
      if (!full) polled.push_back({listening_, POLLIN, 0});
      const int ready = poll(polled.data(), polled.size(), full ? 100 : 1000);
      if (ready < 0 && errno != EINTR) std::this_thread::sleep_for(std::chrono::milliseconds(10));
      const int64_t now = now_ms();
      Connections heard;
      size_t i = 0;
      for (auto at = connections.begin(); at != connections.end(); ++i) {
        const auto next = std::next(at);
        const bool speaks = ready > 0 && polled[i].revents != 0;
        if (speaks ? !hear(*at, now) : (!at->idle() && now - at->heard_ms > question_timeout_ms)) {
          ::close(at->socket);
          connections.erase(at);
        } else if (speaks) {
          heard.splice(heard.end(), connections, at);
        }
        at = next;
      }
      connections.splice(connections.end(), heard);
      full = !full && ready > 0 && polled.back().revents != 0 && !accept_one(connections, now);
      if (full || connections.size() > most) {
        const auto idle = std::find_if(connections.begin(), connections.end(),
                                       [](const Connection& connection) { return connection.idle(); });
        if (idle != connections.end()) {
          ::close(idle->socket);
          connections.erase(idle);
          full = false;
        }
      }
    }
  }

  // False: for want of descriptors or memory.
  bool accept_one(Connections& connections, int64_t now) {
    int accepted = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    connections.push_back({accepted, now});
    return true;
  }

  // False: the connection is of no more use.
  bool hear(Connection& connection, int64_t now) {
    auto* into = reinterpret_cast<char*>(&connection.question);
    ssize_t got =
        recv(connection.socket, into + connection.received, sizeof(Question) - connection.received, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    connection.received += static_cast<size_t>(got);
    connection.heard_ms = now;
    if (connection.received < sizeof(Question)) return true;
    connection.received = 0;
    connection.answered = true;
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

// Whether the socket is ready before the deadline, whatever signals come.
bool await(int socket, short events, int64_t deadline_ms) {
  for (;;) {
    const int64_t left = deadline_ms - now_ms();
    if (left <= 0) return false;
    pollfd wait{socket, events, 0};
    const int ready = poll(&wait, 1, static_cast<int>(left));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

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
  const bool begun = code == 0 || errno == EINPROGRESS || errno == EINTR;
  int error = 0;
  socklen_t length = sizeof error;
  if (!begun || !await(made, POLLOUT, now_ms() + connect_timeout_ms) ||
      getsockopt(made, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) {
    ::close(made);
    return -1;
  }
  int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return made;
}

enum class Heard { answered, not_heard, unknown };

// not_heard: the other side had closed before it heard the question.
Heard exchange(int socket, const Question& question, Answer& answer, int64_t patience_ms) {
  const ssize_t sent = send(socket, &question, sizeof question, MSG_NOSIGNAL);
  if (sent != sizeof question)
    return errno == EPIPE || errno == ECONNRESET ? Heard::not_heard : Heard::unknown;
  const int64_t deadline = now_ms() + patience_ms;
  size_t received = 0;
  while (received < sizeof answer) {
    if (!await(socket, POLLIN, deadline)) return Heard::unknown;
    const ssize_t got =
        recv(socket, reinterpret_cast<char*>(&answer) + received, sizeof answer - received, 0);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) {
      const bool closed = got == 0 || errno == ECONNRESET;
      return received == 0 && closed ? Heard::not_heard : Heard::unknown;
    }
    received += static_cast<size_t>(got);
  }
  return Heard::answered;
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

// To the address that has answered, or to the next that can be connected to.
bool CounterClient::connect() {
  if (reached_) {
    socket_ = connect_to(address_.host[next_]);
    return socket_ >= 0;
  }
  const bool same_machine = this_machine() == address_.machine;
  for (; next_ < address_.hosts; ++next_) {
    if (!same_machine && is_loopback(address_.host[next_])) continue;
    socket_ = connect_to(address_.host[next_]);
    if (socket_ >= 0) return true;
  }
  return false;
}

Result<int64_t> CounterClient::ask(Operation operation, int64_t operand) {
  auto fail = [](std::string why) {
    return Error{ErrorKind::communication, 0, "no shared file pointer between hosts: " + std::move(why)};
  };
  if (address_.why_not[0] != '\0') return fail(fmt::format("rank 0: {}", address_.why_not));
  std::lock_guard lock(mutex_);
  const Question question{address_.token, address_.id, static_cast<int64_t>(operation), operand};
  const int64_t deadline = now_ms() + answer_timeout_ms;
  bool turned_away = false;
  for (auto pause = std::chrono::milliseconds(1);;) {
    if (socket_ >= 0 || connect()) {
      Answer answer{};
      const Heard heard =
          exchange(socket_, question, answer, reached_ ? answer_timeout_ms : connect_timeout_ms);
      if (heard == Heard::answered) {
        reached_ = true;
        if (answer.known) return answer.before;
        return fail("rank 0 has closed the file");
      }
      disconnect();
      turned_away = turned_away || heard == Heard::not_heard;
      if (heard == Heard::unknown && reached_) return fail("rank 0 does not answer");
      if (!reached_) {
        ++next_;  // another host may have this address, too
        continue;
      }
    } else if (!reached_) {
      next_ = 0;
      if (!turned_away) return fail("rank 0's host cannot be reached over TCP by any of its addresses");
    }
    if (now_ms() > deadline) return fail("rank 0 has no connection left for this rank");
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, std::chrono::milliseconds(100));
  }
}

}  // namespace concilio
