// Ranks write a pattern collectively, each reads what another one wrote, and rank 0 reads the whole file. All
// bytes must be right. Rank 0 prints the file's counters, summed over the ranks, one a line: they must be the
// same on a real MPI and on simulated hosts. It uses none of the datatypes that SMPI makes wrongly.
// --messages: so many messages must have been sent between nodes. --opens: the ranks must have opened the
// file so many times.
//
//   pattern_bytes PATTERN|random [--bytes PER_RANK] [--seed SEED] [--messages COUNT] [--opens COUNT]
//
// PATTERN is one of the benchmark program, as far as it is about the file: in memory all is contiguous.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "common/expect_mpi.h"
#include "common/random.h"
#include "concilio/file.h"
#include "sim/pattern.h"

namespace {

using tests::byte_of;

struct Options {
  std::string pattern;
  int64_t bytes_per_rank = 65536;
  uint64_t seed = 1;
  int64_t messages = -1, opens = -1;  // -1: any number
};

// The pieces of the file that one rank owns, in ascending order.
struct Share {
  std::vector<int> lengths, offsets;

  void add(int64_t offset, int64_t length) {
    if (!offsets.empty() && offsets.back() + lengths.back() == offset) {
      lengths.back() += static_cast<int>(length);
      return;
    }
    offsets.push_back(static_cast<int>(offset));
    lengths.push_back(static_cast<int>(length));
  }
  int bytes() const { return std::accumulate(lengths.begin(), lengths.end(), 0); }
  int64_t end() const { return offsets.empty() ? 0 : int64_t{offsets.back()} + lengths.back(); }
};

// Random pieces. Every byte of the file has one owner, and some random ranks own nothing.
Share random_share(const Options& options, int rank, int ranks) {
  Share share;
  const int64_t file_bytes = options.bytes_per_rank * ranks;
  tests::Random random(options.seed);
  const int64_t most_ranks = random.between(1, ranks), longest = random.magnitude(2 * options.bytes_per_rank);
  for (int64_t at = 0; at < file_bytes;) {
    const int64_t length = std::min(random.between(1, longest + 1), file_bytes - at);
    if (random.between(0, most_ranks - 1) == rank) share.add(at, length);
    at += length;
  }
  return share;
}

// Who writes what in one call of a pattern.
class Shares {
 public:
  explicit Shares(const Options& options, int ranks) : options_(options), ranks_(ranks) {
    if (options.pattern == "random") return;
    auto made = concilio::sim::make_pattern(options.pattern, {ranks, options.bytes_per_rank});
    if (!made.ok()) note_failure(nullptr, 0, made.error().message);
    REQUIRE(made.ok());
    pattern_ = *made;
  }
  int calls() const { return pattern_ ? pattern_->calls : 1; }
  Share of(int rank, int call) const {
    if (options_.pattern == "random") return random_share(options_, rank, ranks_);
    const concilio::sim::Request request = pattern_->request(rank, call);
    Share share;
    if (request.bytes == 0) return share;
    concilio::pattern::Cursor cursor(request.file);
    while (cursor.position() < request.bytes) {
      const auto chunk = cursor.next(request.bytes - cursor.position());
      for (int64_t i = 0; i < chunk.count; ++i) share.add(chunk.offset(i), chunk.length);
    }
    return share;
  }
  int ranks() const { return ranks_; }

 private:
  const Options& options_;
  int ranks_;
  std::optional<concilio::sim::Pattern> pattern_;
};

MPI_Datatype type_of(const Share& share) {
  MPI_Datatype type;
  OK(MPI_Type_indexed(static_cast<int>(share.lengths.size()), share.lengths.data(), share.offsets.data(),
                      MPI_BYTE, &type));
  OK(MPI_Type_commit(&type));
  return type;
}

std::vector<uint8_t> contents(const Share& share, uint64_t stream) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < share.offsets.size(); ++i) {
    for (int at = 0; at < share.lengths[i]; ++at) bytes.push_back(byte_of(stream, share.offsets[i] + at));
  }
  return bytes;
}

// SMPI forgets where a type begins that has a single piece.
void view(MPI_File file, const Share& share) {
  const bool single = share.offsets.size() <= 1;
  MPI_Datatype type = single ? MPI_BYTE : type_of(share);
  const MPI_Offset begin = single && !share.offsets.empty() ? share.offsets[0] : 0;
  OK(MPI_File_set_view(file, begin, MPI_BYTE, type, "native", MPI_INFO_NULL));
  if (!single) OK(MPI_Type_free(&type));
}

