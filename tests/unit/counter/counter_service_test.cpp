// What any process on the network may do to the process that holds the shared file pointer.
#include "counter/counter_service.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

namespace concilio::counter::counter_service_test {
namespace {

constexpr WaysIn from_here{};
constexpr WaysIn from_anywhere{0, 1, 1};

// Connects to the last address that the counter is offered at, as any program of this machine may.
int connect_as_stranger(const CounterAddress& address) {
  const sockaddr_in6& six = address.host[address.hosts - 1];
  sockaddr_in four{};
  four.sin_family = AF_INET;
  four.sin_port = six.sin6_port;
  std::memcpy(&four.sin_addr, &six.sin6_addr.s6_addr[12], 4);
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (made >= 0 && connect(made, reinterpret_cast<sockaddr*>(&four), sizeof four) == 0) return made;
  if (made >= 0) close(made);
  return -1;
}

// Whether the other side closes the connection within that time.
bool is_closed_within(int socket, int ms) {
  pollfd wait{socket, POLLIN, 0};
  char byte;
  return poll(&wait, 1, ms) == 1 && recv(socket, &byte, 1, MSG_DONTWAIT) <= 0;
}

int64_t ask(const CounterAddress& address, int64_t more) {
  CounterClient client(address);
  const auto before = client.ask(CounterClient::Operation::add, more);
  EXPECT_TRUE(before.ok());
  return before ? *before : -1;
}

size_t open_descriptors() {
  size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) ++count;
  return count;
}

// A child process that does something to the address until it is killed.
class Stranger {
 public:
  template <typename Deeds>
  Stranger(const CounterAddress& address, Deeds&& deeds) {
    int ready[2];
    if (pipe(ready) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      deeds(address);
      (void)!write(ready[1], "", 1);
      for (;;) pause();
    }
    char byte;
    (void)!read(ready[0], &byte, 1);
    close(ready[0]);
    close(ready[1]);
  }
  ~Stranger() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  Stranger(const Stranger&) = delete;

 private:
  pid_t process_ = -1;
};

TEST(CounterService, FloodOfConnectionsLeavesTheProgramItsDescriptors) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  OfferedCounter counter(own_whereabouts(), from_here);
  const Stranger flood(counter.address(), [&](const CounterAddress& address) {
    for (int i = 0; i < 300; ++i) (void)connect_as_stranger(address);
  });
  const rlimit few{100, before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &few);
  // A question from a process that is allowed to ask is answered.
  EXPECT_EQ(0, ask(counter.address(), 5));
  EXPECT_EQ(5, ask(counter.address(), 1));
  std::vector<int> files;
  for (int i = 0; i < 40; ++i) files.push_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  for (const int file : files) EXPECT_GE(file, 0);
  for (const int file : files) close(file);
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_LT(open_descriptors(), 60U);
}

TEST(CounterService, WrongTokenChangesNothing) {
  OfferedCounter counter(own_whereabouts(), from_here);
  CounterAddress guessed = counter.address();
  ++guessed.token;
  for (int i = 0; i < 50; ++i) {
    const int socket = connect_as_stranger(guessed);
    ASSERT_GE(socket, 0);
    const std::array<uint64_t, 4> question{guessed.token, guessed.id, 0, 7};
    ASSERT_EQ(static_cast<ssize_t>(sizeof question), send(socket, question.data(), sizeof question, 0));
    EXPECT_TRUE(is_closed_within(socket, 5000));
    close(socket);
  }
  EXPECT_EQ(0, ask(counter.address(), 0));
}

TEST(CounterService, WhoDribblesIsSentAway) {
  OfferedCounter counter(own_whereabouts(), from_here);
  const int socket = connect_as_stranger(counter.address());
  ASSERT_GE(socket, 0);
  // Less than a whole question.
  bool closed = false;
  for (int i = 0; i < 31 && !closed; ++i) {
    send(socket, "", 1, MSG_NOSIGNAL);
    closed = is_closed_within(socket, 500);
  }
  EXPECT_TRUE(closed);
  close(socket);
}

TEST(CounterService, ListensOnLoopbackAloneWhereAllAreOnOneMachine) {
  OfferedCounter counter(own_whereabouts(), from_here);
  ASSERT_EQ(1, counter.address().hosts);
  EXPECT_EQ(127, counter.address().host[0].sin6_addr.s6_addr[12]);
  EXPECT_EQ(0, ask(counter.address(), 3));
}

