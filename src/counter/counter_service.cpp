#include "counter/counter_service.h"

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
#include <new>
#include <thread>
#include <utility>
#include <vector>

#include "base/counters.h"

namespace concilio::counter {
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
// A connection must bring a whole question with the right token within this time, and later the rest of each
// question that it begins.
constexpr int64_t question_timeout_ms = 5000;
// The most connections that have not yet brought a question with the right token.
constexpr size_t most_strangers = 16;

int64_t now_ms() {
  return now_ns() / 1'000'000;
}

// Identifies the machine that this process is on, and which network of it. Containers of a machine may have
// names of their own; the name counts only where nothing better is known.
std::string this_machine() {
  char boot[64] = "", host[64] = "", network[64] = "";
  if (const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC); file >= 0) {
    const ssize_t got = ::read(file, boot, sizeof boot - 1);
    boot[std::max<ssize_t>(got, 0)] = '\0';
    ::close(file);
  }
  if (boot[0] == '\0') gethostname(host, sizeof host - 1);
  (void)!readlink("/proc/self/ns/net", network, sizeof network - 1);
  return fmt::format("{:.36} {} {}", boot, network, host);
}

bool is_loopback(const in6_addr& address) {
  return IN6_IS_ADDR_LOOPBACK(&address) || (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127);
}

// Converts an IPv4 or IPv6 address to IPv6, mapping an IPv4 one. For a mask, `rest` is all ones.
in6_addr in_six(const sockaddr* address, uint8_t rest) {
  if (address->sa_family == AF_INET6) return reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
  in6_addr six{};
  if (rest != 0) std::memset(&six, rest, sizeof six);
  six.s6_addr[10] = six.s6_addr[11] = 0xff;
  std::memcpy(&six.s6_addr[12], &reinterpret_cast<const sockaddr_in*>(address)->sin_addr, 4);
  return six;
}

bool same_network(const in6_addr& a, const in6_addr& b, const in6_addr& mask) {
  for (size_t i = 0; i < sizeof a.s6_addr; ++i) {
    if ((a.s6_addr[i] ^ b.s6_addr[i]) & mask.s6_addr[i]) return false;
  }
  return true;
}

// An address in the form that socket calls take.
struct SocketAddress {
  sockaddr_storage bytes{};
  socklen_t length = 0;

  explicit SocketAddress(const sockaddr_in6& host) {
    if (IN6_IS_ADDR_V4MAPPED(&host.sin6_addr)) {
      sockaddr_in four{};
      four.sin_family = AF_INET;
      four.sin_port = host.sin6_port;
      std::memcpy(&four.sin_addr, &host.sin6_addr.s6_addr[12], 4);
      std::memcpy(&bytes, &four, length = sizeof four);
    } else {
      std::memcpy(&bytes, &host, length = sizeof host);
    }
  }
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&bytes); }
  int new_socket() const { return socket(bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }
};

class Service {
 public:
  static Service& instance() {
    static auto* service = new Service;  // never destroyed: its thread ends with the process
    return *service;
  }

  CounterAddress offer(std::atomic<int64_t>* value, const std::vector<in6_addr>& hosts) {
    std::lock_guard lock(mutex_);
    CounterAddress address;
    auto status = start();
    for (const in6_addr& host : hosts) {
      if (!status || address.hosts == CounterAddress::max_hosts) break;
      const Listener* listener = listen_on(host);
      if (listener) address.host[address.hosts++] = listener->address;
    }
    if (status && address.hosts == 0) status = failure("cannot listen");
    if (!status) {
      status.error().message.copy(address.why_not, sizeof address.why_not - 1);
      return address;
    }
    address.token = token_;
    address.id = next_id_++;
    this_machine().copy(address.machine, sizeof address.machine - 1);
    counters_.emplace(address.id, value);
    return address;
  }
  void withdraw(uint64_t id) {
    std::lock_guard lock(mutex_);
    counters_.erase(id);
  }

 private:
  struct Listener {
    int socket;
    sockaddr_in6 address;
  };
  struct Connection {
    int socket;
    int64_t patient_since_ms;  // when it came, got its last answer, or began its question
    size_t received = 0;
    bool stranger = true;  // it has not yet asked a question with the right token
    Question question{};

    // An idle connection can be closed without loss, since a client that asks again connects again.
    bool idle() const { return !stranger && received == 0; }
    bool late(int64_t now) const { return !idle() && now - patient_since_ms > question_timeout_ms; }
  };
  using Connections = std::list<Connection>;  // least recently heard first

  static Error failure(const char* what) {
    return {ErrorKind::communication, errno, fmt::format("{}: {}", what, std::strerror(errno))};
  }