void print_counters(MPI_File file, int rank, const Options& options) {
  const auto print_sum = [&](const std::string& name, int64_t mine) {
    int64_t sum = 0;
    OK(MPI_Reduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD));
    if (rank == 0 && name == "messages_sent" && options.messages >= 0) EXPECT(sum == options.messages);
    if (rank == 0 && name == "storage_opens" && options.opens >= 0) EXPECT(sum == options.opens);
    if (rank == 0) std::printf("%s %lld\n", name.c_str(), static_cast<long long>(sum));
  };
  // Times differ.
  for (int i = 0; concilio_counter_name && concilio_counter_name(i); ++i) {
    const std::string name = concilio_counter_name(i);
    if (name.ends_with("_ns")) continue;
    int64_t mine = 0;
    EXPECT(concilio_file_counter(file, name.c_str(), &mine) == CONCILIO_SUCCESS);
    print_sum(name, mine);
  }
  int64_t limit = 0, current = 0, peak = 0;
  if (concilio_file_memory) {
    EXPECT(concilio_file_memory(file, &limit, &current, &peak) == CONCILIO_SUCCESS);
    print_sum("memory_peak", peak);
  }
}

// Bytes that no rank owns are zeros.
void check_file(const std::string& path, const Shares& shares, uint64_t stream) {
  std::ifstream whole(path, std::ios::binary);
  const std::vector<char> found{std::istreambuf_iterator<char>(whole), {}};
  std::vector<char> expected;
  for (int call = 0; call < shares.calls(); ++call) {
    for (int rank = 0; rank < shares.ranks(); ++rank) {
      const Share share = shares.of(rank, call);
      const std::vector<uint8_t> bytes = contents(share, stream);
      auto from = bytes.begin();
      for (size_t i = 0; i < share.offsets.size(); ++i) {
        const auto end = static_cast<size_t>(share.offsets[i] + share.lengths[i]);
        if (expected.size() < end) expected.resize(end);
        std::copy_n(from, share.lengths[i], expected.begin() + share.offsets[i]);
        from += share.lengths[i];
      }
    }
  }
  EXPECT(found == expected);
}

void run(const Options& options, const std::string& path) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expecting("rank %d", rank);
  const Shares shares(options, ranks);
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  // How much can be read of a window behind the end of the file would depend on who writes first.
  int64_t my_end = 0, end = 0;
  for (int call = 0; call < shares.calls(); ++call) my_end = std::max(my_end, shares.of(rank, call).end());
  OK(MPI_Allreduce(&my_end, &end, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD));
  OK(MPI_File_set_size(file, end));
  // The second time, memory, plans and windows are used again.
  for (uint64_t time : {0, 1}) {
    const uint64_t stream = tests::mix(options.seed, time);
    for (int call = 0; call < shares.calls(); ++call) {
      const Share mine = shares.of(rank, call);
      const std::vector<uint8_t> written = contents(mine, stream);
      view(file, mine);
      OK(MPI_File_write_at_all(file, 0, written.data(), mine.bytes(), MPI_BYTE, MPI_STATUS_IGNORE));
      OK(MPI_Barrier(MPI_COMM_WORLD));

      const Share others = shares.of((rank + 1) % ranks, call);
      std::vector<uint8_t> read(static_cast<size_t>(others.bytes()));
      view(file, others);
      OK(MPI_File_read_at_all(file, 0, read.data(), others.bytes(), MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT(read == contents(others, stream));
      OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    if (rank == 0) check_file(path, shares, stream);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  print_counters(file, rank, options);
  OK(MPI_File_close(&file));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Options options;
  if (argc > 1) options.pattern = argv[1];
  for (int i = 2; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--bytes")) options.bytes_per_rank = std::atoll(argv[i + 1]);
    if (!std::strcmp(argv[i], "--seed")) options.seed = std::strtoull(argv[i + 1], nullptr, 0);
    if (!std::strcmp(argv[i], "--messages")) options.messages = std::atoll(argv[i + 1]);
    if (!std::strcmp(argv[i], "--opens")) options.opens = std::atoll(argv[i + 1]);
  }
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  const double begin = MPI_Wtime();
  run(options, std::string(folder ? folder : "/tmp") + "/pattern_bytes");
  int rank, failures = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Allreduce(&noted_failures, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::fprintf(stderr, "%s: %d failures, %.6f s\n", argv[1], failures, MPI_Wtime() - begin);
  MPI_Finalize();
  return failures ? 1 : 0;
}
