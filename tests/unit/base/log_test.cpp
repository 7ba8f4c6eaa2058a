#include "base/log.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <vector>

namespace concilio::log_test {
namespace {

// What `body` writes to stderr: one string for each write(2).
template <typename Body>
std::vector<std::string> writes_to_stderr(Body body) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0) return {"no socket pair"};
  const int saved = dup(STDERR_FILENO);
  dup2(sockets[1], STDERR_FILENO);
  close(sockets[1]);
  body();
  dup2(saved, STDERR_FILENO);
  close(saved);
  std::vector<std::string> writes;
  char message[8192];
  for (;;) {
    const ssize_t got = recv(sockets[0], message, sizeof message, 0);
    if (got <= 0) break;
    writes.emplace_back(message, static_cast<size_t>(got));
  }
  close(sockets[0]);
  return writes;
}

class Log : public testing::Test {
 protected:
  void TearDown() override {
    set_log_level(LogLevel::warning);
    set_log_rank(-1);
  }
};

using Lines = std::vector<std::string>;

TEST_F(Log, LineIsOneWrite) {
  const std::string long_text(5000, 'x');
  EXPECT_EQ(writes_to_stderr([&] { log(LogLevel::error, "{} {}", long_text, 2); }),
            Lines{"concilio error: " + long_text + " 2\n"});
}

TEST_F(Log, RankIsNamedWhereItIsKnown) {
  set_log_rank(3);
  EXPECT_EQ(writes_to_stderr([] { log_line(LogLevel::warning, "slow"); }),
            Lines{"concilio[3] warning: slow\n"});
}

TEST_F(Log, WhatAllWouldSayIsAWarningOfRank0) {
  set_log_rank(1);
  EXPECT_EQ(writes_to_stderr([] { warn_for_all("of all"); }), Lines{});
  set_log_level(LogLevel::info);
  EXPECT_EQ(writes_to_stderr([] { warn_for_all("of all"); }), Lines{"concilio[1] info: of all\n"});
  set_log_rank(0);
  EXPECT_EQ(writes_to_stderr([] {
              warn_for_all("of all, again");
              warn_for_all("of all, again");
            }),
            Lines{"concilio[0] warning: of all, again\n"});
}

TEST_F(Log, BelowTheLevelNothingIsSaid) {
  EXPECT_EQ(writes_to_stderr([] {
              log(LogLevel::info, "a");
              log_line(LogLevel::debug, "b");
              log_once(LogLevel::info, "below the level");
            }),
            Lines{});
  set_log_level(LogLevel::info);
  EXPECT_EQ(writes_to_stderr([] {
              log(LogLevel::info, "a");
              log(LogLevel::debug, "b");
              log_once(LogLevel::info, "below the level");
            }),
            (Lines{"concilio info: a\n", "concilio info: below the level\n"}));
}

TEST_F(Log, OnceIsOncePerText) {
  EXPECT_EQ(writes_to_stderr([] {
              for (int i = 0; i < 3; ++i) {
                log_once(LogLevel::warning, "first text");
                log_once(LogLevel::warning, "second text");
              }
            }),
            (Lines{"concilio warning: first text\n", "concilio warning: second text\n"}));
}

TEST_F(Log, ThreadsDoNotMixTheirLines) {
  const Lines lines = writes_to_stderr([] {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([] {
        for (int j = 0; j < 10; ++j) log(LogLevel::warning, "a line of a thread");
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(lines, Lines(40, "concilio warning: a line of a thread\n"));
}

TEST_F(Log, ClosedStderrIsNoFailure) {
  const int saved = dup(STDERR_FILENO);
  close(STDERR_FILENO);
  errno = 7;
  log_line(LogLevel::error, "into the void");
  EXPECT_EQ(errno, 7);
  dup2(saved, STDERR_FILENO);
  close(saved);
}

}  // namespace
}  // namespace concilio::log_test