  // Returns the listening socket for an address of this host; nullptr if there can be none.
  const Listener* listen_on(const in6_addr& host) {
    for (const Listener& listener : listeners_) {
      if (std::memcmp(&listener.address.sin6_addr, &host, sizeof host) == 0) return &listener;
    }
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_addr = host;
    const SocketAddress any_port(address);
    listeners_.reserve(listeners_.size() + 1);
    Listener made{any_port.new_socket(), address};
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    if (made.socket < 0) return nullptr;
    if (bind(made.socket, any_port.get(), any_port.length) != 0 || listen(made.socket, 128) != 0 ||
        getsockname(made.socket, reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
      ::close(made.socket);
      return nullptr;
    }
    // The port is at the same place in IPv4 and IPv6 addresses.
    made.address.sin6_port = reinterpret_cast<const sockaddr_in*>(&bound)->sin_port;
    listeners_.push_back(made);
    const char more = 0;
    (void)!write(changed_[1], &more, 1);
    return &listeners_.back();
  }

  Status start() {
    if (changed_[0] >= 0) return {};
    if (getrandom(&token_, sizeof token_, 0) != sizeof token_) return failure("no random token");
    if (pipe2(changed_, O_CLOEXEC | O_NONBLOCK) != 0) return failure("no pipe");
    sigset_t others, before;
    sigfillset(&others);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&others, own);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    Status status;
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {
      for (int& end : changed_) ::close(std::exchange(end, -1));
      status = Error{ErrorKind::communication, 0, "no thread to answer"};
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return status;
  }

  [[noreturn]] void serve() {
    pthread_setname_np(pthread_self(), "concilio");
    // Connections of many ranks must not use up the program's descriptors.
    rlimit descriptors{};
    getrlimit(RLIMIT_NOFILE, &descriptors);
    const auto most = static_cast<size_t>(std::clamp<rlim_t>(descriptors.rlim_cur / 4, 16, 1024));
    Connections connections;
    std::vector<pollfd> polled;
    bool full = false;  // no descriptor or no memory is left for another connection
    for (;;) {
      if (!list(connections, !full, polled)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      const bool awaited = std::ranges::any_of(connections, [](const auto& one) { return !one.idle(); });
      const int ready = poll(polled.data(), polled.size(), full ? 100 : awaited ? 1000 : -1);
      if (ready < 0) {
        if (errno != EINTR) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      const int64_t now = now_ms();
      Connections heard;
      size_t i = 0;
      for (auto at = connections.begin(); at != connections.end(); ++i) {
        const auto next = std::next(at);
        const bool speaks = polled[i].revents != 0;
        if ((speaks && !hear(*at, now)) || at->late(now)) {
          ::close(at->socket);
          connections.erase(at);
        } else if (speaks && !at->stranger) {
          heard.splice(heard.end(), connections, at);
        }
        at = next;
      }
      connections.splice(connections.end(), heard);
      char more[16];
      if (polled[i].revents != 0) (void)!read(changed_[0], more, sizeof more);
      full = false;
      for (++i; i < polled.size(); ++i) {
        if (polled[i].revents == 0) continue;
        make_room(connections, most);
        full = !accept_one(polled[i].fd, connections, now) || full;
      }
      if (full) full = !let_go_of_one(connections);
    }
  }

  // What to wait for: the connections, then the pipe, and then the listeners if they are wanted. Returns
  // false for lack of memory.
  bool list(const Connections& connections, bool with_listeners, std::vector<pollfd>& polled) {
    const auto add = [&](int descriptor) { polled.push_back({descriptor, POLLIN, 0}); };
    polled.clear();
    try {
      for (const Connection& connection : connections) add(connection.socket);
      add(changed_[0]);
      std::lock_guard lock(mutex_);
      for (const Listener& listener : listeners_) {
        if (with_listeners) add(listener.socket);
      }
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }

  // Makes room for one more connection. Strangers are closed first, the oldest of them before the others. A
  // client whose question was not heard asks it again.
  static void make_room(Connections& connections, size_t most) {
    const auto strangers = std::ranges::count_if(connections, &Connection::stranger);
    if (static_cast<size_t>(strangers) >= most_strangers || connections.size() >= most)
      (void)let_go_of_one(connections);
  }
  static bool let_go_of_one(Connections& connections) {
    auto least = std::ranges::find_if(connections, &Connection::stranger);
    if (least == connections.end()) least = std::ranges::find_if(connections, &Connection::idle);
    if (least == connections.end()) return false;
    ::close(least->socket);
    connections.erase(least);
    return true;
  }

  // Returns false for lack of descriptors or memory.
  static bool accept_one(int listening, Connections& connections, int64_t now) {
    Connections made;
    try {
      made.push_back({-1, now});
    } catch (const std::bad_alloc&) {
      return false;
    }
    const int accepted = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
    int on = 1;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    made.back().socket = accepted;
    connections.splice(connections.end(), made);
    return true;
  }

  // Returns false if the connection is of no more use.
  bool hear(Connection& connection, int64_t now) {
    if (connection.idle()) connection.patient_since_ms = now;
    auto* into = reinterpret_cast<char*>(&connection.question);
    ssize_t got =
        recv(connection.socket, into + connection.received, sizeof(Question) - connection.received, 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) return false;
    connection.received += static_cast<size_t>(got);
    if (connection.received < sizeof(Question)) return true;
    connection.received = 0;
    if (connection.question.token != token_) return false;
    connection.stranger = false;
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
  std::vector<Listener> listeners_;
  int changed_[2] = {-1, -1};  // a pipe that wakes the thread when there are more listeners
};

// Waits until the socket is ready or the deadline has passed, even if signals interrupt it. Returns whether
// it is ready.
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

// Returns a connection to one address, or -1.
int connect_to(const sockaddr_in6& host) {
  const SocketAddress address(host);
  int made = address.new_socket();
  if (made < 0) return -1;
  int code = ::connect(made, address.get(), address.length);
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

// not_heard means that the other side had closed the connection before it read the question.
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

Whereabouts own_whereabouts() {
  Whereabouts here;
  this_machine().copy(here.machine, sizeof here.machine - 1);
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return here;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* one = all; one && here.interfaces < Whereabouts::max_interfaces;
         one = one->ifa_next) {
      if (!one->ifa_addr || !one->ifa_netmask || one->ifa_addr->sa_family != family) continue;
      if (!(one->ifa_flags & IFF_UP) || (one->ifa_flags & IFF_LOOPBACK)) continue;
      const Whereabouts::Interface found{in_six(one->ifa_addr, 0), in_six(one->ifa_netmask, 0xff)};
      // A link-local address means nothing without the interface of the process that uses it.
      if (!IN6_IS_ADDR_LINKLOCAL(&found.address)) here.interface[here.interfaces++] = found;
    }
  }
  freeifaddrs(all);
  return here;
}

// Two networks with the same addresses may be different ones. They are, if both hosts have the same address
// in them.
WaysIn ways_to(const Whereabouts& theirs) {
  const Whereabouts here = own_whereabouts();
  if (std::strcmp(here.machine, theirs.machine) == 0) return {};
  WaysIn ways{0, 0, 1};
  for (int i = 0; i < theirs.interfaces; ++i) {
    const auto& [address, mask] = theirs.interface[i];
    bool near = false, ambiguous = false;
    for (int own = 0; own < here.interfaces; ++own) {
      const in6_addr& mine = here.interface[own].address;
      ambiguous = ambiguous || std::memcmp(&mine, &address, sizeof mine) == 0;
      near = near || same_network(mine, address, mask);
    }
    if (near && !ambiguous) ways.interfaces |= uint32_t{1} << i;
  }
  ways.from_afar = ways.interfaces == 0;
  return ways;
}

namespace {

// This host's addresses that others reach by these ways; the loopback address comes last.
std::vector<in6_addr> hosts_for(const Whereabouts& here, const WaysIn& ways) {
  std::vector<in6_addr> hosts;
  for (int i = 0; i < here.interfaces && ways.from_outside; ++i) {
    if (ways.from_afar || (ways.interfaces >> i & 1)) hosts.push_back(here.interface[i].address);
  }
  in6_addr loopback{};
  loopback.s6_addr[10] = loopback.s6_addr[11] = 0xff;
  loopback.s6_addr[12] = 127;
  loopback.s6_addr[15] = 1;
  hosts.push_back(loopback);
  return hosts;
}

}  // namespace

OfferedCounter::OfferedCounter(const Whereabouts& here, const WaysIn& ways)
    : address_(Service::instance().offer(&value_, hosts_for(here, ways))) {}

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

// Connects to the address that has answered, or else to the next one that accepts a connection.
bool CounterClient::connect() {
  if (reached_) {
    socket_ = connect_to(address_.host[next_]);
    return socket_ >= 0;
  }
  const bool same_machine = this_machine() == address_.machine;
  for (; next_ < address_.hosts; ++next_) {
    if (!same_machine && is_loopback(address_.host[next_].sin6_addr)) continue;
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
  // A host that does not answer in time may answer later, when another address has been asked. So what finds
  // the address must not change the counter.
  const Question changes_nothing{address_.token, address_.id, static_cast<int64_t>(Operation::add), 0};
  const int64_t deadline = now_ms() + answer_timeout_ms;
  bool turned_away = false;
  for (auto pause = std::chrono::milliseconds(1);;) {
    if (socket_ >= 0 || connect()) {
      Answer answer{};
      const Heard heard = reached_ ? exchange(socket_, question, answer, answer_timeout_ms)
                                   : exchange(socket_, changes_nothing, answer, connect_timeout_ms);
      if (heard == Heard::answered) {
        if (!std::exchange(reached_, true)) continue;
        if (answer.known) return answer.before;
        return fail("rank 0 has closed the file");
      }
      disconnect();
      turned_away = turned_away || heard == Heard::not_heard;
      if (heard == Heard::unknown && reached_) return fail("rank 0 does not answer");
      if (!reached_) {
        ++next_;  // the host that answered may be another one with the same address
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

}  // namespace concilio::counter
