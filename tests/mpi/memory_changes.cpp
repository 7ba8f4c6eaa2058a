// memory_changes: writes and reads the same pattern again and again on several made-up nodes, while a rank
// takes much of the memory that a control group allows and gives it back. The ranks must plan anew when the
// memory has changed and only then. Every byte is checked.
//
// memory_changes opens: opens files one after another on one node, before the rank takes the memory, while it
// has it, and afterwards. Windows must be as large as the memory at each open allows.
#include <concilio/file.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "common/expect.h"

namespace {

constexpr int piece_bytes = 4096, pieces = 64;
constexpr size_t taken_bytes = size_t{400} << 20;
int rank, ranks;

int64_t counter(MPI_File file, const char* name) {
  int64_t value = -1;
  REQUIRE(concilio_file_counter(file, name, &value) == MPI_SUCCESS);
  return value;
}

// The memory that a rank takes from the others.
class Taken {
 public:
  Taken() : memory_(mmap(nullptr, taken_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(memory_ != MAP_FAILED);
    std::memset(memory_, 1, taken_bytes);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  ~Taken() { munmap(memory_, taken_bytes); }

 private:
  void* memory_;
};

// A file in which the ranks' pieces alternate, and take one part in `parts` of the file.
MPI_File open_file(int parts = 1) {
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  const std::string path = std::string(folder ? folder : ".") + "/memory-changes";
  MPI_File file;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                        MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
  MPI_Datatype piece, tile;
  MPI_Type_contiguous(piece_bytes, MPI_BYTE, &piece);
  MPI_Type_create_resized(piece, 0, MPI_Aint{piece_bytes} * ranks * parts, &tile);
  MPI_Type_commit(&tile);
  REQUIRE(MPI_File_set_view(file, MPI_Offset{rank} * piece_bytes, MPI_BYTE, tile, "native", MPI_INFO_NULL) ==
          MPI_SUCCESS);
  MPI_Type_free(&piece);
  MPI_Type_free(&tile);
  return file;
}

// Writes and reads once more, and checks what was read.
void transfer(MPI_File file) {
  static uint8_t version = 0;
  ++version;
  std::vector<uint8_t> data(size_t{piece_bytes} * pieces, static_cast<uint8_t>(version * 16 + rank)),
      back(data.size());
  const int bytes = static_cast<int>(data.size());
  REQUIRE(MPI_File_write_at_all(file, 0, data.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  REQUIRE(data == back);
}

// The number of plans that calls make after a second, in which nodes look at their memory again.
int64_t plans_made_later(MPI_File file) {
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(1'200'000);
  const int64_t before = counter(file, "plans_made");
  for (int i = 0; i < 3; ++i) transfer(file);
  return counter(file, "plans_made") - before;
}

void between_calls() {
  MPI_File file = open_file();
  transfer(file);
  REQUIRE(plans_made_later(file) == 0);
  std::optional<Taken> taken;
  if (rank == 0) taken.emplace();
  // One for writes and one for reads.
  REQUIRE(plans_made_later(file) == 2);
  REQUIRE(plans_made_later(file) == 0);
  taken.reset();
  REQUIRE(plans_made_later(file) == 2);
  REQUIRE(plans_made_later(file) == 0);
  REQUIRE(MPI_File_close(&file) == MPI_SUCCESS);
}

// The most memory of any rank for a file that is opened after a second, in which the node may look at its
// memory again. One aggregator has all that the ranks write at once, and what lies between: a window, and
// what the file held there. Where there is less memory, windows are smaller.
int64_t memory_of_a_later_open() {
  MPI_Barrier(MPI_COMM_WORLD);
  usleep(1'200'000);
  MPI_File file = open_file(2);
  const std::vector<uint8_t> data(size_t{24} << 20, static_cast<uint8_t>(rank));
  REQUIRE(MPI_File_write_at_all(file, 0, data.data(), static_cast<int>(data.size()), MPI_BYTE,
                                MPI_STATUS_IGNORE) == MPI_SUCCESS);
  int64_t most = 0;
  REQUIRE(concilio_file_memory(file, nullptr, nullptr, &most) == CONCILIO_SUCCESS);
  MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  REQUIRE(MPI_File_close(&file) == MPI_SUCCESS);
  return most;
}

void between_opens() {
  std::optional<Taken> taken;
  const int64_t before = memory_of_a_later_open();
  if (rank == 0) taken.emplace();
  const int64_t meanwhile = memory_of_a_later_open();
  taken.reset();
  const int64_t afterwards = memory_of_a_later_open();
  if (rank == 0)
    std::printf("memory of a rank: %ld bytes, %ld with less free memory, %ld afterwards\n", before, meanwhile,
                afterwards);
  REQUIRE(meanwhile < before * 3 / 4);
  REQUIRE(afterwards > meanwhile * 4 / 3);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  REQUIRE(concilio_file_counter != nullptr);
  if (argc > 1 && std::strcmp(argv[1], "opens") == 0)
    between_opens();
  else
    between_calls();
  MPI_Finalize();
  return 0;
}