TEST(CounterService, ListensElsewhereWhereOthersAre) {
  const Whereabouts here = own_whereabouts();
  if (here.interfaces == 0) GTEST_SKIP() << "no network";
  OfferedCounter counter(here, from_anywhere);
  EXPECT_EQ(here.interfaces + 1, counter.address().hosts);
  EXPECT_EQ(0, ask(counter.address(), 3));
}

// Answers like the service of a counter, one question at a time. Returns false when nobody asks any more.
bool answer_one(int connection, int64_t& value) {
  std::array<int64_t, 4> question{};  // token, counter, operation (only additions are expected), operand
  if (recv(connection, question.data(), sizeof question, MSG_WAITALL) != sizeof question) return false;
  const std::array<int64_t, 2> answer{1, value};
  value += question[3];
  send(connection, answer.data(), sizeof answer, MSG_NOSIGNAL);
  return true;
}

// The process was stopped, goes on when the client has given up on one of its addresses and come by another,
// and then hears all that it was asked.
TEST(CounterService, WhoWasAskedAtTwoAddressesAddsOnce) {
  OfferedCounter counter(own_whereabouts(), from_here);
  CounterAddress address = counter.address();
  ASSERT_EQ(1, address.hosts);
  const int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof any;
  ASSERT_EQ(0, bind(listening, reinterpret_cast<sockaddr*>(&any), length));
  ASSERT_EQ(0, listen(listening, 2));
  ASSERT_EQ(0, getsockname(listening, reinterpret_cast<sockaddr*>(&any), &length));
  address.host[0].sin6_port = any.sin_port;
  address.host[address.hosts++] = address.host[0];
  const pid_t service = fork();
  if (service == 0) {
    alarm(60);
    int64_t value = 0;
    const int first = accept(listening, nullptr, nullptr), second = accept(listening, nullptr, nullptr);
    answer_one(first, value);
    while (answer_one(second, value)) continue;
    _exit(0);
  }
  close(listening);
  {
    CounterClient client(address);
    for (const int64_t before : {0, 5}) {
      const auto found = client.ask(CounterClient::Operation::add, 5);
      EXPECT_TRUE(found.ok() && *found == before) << (found ? std::to_string(*found) : found.error().message);
    }
  }
  EXPECT_EQ(service, waitpid(service, nullptr, 0));
}

Whereabouts elsewhere(uint8_t network, uint8_t host) {
  Whereabouts made;
  std::strcpy(made.machine, "another one");
  made.interfaces = 1;
  auto& [address, mask] = made.interface[0];
  std::memset(&mask, 0xff, sizeof mask);
  mask.s6_addr[15] = 0;
  address.s6_addr[10] = address.s6_addr[11] = 0xff;
  address.s6_addr[12] = 203;
  address.s6_addr[14] = network;
  address.s6_addr[15] = host;
  return made;
}

TEST(CounterService, WaysInAreThoseOfACommonNetwork) {
  EXPECT_EQ(0U, ways_to(own_whereabouts()).from_outside);
  // A network that this machine does not belong to.
  const WaysIn far = ways_to(elsewhere(113, 1));
  EXPECT_EQ(1U, far.from_outside);
  EXPECT_EQ(1U, far.from_afar);
  EXPECT_EQ(0U, far.interfaces);
  Whereabouts neighbour = own_whereabouts();
  if (neighbour.interfaces == 0) GTEST_SKIP() << "no network";
  // The same addresses on another machine are not the same network, even if their names are the same.
  std::strcpy(neighbour.machine, "another one");
  EXPECT_EQ(1U, ways_to(neighbour).from_afar);
  neighbour.interface[0].address.s6_addr[15] ^= 1;
  std::memset(&neighbour.interface[0].mask, 0, sizeof(in6_addr));
  std::memset(&neighbour.interface[0].mask, 0xff, 15);
  neighbour.interfaces = 1;
  const WaysIn near = ways_to(neighbour);
  EXPECT_EQ(0U, near.from_afar);
  EXPECT_EQ(1U, near.interfaces);
}

}  // namespace
}  // namespace concilio::counter::counter_service_test
