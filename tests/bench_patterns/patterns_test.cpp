// Checks that `concilio explain` and the benchmark program understand a pattern alike: piece by piece, for
// every pattern that the program has.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <set>
#include <sstream>
#include <tuple>

#include "common/expect.h"
#include "patterns/pattern.h"
#include "sim/pattern.h"
#include "sim/patterns/blocks.h"

using namespace concilio;

namespace {

// Each pattern of the benchmark program must be in this list.
constexpr const char* samples[] = {
    "contiguous",
    "interleaved:64",
    "interleaved:1000",
    "block3d",
    "block4d",
    "block4d:1",
    "block4d:24",
    "btio",
    "unstruc",
    "unstruc:7",
    "hpio:64/64",
    "hpio:48/0",
    "hpio:8/24:contigmem",
    "hpio:8/24:struct:100",
    "extent:4096/10",
    "extent:100/100",
    "timesteps",
    "timesteps:5",
    "timesteps:3:7/40",
    "variables",
    "variables:3",
    "variables:5:2:40",
    "hacc",
    "hacc:10:shared",
    "hacc:records",
    "hacc:7:records",
    "ior:8",
    "ior:100:500",
    "ior:100:random",
    "ior:64:256:random",
    "mpiiotest:8",
    "mpiiotest:4096",
};
constexpr int rank_counts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24, 30, 36, 60, 64, 128};
constexpr int64_t sizes[] = {1, 1000, 100'000};

struct Piece {
  int64_t begin, end;
  bool operator==(const Piece&) const = default;
};

void add(int64_t begin, int64_t bytes, std::vector<Piece>& pieces) {
  if (!pieces.empty() && pieces.back().end == begin) {
    pieces.back().end += bytes;
  } else {
    pieces.push_back({begin, begin + bytes});
  }
}

// Offsets in the file and in memory.
struct Pieces {
  std::vector<Piece> file, memory;
};

void add_all(const pattern::Access& access, int64_t bytes, int64_t shift, std::vector<Piece>& pieces) {
  if (bytes == 0) return;
  pattern::Cursor cursor(access);
  while (cursor.position() < bytes) {
    const pattern::Chunk chunk = cursor.next(bytes - cursor.position());
    for (int64_t i = 0; i < chunk.count; ++i) add(chunk.offset(i) + shift, chunk.length, pieces);
  }
}

Pieces of_explain(const sim::Pattern& pattern, int rank) {
  Pieces pieces;
  int64_t memory = 0;
  for (int call = 0; call < pattern.calls; ++call) {
    const sim::Request request = pattern.request(rank, call);
    add_all(request.file, request.bytes, 0, pieces.file);
    // A pattern of several calls has their data one after another in memory.
    add_all(request.memory, request.bytes, memory, pieces.memory);
    if (request.bytes > 0) memory += request.memory.bounds(0, request.bytes).end;
  }
  return pieces;
}

Pieces of_bench(const bench::Pattern& pattern, int rank) {
  Pieces pieces;
  pattern.for_each_piece(rank, [&](const bench::Piece& piece) {
    add(piece.file_offset, piece.bytes, pieces.file);
    add(piece.memory_offset, piece.bytes, pieces.memory);
  });
  return pieces;
}

template <typename... Args>
void fail(fmt::format_string<Args...> format, Args&&... args) {
  note_failure(nullptr, 0, fmt::format(format, std::forward<Args>(args)...));
}

void compare(const char* text, int ranks, int64_t bytes) {
  const bench::Made made = bench::make_pattern(text, {ranks, bytes});
  const Result<sim::Pattern> ours = sim::make_pattern(text, {ranks, bytes});
  if (!made || !ours) {
    fail("{}: {}", text, (made ? ours.error() : made.error()).message);
    return;
  }
  const bench::Pattern& theirs = **made;
  if (theirs.note() != ours->note) fail("{}: notes differ", text);
  for (int rank = 0; rank < ranks; ++rank) {
    const Pieces expected = of_bench(theirs, rank), found = of_explain(*ours, rank);
    if (expected.file != found.file)
      fail("{}, {} ranks, {} bytes: file of rank {}", text, ranks, bytes, rank);
    if (expected.memory != found.memory)
      fail("{}, {} ranks, {} bytes: memory of rank {}", text, ranks, bytes, rank);
  }
}

std::string name_of(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_first_of(" :[", first) - first));
}

// The names of the patterns in the benchmark program's list. A line with a name is indented no further than
// the first one.
std::set<std::string> bench_names() {
  std::istringstream lines(bench::list_of_patterns());
  std::set<std::string> names;
  size_t indent = std::string::npos;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find_first_not_of(' ');
    if (indent == std::string::npos) indent = first;
    if (first == indent) names.insert(name_of(line));
  }
  return names;
}

// In the benchmarks of others MPI divides the array.
template <size_t axes>
void compare_grid(const char* name, int ranks, const Result<sim::BlockArray<axes>>& array) {
  std::array<int, axes> expected{};
  MPI_Dims_create(ranks, axes, expected.data());
  if (!array || !std::ranges::equal(expected, array->grid))
    fail("{} on {} ranks: the grid is not that of MPI_Dims_create", name, ranks);
}

int run() {
  for (const int ranks : rank_counts) {
    compare_grid("block3d", ranks, sim::block3d_of({}, {ranks, 1000}));
    compare_grid("block4d", ranks, sim::block4d_of({}, {ranks, 1000}));
  }
  const std::set<std::string> names = bench_names();
  std::set<std::string> compared;
  for (const char* text : samples) {
    compared.insert(name_of(text));
    for (const int ranks : rank_counts) {
      for (const int64_t bytes : sizes) compare(text, ranks, bytes);
    }
  }
  // These need numbers of ranks by which the edge can be divided.
  for (const int ranks : {1, 2, 8, 12, 36, 64}) {
    for (const char* text : {"block3d:24/4", "block3d:12/8"}) compare(text, ranks, 1);
  }
  for (const std::string& name : names) {
    if (!compared.contains(name)) fail("the benchmark's pattern {} is not compared", name);
  }
  fmt::print("{} patterns compared, {} failures\n", compared.size(), noted_failures);
  return noted_failures > 0;
}

}  // namespace

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  const int status = run();
  MPI_Finalize();
  return status;
}
