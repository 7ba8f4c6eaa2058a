// little_memory MIB_PER_RANK [ledger]: writes and reads a file collectively, in many calls, in pieces of 64
// bytes that belong to the ranks by turns, and checks every byte. With `ledger` it compares the peak that
// Concilio's ledger reports with the growth of the processes' memory between calls since the file was opened.
// They may differ by a tenth. (Two-phase keeps its memory from call to call, and sieving does not.)
#include <concilio/file.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "common/expect.h"

namespace {

constexpr int64_t piece_bytes = 64, mebibyte = 1 << 20, call_bytes = 4 * mebibyte;
int rank, ranks;

// This process's share of the memory that belongs to no file: a shared page counts in parts.
int64_t memory_bytes() {
  std::ifstream file("/proc/self/smaps_rollup");
  int64_t sum = 0, kibibytes = 0;
  for (std::string line; std::getline(file, line);) {
    if (std::sscanf(line.c_str(), "Pss_Anon: %ld", &kibibytes) == 1 ||
        std::sscanf(line.c_str(), "Pss_Shmem: %ld", &kibibytes) == 1)
      sum += kibibytes * 1024;
  }
  return sum;
}

int64_t of_all_ranks(int64_t bytes) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return bytes;
}

int64_t memory_of_all_ranks() {
  MPI_Barrier(MPI_COMM_WORLD);  // so that all processes which share a page count it at the same time
  return of_all_ranks(memory_bytes());
}

uint64_t word(int64_t call, int64_t index) {
  return static_cast<uint64_t>(call * 1'000'003 + index * ranks + rank + 1) * 0x9e3779b97f4a7c15u;
}

double mib(int64_t bytes) {
  return static_cast<double>(bytes) / static_cast<double>(mebibyte);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  REQUIRE(concilio_file_memory != nullptr);
  const int64_t calls = (argc > 1 ? std::atoll(argv[1]) : 64) * mebibyte / call_bytes;
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  const std::string path = std::string(folder ? folder : ".") + "/little-memory";
  std::vector<uint64_t> words(call_bytes / sizeof(uint64_t), 1);

  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
  MPI_Datatype piece, tile;
  MPI_Type_contiguous(piece_bytes, MPI_BYTE, &piece);
  MPI_Type_create_resized(piece, 0, piece_bytes * ranks, &tile);
  MPI_Type_commit(&tile);
  REQUIRE(MPI_File_set_view(file, rank * piece_bytes, MPI_BYTE, tile, "native", MPI_INFO_NULL) ==
          MPI_SUCCESS);
  int64_t ledger = 0, before_ledger = 0;
  concilio_file_memory(file, nullptr, &before_ledger, nullptr);
  before_ledger = of_all_ranks(before_ledger);
  const int64_t before = memory_of_all_ranks();
  int64_t most = 0;
  const auto measure = [&] { most = std::max(most, memory_of_all_ranks() - before); };

  for (int64_t call = 0; call < calls; ++call) {
    for (size_t i = 0; i < words.size(); ++i) words[i] = word(call, static_cast<int64_t>(i));
    REQUIRE(MPI_File_write_all(file, words.data(), call_bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    if (call % 16 == 0) measure();
  }
  measure();
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  for (int64_t call = 0; call < calls; ++call) {
    std::fill(words.begin(), words.end(), 0);
    REQUIRE(MPI_File_read_all(file, words.data(), call_bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (size_t i = 0; i < words.size(); ++i) REQUIRE(words[i] == word(call, static_cast<int64_t>(i)));
    if (call % 16 == 0) measure();
  }
  measure();
  concilio_file_memory(file, nullptr, nullptr, &ledger);
  ledger = of_all_ranks(ledger) - before_ledger;
  if (rank == 0)
    std::printf("the ledger says %.2f MiB, the system %.2f MiB, of %d ranks\n", mib(ledger), mib(most),
                ranks);
  const bool compared = argc > 2 && std::string(argv[2]) == "ledger";
  // The system counts pages once they are touched, and so may find less than was allocated.
  constexpr int64_t limit_of_rank =
      8 * mebibyte + mebibyte / 4;  // the default, and what decoding takes besides
  REQUIRE(!compared || (most <= ledger * 11 / 10 && ledger <= ranks * limit_of_rank));
  MPI_File_close(&file);
  MPI_Type_free(&piece);
  MPI_Type_free(&tile);
  MPI_Finalize();
  return 0;
}
