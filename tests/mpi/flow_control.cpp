// A rank that only sends must not run ahead of ranks that are slower: what MPI keeps of its messages
// meanwhile is in no plan. This program replaces the calls by which the library sends and receives, makes
// every receive late, and compares how many messages have been sent with how many receives have been posted.
// Run it with 4 ranks and concilio_ranks_per_node=1: every rank is a node.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "common/expect_mpi.h"
#include "common/interleaved_view.h"
#include "common/replaced_calls.h"

namespace {

int rank = 0, ranks = 1;

// Counts of messages with data, between each two ranks.
struct Watch {
  std::atomic<int64_t>* posted = nullptr;  // receives of all ranks, in memory that they share
  std::vector<int64_t> sent;               // by this rank, to each other
  int64_t most_ahead = 0, through_relays = 0;

  std::atomic<int64_t>& posted_by(int receiver, int sender) const {
    return posted[receiver * ranks + sender];
  }
  void note_send(int receiver, int tag) {
    if (!posted || !carries_data(tag)) return;
    through_relays += tag == concilio::exec::relay_tag;
    const int64_t ahead = ++sent[static_cast<size_t>(receiver)] - posted_by(receiver, rank);
    most_ahead = std::max(most_ahead, ahead);
  }
  void note_receive(int sender, int tag) const {
    if (!posted || !carries_data(tag)) return;
    constexpr int late_us = 2000;
    usleep(late_us);
    ++posted_by(rank, sender);
  }
};
Watch watch;

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int PMPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static const auto next = next_one(PMPI_Isend, "PMPI_Isend");
  watch.note_send(peer, tag);
  return next(data, count, type, peer, tag, comm, request);
}

int PMPI_Issend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                MPI_Request* request) {
  static const auto next = next_one(PMPI_Issend, "PMPI_Issend");
  watch.note_send(peer, tag);
  return next(data, count, type, peer, tag, comm, request);
}

int PMPI_Irecv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
               MPI_Request* request) {
  static const auto next = next_one(PMPI_Irecv, "PMPI_Irecv");
  watch.note_receive(peer, tag);
  return next(data, count, type, peer, tag, comm, request);
}

}  // extern "C"
#pragma GCC visibility pop

namespace {

constexpr int rounds = 40, window_bytes = 4096, piece_bytes = 64;

// One aggregator, for which each rank has a short message in every round. Returns how many messages of all
// ranks have gone to or from relays.
int64_t write_and_read(const std::string& path, const char* exchange, const char* combined_nodes) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [name, value] :
       {std::pair{"concilio_method", "two_phase"}, std::pair{"cb_nodes", "1"},
        std::pair{"cb_buffer_size", "4096"}, std::pair{"concilio_exchange", exchange},
        std::pair{"concilio_combine_nodes", combined_nodes}})
    OK(MPI_Info_set(info, name, value));
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   info, &file));
  MPI_Info_free(&info);
  set_interleaved_view(file, rank, ranks, piece_bytes);

  const int bytes = rounds * window_bytes / ranks;
  const std::vector<char> mine(static_cast<size_t>(bytes), static_cast<char>('a' + rank));
  std::vector<char> back(mine.size());
  int64_t relayed = 0;
  for (const bool reads : {false, true}) {
    watch.sent.assign(static_cast<size_t>(ranks), 0);
    watch.most_ahead = watch.through_relays = 0;
    for (int sender = 0; sender < ranks; ++sender) watch.posted_by(rank, sender) = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    if (reads) {
      OK(MPI_File_read_at_all(file, 0, back.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT(back == mine);
    } else {
      OK(MPI_File_write_at_all(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    const std::string call =
        std::string(reads ? "read" : "write") + " by " + exchange + ", nodes combined: " + combined_nodes;
    if (watch.most_ahead > 2)
      note_failure(__FILE__, __LINE__, call + ": " + std::to_string(watch.most_ahead) + " messages ahead");
    int64_t all[2] = {*std::max_element(watch.sent.begin(), watch.sent.end()), watch.through_relays};
    MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (all[0] < rounds)
      note_failure(__FILE__, __LINE__, call + ": only " + std::to_string(all[0]) + " messages were sent");
    relayed += all[1];
  }
  OK(MPI_File_close(&file));
  return relayed;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Win window;
  void* memory = nullptr;
  MPI_Aint bytes = rank == 0 ? MPI_Aint{ranks} * ranks * static_cast<MPI_Aint>(sizeof(int64_t)) : 0;
  OK(MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&memory), &window));
  int unit = 0;
  OK(MPI_Win_shared_query(window, 0, &bytes, &unit, static_cast<void*>(&memory)));
  watch.posted = static_cast<std::atomic<int64_t>*>(memory);

  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  const std::string path = std::string(folder ? folder : "/tmp") + "/flow-control";
  EXPECT(write_and_read(path, "descriptions", "1") == 0);
  EXPECT(write_and_read(path, "descriptions", "2") > 0);
  EXPECT(write_and_read(path, "images", "1") == 0);

  watch.posted = nullptr;
  MPI_Win_free(&window);
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) std::printf("flow_control: %d mistakes\n", noted_failures);
  MPI_Finalize();
  return noted_failures > 0;
}
