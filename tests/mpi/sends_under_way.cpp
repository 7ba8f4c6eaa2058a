// Many MPIs move large messages only while their sender is in MPI. So a rank that waits for storage while
// others wait for what it has sent makes them wait for its storage too. This program replaces the calls by
// which the library sends data between nodes and reads and writes files, and notes how many messages a rank
// has under way when it goes to the file.
// Run it with 4 ranks and concilio_ranks_per_node=1: every rank is a node, and aggregates.
#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "common/expect_mpi.h"
#include "common/interleaved_view.h"
#include "common/replaced_calls.h"

namespace {

int rank = 0, ranks = 1;

struct Watch {
  bool on = false;
  std::map<MPI_Request, int> under_way;  // MPICH gives all short sends the same request
  int64_t sent = 0, relayed = 0, requests = 0, most_at_request = 0;

  void begin() {
    under_way.clear();
    sent = relayed = requests = most_at_request = 0;
    on = true;
  }
  void note_send(int tag, MPI_Request request) {
    if (!on || !carries_data(tag)) return;
    ++sent;
    relayed += tag == concilio::exec::relay_tag;
    ++under_way[request];
  }
  void note_end(MPI_Request request) {
    if (const auto found = under_way.find(request); found != under_way.end() && --found->second == 0)
      under_way.erase(found);
  }
  void note_storage() {
    if (!on) return;
    ++requests;
    int64_t now = 0;
    for (const auto& [request, messages] : under_way) now += messages;
    most_at_request = std::max(most_at_request, now);
  }
};
Watch watch;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int PMPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static const auto next = next_one(PMPI_Isend, "PMPI_Isend");
  const int code = next(data, count, type, peer, tag, comm, request);
  watch.note_send(tag, *request);
  return code;
}

int PMPI_Issend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                MPI_Request* request) {
  static const auto next = next_one(PMPI_Issend, "PMPI_Issend");
  const int code = next(data, count, type, peer, tag, comm, request);
  watch.note_send(tag, *request);
  return code;
}

int PMPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  static const auto next = next_one(PMPI_Test, "PMPI_Test");
  const MPI_Request tested = *request;
  const int code = next(request, done, status);
  if (*done) watch.note_end(tested);
  return code;
}

ssize_t pread(int file, void* data, size_t bytes, off_t offset) {
  static const auto next = next_one(pread, "pread");
  watch.note_storage();
  return next(file, data, bytes, offset);
}

ssize_t pwrite(int file, const void* data, size_t bytes, off_t offset) {
  static const auto next = next_one(pwrite, "pwrite");
  watch.note_storage();
  return next(file, data, bytes, offset);
}

ssize_t preadv(int file, const iovec* parts, int count, off_t offset) {
  static const auto next = next_one(preadv, "preadv");
  watch.note_storage();
  return next(file, parts, count, offset);
}

ssize_t pwritev(int file, const iovec* parts, int count, off_t offset) {
  static const auto next = next_one(pwritev, "pwritev");
  watch.note_storage();
  return next(file, parts, count, offset);
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

constexpr int rounds = 10, window_bytes = 4096, piece_bytes = 64;

struct Way {
  const char *exchange, *combined_nodes;
  int part;  // of the file: one piece in so many is asked for
};

// All ranks aggregate, and each has pieces in every window.
void write_and_read(const std::string& path, const Way& way) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [name, value] : {std::pair{"concilio_method", "two_phase"}, std::pair{"cb_nodes", "4"},
                                    std::pair{"cb_buffer_size", "4096"},
                                    std::pair{"romio_ds_read", way.part > 1 ? "disable" : "automatic"},
                                    std::pair{"concilio_exchange", way.exchange},
                                    std::pair{"concilio_combine_nodes", way.combined_nodes}})
    OK(MPI_Info_set(info, name, value));
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   info, &file));
  MPI_Info_free(&info);
  set_interleaved_view(file, rank, ranks * way.part, piece_bytes);

  const int bytes = rounds * window_bytes / way.part;
  const std::vector<char> mine(static_cast<size_t>(bytes), static_cast<char>('a' + rank));
  std::vector<char> back(mine.size());
  for (const bool reads : {false, true}) {
    MPI_Barrier(MPI_COMM_WORLD);
    watch.begin();
    if (reads) {
      OK(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT(back == mine);
    } else {
      OK(MPI_File_write_at_all(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    watch.on = false;
    const std::string call = std::string(reads ? "read" : "write") + " by " + way.exchange +
                             ", nodes combined: " + way.combined_nodes + ", 1 piece in " +
                             std::to_string(way.part);
    if (watch.most_at_request > 0)
      note_failure(__FILE__, __LINE__,
                   call + ": " + std::to_string(watch.most_at_request) + " messages under way");
    if (watch.requests < rounds || watch.sent < rounds)
      note_failure(__FILE__, __LINE__,
                   call + ": only " + std::to_string(watch.requests) + " requests to storage and " +
                       std::to_string(watch.sent) + " messages");
    EXPECT((watch.relayed > 0) == (*way.combined_nodes != '1'));
  }
  OK(MPI_File_close(&file));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  const std::string path = std::string(folder ? folder : "/tmp") + "/sends-under-way";
  for (const Way& way : {Way{"descriptions", "1", 1}, Way{"descriptions", "2", 1}, Way{"images", "1", 1},
                         Way{"images", "1", 4}})
    write_and_read(path, way);
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("sends_under_way: %d mistakes\n", noted_failures);
  MPI_Finalize();
  return noted_failures > 0;
}
