// Counts what collective calls cost between nodes: messages, bytes on the wire, rounds, and the memory of a
// node. Clocks differ from run to run, and these numbers do not. The ranks of one machine stand for nodes
// (concilio_ranks_per_node).
//
//   counts RANKS_PER_NODE [--combine NODES] [PATTERN]
//
// Every pattern runs on some of the nodes and on all of them, with the same data a rank, since the memory of
// a node must not depend on how many nodes there are.
// --combine: so many neighbouring nodes bring their shares of a window together (concilio_combine_nodes).
// Then there are fewer messages, and bytes travel twice.
#include <concilio/file.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

#include "common/expect_mpi.h"
#include "counts/patterns.h"

namespace counts {
namespace {

using concilio::bench::Access;
using concilio::bench::Pattern;
using concilio::bench::Piece;

// The nodes: consecutive ranks of a communicator.
struct Nodes {
  MPI_Comm comm;
  int rank, ranks, ranks_per_node, combined;
  int node_of(int other) const { return other / ranks_per_node; }
  int count() const { return ranks / ranks_per_node; }
  int clusters() const { return (count() + combined - 1) / combined; }
};

constexpr int64_t window_bytes = 64 << 10;
int calls_with_fewer_messages = 0;  // than without clusters, which is exactly what the formula says

// What the pattern itself says: windows lie at multiples of their length.
struct Expected {
  int64_t windows = 0;  // with data
  int64_t pairs = 0;    // of a node and a window in which it has data
  int64_t bytes = 0;    // of all ranks
  int64_t pieces = 0;   // likewise
  // The most bytes that must travel: of each window all but those of the node that has least in it.
  int64_t crossing_bytes = 0;
};

Expected expected_of(const Pattern& pattern, const Nodes& nodes) {
  Expected all;
  if (nodes.rank == 0) {
    std::map<int64_t, std::vector<int64_t>> bytes_in;  // by window, then by node
    for (int rank = 0; rank < nodes.ranks; ++rank) {
      pattern.for_each_piece(rank, [&](Piece piece) {
        ++all.pieces;
        while (piece.bytes > 0) {
          const int64_t window = piece.file_offset / window_bytes;
          const int64_t part = std::min(piece.bytes, (window + 1) * window_bytes - piece.file_offset);
          std::vector<int64_t>& shares = bytes_in[window];
          shares.resize(static_cast<size_t>(nodes.count()));
          shares[static_cast<size_t>(nodes.node_of(rank))] += part;
          piece.file_offset += part;
          piece.bytes -= part;
        }
      });
    }
    for (const auto& [window, shares] : bytes_in) {
      ++all.windows;
      int64_t bytes = 0;
      for (const int64_t share : shares) {
        bytes += share;
        all.pairs += share > 0;
      }
      all.bytes += bytes;
      all.crossing_bytes += bytes - *std::min_element(shares.begin(), shares.end());
    }
  }
  MPI_Bcast(&all, sizeof all, MPI_BYTE, 0, nodes.comm);
  return all;
}

// What was counted, of all ranks together.
struct Count {
  int64_t messages = 0, bytes = 0;
  int64_t rounds = 0;  // of the aggregator with most
  int64_t aggregators = 0;
  int64_t plans = 0;  // the most that any rank has made
};
Count operator-(const Count& a, const Count& b) {
  return {a.messages - b.messages, a.bytes - b.bytes, a.rounds - b.rounds, a.aggregators, a.plans - b.plans};
}

int64_t counter(MPI_File file, const char* name) {
  int64_t value = 0;
  EXPECT(concilio_file_counter(file, name, &value) == CONCILIO_SUCCESS);
  return value;
}

Count count_of(MPI_File file, MPI_Comm comm) {
  const int64_t rounds = counter(file, "rounds"), plans = counter(file, "plans_made");
  const int64_t mine[] = {counter(file, "messages_sent"), counter(file, "message_bytes_sent"), rounds > 0};
  const int64_t mine_at_most[] = {rounds, plans};
  int64_t sums[3], most[2];
  MPI_Allreduce(mine, sums, 3, MPI_INT64_T, MPI_SUM, comm);
  MPI_Allreduce(mine_at_most, most, 2, MPI_INT64_T, MPI_MAX, comm);
  return {sums[0], sums[1], most[0], sums[2], most[1]};
}

// The most internal memory of any node: what its ranks have had at most, each at its own time.
int64_t memory_of_a_node(MPI_File file, const Nodes& nodes) {
  int64_t limit = 0, mine = 0, of_node = 0, most = 0;
  EXPECT(concilio_file_memory(file, &limit, nullptr, &mine) == CONCILIO_SUCCESS);
  EXPECT(mine <= limit);
  MPI_Comm node;
  MPI_Comm_split(nodes.comm, nodes.node_of(nodes.rank), 0, &node);
  MPI_Allreduce(&mine, &of_node, 1, MPI_INT64_T, MPI_SUM, node);
  MPI_Comm_free(&node);
  MPI_Allreduce(&of_node, &most, 1, MPI_INT64_T, MPI_MAX, nodes.comm);
  return most;
}

class Run {
 public:
  Run(const Pattern& pattern, const Nodes& nodes)
      : pattern_(pattern), nodes_(nodes), access_(pattern.make_access(nodes.rank, 0)) {
    const char* folder = std::getenv("CONCILIO_TEST_DIR");
    path_ = std::string(folder ? folder : "/tmp") + "/counts";
    MPI_Info info;
    MPI_Info_create(&info);
    for (const auto& [name, value] :
         {std::pair{"concilio_ranks_per_node", std::to_string(nodes.ranks_per_node)},
          std::pair{"concilio_method", std::string("two_phase")},
          std::pair{"concilio_combine_nodes", std::to_string(nodes.combined)},
          std::pair{"concilio_group_bytes",
                    std::string("1")},  // groups are not joined for having little data
          std::pair{"cb_buffer_size", std::to_string(window_bytes)},
          std::pair{"romio_cb_fr_alignment", std::to_string(window_bytes)}})
      MPI_Info_set(info, name, value.c_str());
    OK(MPI_File_open(nodes.comm, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                     info, &file_));
    MPI_Info_free(&info);
    const MPI_Datatype filetype = access_.filetype.get() == MPI_BYTE ? access_.etype : access_.filetype.get();
    OK(MPI_File_set_view(file_, access_.displacement, access_.etype, filetype, "native", MPI_INFO_NULL));
  }
  ~Run() { OK(MPI_File_close(&file_)); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  MPI_File file() const { return file_; }

  Count write(int version) {
    const Count before = count_of(file_, nodes_.comm);
    std::vector<char> data = contents(version);
    OK(MPI_File_write_at_all(file_, access_.offset, at(data), access_.count, access_.memory.get(),
                             MPI_STATUS_IGNORE));
    return count_of(file_, nodes_.comm) - before;
  }
  Count read(int version) {
    const Count before = count_of(file_, nodes_.comm);
    const std::vector<char> data = contents(version);
    std::vector<char> back(data.size());
    OK(MPI_File_read_at_all(file_, access_.offset, at(back), access_.count, access_.memory.get(),
                            MPI_STATUS_IGNORE));
    bool same = true;
    pattern_.for_each_piece(nodes_.rank, [&](const Piece& piece) {
      const auto begin = static_cast<ptrdiff_t>(piece.memory_offset);
      const auto end = begin + static_cast<ptrdiff_t>(piece.bytes);
      same = same && std::equal(data.begin() + begin, data.begin() + end, back.begin() + begin);
    });
    EXPECT(same);
    return count_of(file_, nodes_.comm) - before;
  }

 private:
  char* at(std::vector<char>& data) const { return data.data() + access_.memory_offset; }
  std::vector<char> contents(int version) const {
    std::vector<char> data(static_cast<size_t>(pattern_.buffer_bytes(nodes_.rank)));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<char>(i * 7 + i / 251 + static_cast<size_t>(nodes_.rank * 31 + version));
    return data;
  }
  const Pattern& pattern_;
  const Nodes& nodes_;
  Access access_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

void show(const char* name, const Nodes& nodes, const char* call, const Count& count) {
  std::printf("%-24s %2d nodes, %-10s %6ld messages %10ld bytes %4ld rounds of %ld aggregators\n", name,
              nodes.count(), call, count.messages, count.bytes, count.rounds, count.aggregators);
}

// The messages of a call without those that tell what ranks ask for, at most. In clusters, an aggregator
// exchanges one for each window with each other node of its cluster and with each other cluster, and a node
// one in a round with each other node of its cluster. No message is without data.
struct Bounds {
  int64_t of_windows, within_clusters;
};
Bounds bounds_of(const Expected& expected, const Nodes& nodes, int64_t rounds) {
  const int64_t neighbours = nodes.combined - 1;
  return {std::min(expected.pairs, expected.windows * (neighbours + nodes.clusters() - 1)),
          std::min(expected.pairs, rounds * nodes.count() * neighbours)};
}

// What a node keeps in memory, and whether anything travels between nodes.
struct Kept {
  int64_t memory = 0, travels = 0;
};

// The first write and the first read of a pattern are planned and told, and later ones repeat them.
Kept check(const Case& its, const Nodes& nodes, int64_t bytes_per_rank) {
  const PatternRef pattern = its.make(nodes.ranks, nodes.ranks_per_node, bytes_per_rank);
  const Expected expected = expected_of(*pattern, nodes);
  Run run(*pattern, nodes);
  const std::array<Count, 4> counts = {run.write(0), run.read(0), run.write(1), run.read(1)};
  const char* const names[] = {"write", "read", "next write", "next read"};
  for (size_t i = 0; i < counts.size(); ++i) {
    const Count& count = counts[i];
    if (nodes.rank > 0) continue;
    show(its.name, nodes, names[i], count);
    EXPECT((count.plans > 0) == (i < 2));
    // The windows are shared evenly.
    EXPECT(count.rounds <= (expected.windows + count.aggregators - 1) / count.aggregators + 1);
    if (its.interwoven == Interwoven::no) {
      EXPECT(count.messages == 0);
      continue;
    }
    EXPECT(count.aggregators >= nodes.count() / 2);
    // Each node tells each aggregator what its ranks ask for: a few dozen bytes a rank, or parts of its list.
    const int64_t telling = count.plans * nodes.count() * (count.aggregators - 1);
    // Nodes with long lists of pieces form no clusters.
    const bool combines = nodes.combined > 1 && its.interwoven == Interwoven::regularly;
    const int64_t ways = combines ? 2 : 1;
    int64_t descriptions = ways * telling * nodes.ranks_per_node * 128;
    if (its.interwoven == Interwoven::irregularly) descriptions += count.plans * expected.pieces * 4;
    const Bounds most = combines ? bounds_of(expected, nodes, count.rounds) : Bounds{expected.pairs, 0};
    EXPECT(count.messages <= most.of_windows + most.within_clusters + telling);
    EXPECT(count.bytes <= ways * expected.crossing_bytes * 101 / 100 + descriptions);
    // Where all nodes have data in all windows, and all aggregators have as many windows, that is the number.
    const bool even =
        expected.pairs == expected.windows * nodes.count() && count.aggregators == nodes.count() &&
        expected.windows == count.rounds * count.aggregators && nodes.count() % nodes.combined == 0;
    if (even && combines && count.plans == 0) {
      EXPECT(count.messages == most.of_windows + most.within_clusters);
      calls_with_fewer_messages += count.messages < expected.windows * (nodes.count() - 1);
    }
  }
  const int64_t memory = memory_of_a_node(run.file(), nodes);
  if (nodes.rank == 0)
    std::printf("%-24s %2d nodes, %ld bytes of memory a node; %ld windows, %ld pairs, %ld of %ld bytes\n",
                its.name, nodes.count(), memory, expected.windows, expected.pairs, expected.crossing_bytes,
                expected.bytes);
  return {memory, counts[0].messages > 0};
}

int run_all(int ranks_per_node, int combined, const char* only) {
  constexpr int64_t bytes_per_rank = 640 << 10;
  Nodes all{MPI_COMM_WORLD, 0, 0, ranks_per_node, combined};
  MPI_Comm_rank(all.comm, &all.rank);
  MPI_Comm_size(all.comm, &all.ranks);
  expecting("rank %d", all.rank);
  REQUIRE(all.ranks % ranks_per_node == 0 && all.count() > 1);
  Nodes few = all;
  few.ranks = std::min(8, all.count() / 2) * ranks_per_node;
  const bool among_few = all.rank < few.ranks;
  MPI_Comm_split(all.comm, among_few ? 0 : MPI_UNDEFINED, 0, &few.comm);
  for (const Case& its : cases()) {
    if (only && std::string(its.name) != only) continue;
    const Kept of_few = among_few ? check(its, few, bytes_per_rank) : Kept{};
    const Kept of_all = check(its, all, bytes_per_rank);
    // Blocks of few nodes may be such that each node keeps to itself, which takes less.
    const bool alike = of_all.travels == of_few.travels;
    if (all.rank == 0 && alike) EXPECT(std::abs(of_all.memory - of_few.memory) * 10 <= of_few.memory);
    if (all.rank == 0 && !alike) EXPECT(of_all.travels && of_few.memory < of_all.memory);
  }
  if (combined > 1 && !only && all.rank == 0) EXPECT(calls_with_fewer_messages > 0);
  if (among_few) MPI_Comm_free(&few.comm);
  int failures = 0;
  MPI_Allreduce(&noted_failures, &failures, 1, MPI_INT, MPI_SUM, all.comm);
  if (all.rank == 0) std::printf("%d expectations failed\n", failures);
  return failures > 0;
}

}  // namespace
}  // namespace counts

int main(int argc, char** argv) {
  const int ranks_per_node = argc > 1 ? std::atoi(argv[1]) : 0;
  int combined = 1;
  const char* only = nullptr;
  for (int i = 2; i < argc; ++i) {
    if (std::strcmp(argv[i], "--combine") == 0 && i + 1 < argc) {
      combined = std::atoi(argv[++i]);
    } else {
      only = argv[i];
    }
  }
  if (ranks_per_node < 1 || combined < 1) {
    std::fputs("counts RANKS_PER_NODE [--combine NODES] [PATTERN]\n", stderr);
    return 2;
  }
  MPI_Init(&argc, &argv);
  const int failed = counts::run_all(ranks_per_node, combined, only);
  MPI_Finalize();
  return failed;
}
