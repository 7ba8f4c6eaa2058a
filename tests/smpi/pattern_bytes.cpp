// Ranks write a pattern collectively, each reads what another one wrote, and rank 0 reads the whole file. All
// bytes must be right. Rank 0 prints the file's counters, summed over the ranks, one a line: they must be the
// same on a real MPI and on simulated hosts. It uses none of the datatypes that SMPI makes wrongly.
// --messages: so many messages must have been sent between nodes.
//
//   pattern_bytes contiguous|BLOCK|random [--bytes PER_RANK] [--seed SEED] [--messages COUNT]
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "common/expect_mpi.h"
#include "common/random.h"
#include "concilio/file.h"

namespace {

using tests::byte_of;

struct Options {
  std::string pattern;
  int64_t bytes_per_rank = 65536;
  uint64_t seed = 1;
  int64_t messages = -1;  // -1: any number
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
};

// Every byte of the file has one owner. Some random ranks own nothing.
Share share_of(const Options& options, int rank, int ranks) {
  Share share;
  const int64_t file_bytes = options.bytes_per_rank * ranks;
  if (options.pattern == "contiguous") {
    share.add(rank * options.bytes_per_rank, options.bytes_per_rank);
  } else if (options.pattern == "random") {
    tests::Random random(options.seed);
    const int64_t most_ranks = random.between(1, ranks),
                  longest = random.magnitude(2 * options.bytes_per_rank);
    for (int64_t at = 0; at < file_bytes;) {
      const int64_t length = std::min(random.between(1, longest + 1), file_bytes - at);
      if (random.between(0, most_ranks - 1) == rank) share.add(at, length);
      at += length;
    }
  } else {
    const int64_t block = std::atoll(options.pattern.c_str());
    for (int64_t at = rank * block; at < file_bytes; at += ranks * block) share.add(at, block);
  }
  return share;
}

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

void print_counters(MPI_File file, int rank, int64_t messages) {
  // Times differ.
  for (int i = 0; concilio_counter_name && concilio_counter_name(i); ++i) {
    const std::string name = concilio_counter_name(i);
    if (name.ends_with("_ns")) continue;
    int64_t mine = 0, sum = 0;
    EXPECT(concilio_file_counter(file, name.c_str(), &mine) == CONCILIO_SUCCESS);
    OK(MPI_Reduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD));
    if (rank == 0 && name == "messages_sent" && messages >= 0) EXPECT(sum == messages);
    if (rank == 0) std::printf("%s %lld\n", name.c_str(), static_cast<long long>(sum));
  }
}

void run(const Options& options, const std::string& path) {
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  expecting("rank %d", rank);
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  // The second time, memory, plans and windows are used again.
  for (uint64_t time : {0, 1}) {
    const uint64_t stream = tests::mix(options.seed, time);
    const Share mine = share_of(options, rank, ranks);
    const std::vector<uint8_t> written = contents(mine, stream);
    view(file, mine);
    OK(MPI_File_write_at_all(file, 0, written.data(), mine.bytes(), MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(MPI_COMM_WORLD));

    const Share others = share_of(options, (rank + 1) % ranks, ranks);
    std::vector<uint8_t> read(static_cast<size_t>(others.bytes()));
    view(file, others);
    OK(MPI_File_read_at_all(file, 0, read.data(), others.bytes(), MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(read == contents(others, stream));
    if (rank == 0) {
      std::ifstream whole(path, std::ios::binary);
      const std::vector<char> bytes{std::istreambuf_iterator<char>(whole), {}};
      EXPECT(std::ssize(bytes) == options.bytes_per_rank * ranks);
      int64_t wrong = 0;
      for (int64_t i = 0; i < std::ssize(bytes); ++i)
        wrong += static_cast<uint8_t>(bytes[static_cast<size_t>(i)]) != byte_of(stream, i);
      EXPECT(wrong == 0);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  print_counters(file, rank, options.messages);
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
