// What the ranks of a node share in a collective call, with threads as ranks. ThreadSanitizer detects data
// that one rank leaves for another without the order of gates and counters, which it cannot do between
// processes.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <new>
#include <span>
#include <thread>
#include <vector>

#include "exec/windows/images.h"
#include "mpi/nodes/futex.h"
#include "unit/plan_facts.h"

namespace concilio::exec::node_rounds_test {
namespace {

constexpr int64_t block_bytes = 64, bytes_a_rank = 32 << 10;

void as_ranks(int ranks, const std::function<void(int rank)>& body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) threads.emplace_back(body, rank);
  for (std::thread& thread : threads) thread.join();
}

// One call on one node. The ranks' blocks alternate, and windows are so small that slots are used many times.
class Node {
 public:
  Node(Operation operation, int ranks) : ranks_(ranks), plan_(made(operation, ranks)) {
    segment_ = static_cast<std::byte*>(::operator new (bytes(), std::align_val_t{64}));
    std::memset(segment_, 0xff, bytes());  // as an earlier call of another plan may have left it
    images().clear();
  }
  ~Node() { ::operator delete (segment_, std::align_val_t{64}); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  const plan::Plan& plan() const { return plan_; }
  const plan::Group& group() const { return plan_.groups.front(); }
  Images images() const {
    Images images(plan_, 0);
    images.lie_in(segment_);
    return images;
  }
  uint32_t ranks() const { return static_cast<uint32_t>(ranks_); }

  static std::byte content(int rank, int64_t offset) {
    return static_cast<std::byte>(rank * 7 + offset / 64);
  }
  int rank_of(int64_t offset) const { return static_cast<int>(offset / block_bytes % ranks_); }

  // Calls f(block) for every block of a part that belongs to this rank.
  template <typename F>
  void for_each_block(const WindowPart& part, int rank, F&& f) const {
    for (int64_t at = part.file.begin / block_bytes * block_bytes; at < part.file.end; at += block_bytes) {
      if (rank_of(at) == rank)
        f(pattern::Interval{std::max(at, part.file.begin), std::min(at + block_bytes, part.file.end)});
    }
  }

 private:
  static plan::Plan made(Operation operation, int ranks) {
    plan::Facts facts = test::interleaved(operation, ranks, block_bytes, bytes_a_rank);
    facts.wishes.forced_method = static_cast<int32_t>(plan::Method::two_phase);
    facts.wishes.window_bytes = 1 << 12;
    return plan::plan(facts);
  }
  size_t bytes() const { return static_cast<size_t>(plan_.segment_bytes); }
  int ranks_;
  plan::Plan plan_;
  std::byte* segment_ = nullptr;
};

// Without spinning, so that waiters sleep, and with some.
mpi::WaitPolicy policy_of(int rank) {
  return {rank % 2 * 100, nullptr, nullptr};
}

class NodeRounds : public testing::TestWithParam<int> {};

TEST_P(NodeRounds, AnAggregatorSeesWhatEveryRankPut) {
  Node node(Operation::write, GetParam());
  ASSERT_GT(node.group().rounds, 2 * node.plan().realms[0].slots);
  std::vector<std::byte> file(static_cast<size_t>(GetParam() * bytes_a_rank));
  as_ranks(GetParam(), [&](int rank) {
    Images images = node.images();
    for (int64_t round = 0; round < node.group().rounds; ++round) {
      for (size_t realm = 0; realm < node.plan().realms.size(); ++realm) {
        ImageHeader& header = images.header(realm, round);
        const std::span<WindowPart> parts = images.parts(realm, round);
        if (parts.empty()) continue;
        header.released.wait_for(images.use(round), policy_of(rank));
        for (WindowPart& part : parts) {
          node.for_each_block(part, rank, [&](pattern::Interval block) {
            for (int64_t i = block.begin; i < block.end; ++i)
              part.data[i - part.file.begin] = Node::content(rank, i);
            part.map.mark(block);
          });
        }
        if (header.filled.arrive(node.ranks())) header.filled.open();
      }
      for (size_t realm = 0; realm < node.plan().realms.size(); ++realm) {
        const std::span<WindowPart> parts = images.parts(realm, round);
        if (node.plan().realms[realm].aggregator != rank || parts.empty()) continue;
        ImageHeader& header = images.header(realm, round);
        header.filled.passed.wait_for(images.use(round) + 1, policy_of(rank));
        for (WindowPart& part : parts) {
          EXPECT_TRUE(part.map.full());
          std::memcpy(&file[static_cast<size_t>(part.file.begin)], part.data,
                      static_cast<size_t>(part.file.length()));
        }
        std::memset(images.map(realm, round), 0, static_cast<size_t>(node.plan().realms[realm].map_bytes));
        header.released.increment();
      }
    }
  });
  for (size_t i = 0; i < file.size(); ++i) {
    const auto offset = static_cast<int64_t>(i);
    ASSERT_EQ(file[i], Node::content(node.rank_of(offset), offset)) << i;
  }
}

TEST_P(NodeRounds, EveryRankSeesWhatAnAggregatorRead) {
  Node node(Operation::read, GetParam());
  ASSERT_GT(node.group().rounds, 2 * node.plan().realms[0].slots);
  std::vector<int64_t> taken(static_cast<size_t>(GetParam()));
  as_ranks(GetParam(), [&](int rank) {
    Images images = node.images();
    for (int64_t round = 0; round < node.group().rounds; ++round) {
      for (size_t realm = 0; realm < node.plan().realms.size(); ++realm) {
        const std::span<WindowPart> parts = images.parts(realm, round);
        if (node.plan().realms[realm].aggregator != rank || parts.empty()) continue;
        ImageHeader& header = images.header(realm, round);
        header.released.wait_for(images.use(round), policy_of(rank));
        for (WindowPart& part : parts) {
          for (int64_t i = part.file.begin; i < part.file.end; ++i)
            part.data[i - part.file.begin] = Node::content(node.rank_of(i), i);
        }
        header.valid_end.store(parts.back().file.end, std::memory_order_relaxed);
        header.ready.increment();
      }
      for (size_t realm = 0; realm < node.plan().realms.size(); ++realm) {
        const std::span<WindowPart> parts = images.parts(realm, round);
        if (parts.empty()) continue;
        ImageHeader& header = images.header(realm, round);
        header.ready.wait_for(images.use(round) + 1, policy_of(rank));
        EXPECT_EQ(header.valid_end.load(std::memory_order_relaxed), parts.back().file.end);
        for (WindowPart& part : parts) {
          node.for_each_block(part, rank, [&](pattern::Interval block) {
            for (int64_t i = block.begin; i < block.end; ++i)
              taken[static_cast<size_t>(rank)] += part.data[i - part.file.begin] == Node::content(rank, i);
          });
        }
        if (header.taken.arrive(node.ranks())) header.released.increment();
      }
    }
  });
  for (const int64_t bytes : taken) EXPECT_EQ(bytes, bytes_a_rank);
}

// The meeting of a Team: each rank leaves a value, the last one combines all of them, and all get the result.
TEST_P(NodeRounds, RanksThatMeetSeeEachOthersWords) {
  const auto ranks = static_cast<uint32_t>(GetParam());
  mpi::Gate arrived, done;
  std::vector<int64_t> words(ranks);
  int64_t sum = 0;
  as_ranks(GetParam(), [&](int rank) {
    for (uint32_t meeting = 1; meeting <= 500; ++meeting) {
      words[static_cast<size_t>(rank)] = meeting * (rank + 1);
      if (arrived.arrive(ranks)) {
        sum = 0;
        for (const int64_t word : words) sum += word;
        arrived.open();
      }
      arrived.passed.wait_for(meeting, policy_of(rank));
      EXPECT_EQ(sum, meeting * ranks * (ranks + 1) / 2);
      if (done.arrive(ranks)) done.open();
      done.passed.wait_for(meeting, policy_of(rank));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Ranks, NodeRounds, testing::Values(1, 2, 3, 5));

}  // namespace
}  // namespace concilio::exec::node_rounds_test
