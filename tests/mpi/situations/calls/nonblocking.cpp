// Nonblocking calls. If the program has MPI_THREAD_MULTIPLE, they proceed by themselves.
#include <atomic>
#include <thread>

#include "situations/situation.h"

using namespace situations;

namespace {

// The share of every rank in a file of `per_rank` bytes for each rank, in blocks of `block` that belong to
// the ranks by turns.
std::vector<uint8_t> interleaved(int64_t per_rank, int64_t block) {
  std::vector<uint8_t> file(static_cast<size_t>(per_rank * context.ranks));
  for (int rank = 0; rank < context.ranks; ++rank) {
    for (int64_t i = 0; i < per_rank; ++i) {
      int64_t place = (i / block * context.ranks + rank) * block + i % block;
      file[static_cast<size_t>(place)] = value(rank, i);
    }
  }
  return file;
}

void set_interleaved_view(MPI_File file, int block) {
  const Type tile = resized_of(contiguous_of(block, MPI_BYTE), 0, block * context.ranks);
  OK(MPI_File_set_view(file, context.rank * block, MPI_BYTE, tile, "native", MPI_INFO_NULL));
}

int calls_of_handler = 0;
void count_calls(MPI_File*, int*, ...) {
  ++calls_of_handler;
}

}  // namespace

SITUATION(Nonblocking, EveryKindOfCall, everywhere) {
  const std::string path = context.fresh_file("nonblocking-kinds");
  constexpr int part = 1200;
  const auto mine = values(context.rank, 4 * part);
  {
    File file(path);
    set_interleaved_view(file, 16);
    MPI_Request requests[4];
    MPI_Status statuses[4];
    OK(MPI_File_iwrite(file, mine.data(), part, MPI_BYTE, &requests[0]));
    OK(MPI_File_iwrite_all(file, mine.data() + part, part, MPI_BYTE, &requests[1]));
    MPI_Offset position = -1;
    OK(MPI_File_get_position(file, &position));
    EXPECT_EQUAL(2 * part, position);  // the pointers moved when the calls were made
    OK(MPI_File_iwrite_at(file, 2 * part, mine.data() + 2 * part, part, MPI_BYTE, &requests[2]));
    OK(MPI_File_iwrite_at_all(file, 3 * part, mine.data() + 3 * part, part, MPI_BYTE, &requests[3]));
    OK(MPI_Waitall(4, requests, statuses));
    for (int i = 0; i < 4; ++i) {
      EXPECT(requests[i] == MPI_REQUEST_NULL);
      EXPECT_EQUAL(part, bytes_in(statuses[i]));
    }
    OK(MPI_File_sync(file));
    barrier();
    std::vector<uint8_t> back(4 * part, 0);
    OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    OK(MPI_File_iread_all(file, back.data(), part, MPI_BYTE, &requests[0]));
    OK(MPI_File_iread(file, back.data() + part, part, MPI_BYTE, &requests[1]));
    OK(MPI_File_iread_at_all(file, 2 * part, back.data() + 2 * part, part, MPI_BYTE, &requests[2]));
    OK(MPI_File_iread_at(file, 3 * part, back.data() + 3 * part, part, MPI_BYTE, &requests[3]));
    for (int i = 3; i >= 0; --i) {
      OK(MPI_Wait(&requests[i], &statuses[i]));
      EXPECT_EQUAL(part, bytes_in(statuses[i]));
    }
    EXPECT_BYTES(mine, back);
  }
  barrier();
  EXPECT_BYTES(interleaved(4 * part, 16), contents(path));
}

SITUATION(Nonblocking, ManyAtOnce, everywhere) {
  const std::string path = context.fresh_file("nonblocking-many");
  constexpr int count = 40, part = 160;
  const auto mine = values(context.rank, count * part);
  {
    File file(path);
    set_interleaved_view(file, 8);
    std::vector<MPI_Request> requests(count);
    for (int i = 0; i < count; ++i) {
      auto call = i % 4 == 0 ? MPI_File_iwrite_at_all : MPI_File_iwrite_at;
      OK(call(file, i * part, mine.data() + i * part, part, MPI_BYTE, &requests[static_cast<size_t>(i)]));
    }
    OK(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
  }
  barrier();
  EXPECT_BYTES(interleaved(count * part, 8), contents(path));
}

SITUATION(Nonblocking, BlockingCallsOvertakeNothing, everywhere) {
  const std::string path = context.fresh_file("nonblocking-mixed");
  constexpr int part = 4000;
  const auto first = values(context.rank, part), second = values(context.rank + 100, part);
  {
    File file(path);
    set_interleaved_view(file, 40);
    MPI_Request request;
    OK(MPI_File_iwrite_at_all(file, 0, first.data(), part, MPI_BYTE, &request));
    OK(MPI_File_write_at_all(file, 0, second.data(), part, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    std::vector<uint8_t> back(part);
    OK(MPI_File_read_at_all(file, 0, back.data(), part, MPI_BYTE, MPI_STATUS_IGNORE));
    if (!context.own) EXPECT_BYTES(second, back);
  }
}

// Ranks start collective operations of two files in different orders. This is correct, since nonblocking
// calls do not wait.
SITUATION(Nonblocking, TwoFilesInDifferentOrders, not_own) {
  if (!context.threads) return;
  const std::string one = context.fresh_file("nonblocking-one"), two = context.fresh_file("nonblocking-two");
  constexpr int part = 6400;
  const auto mine = values(context.rank, part);
  {
    File first(one), second(two);
    set_interleaved_view(first, 64);
    set_interleaved_view(second, 64);
    MPI_File order[2] = {first, second};
    if (context.rank % 2) std::swap(order[0], order[1]);
    for (int round = 0; round < 10; ++round) {
      MPI_Request requests[2];
      for (int i = 0; i < 2; ++i) {
        OK(MPI_File_iwrite_at_all(order[i], 0, mine.data(), part, MPI_BYTE, &requests[i]));
        if (round % 2)
          barrier();  // each rank's first operation can only complete after the others have started their
                      // second
      }
      OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    }
  }
  barrier();
  EXPECT_BYTES(interleaved(part, 64), contents(one));
  EXPECT_BYTES(interleaved(part, 64), contents(two));
}

// An independent call completes although the collective operation before it still waits for another rank.
SITUATION(Nonblocking, IndependentDoesNotWaitForCollective, not_own) {
  if (!context.threads) return;
  const std::string path = context.fresh_file("nonblocking-behind");
  const auto mine = values(context.rank, 100);
  const int last = context.ranks - 1;
  {
    File file(path);
    MPI_Request collective = MPI_REQUEST_NULL, alone;
    if (context.rank == last && last > 0)
      MPI_Recv(nullptr, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    OK(MPI_File_iwrite_at_all(file, context.rank * 100, mine.data(), 100, MPI_BYTE, &collective));
    OK(MPI_File_iwrite_at(file, 10000 + context.rank * 100, mine.data(), 100, MPI_BYTE, &alone));
    OK(MPI_Wait(&alone, MPI_STATUS_IGNORE));
    if (context.rank == 0 && last > 0) MPI_Send(nullptr, 0, MPI_BYTE, last, 7, MPI_COMM_WORLD);
    OK(MPI_Wait(&collective, MPI_STATUS_IGNORE));
  }
  barrier();
  const auto found = contents(path);
  EXPECT_EQUAL(10000 + context.ranks * 100, std::ssize(found));
  for (int i = 0; i < 100 && std::ssize(found) > 10000; ++i) {
    EXPECT_EQUAL(value(last, i), found[static_cast<size_t>(last * 100 + i)]);
  }
}

SITUATION(Nonblocking, DatatypeFreedAtOnce, not_own_mpich) {
  const std::string path = context.fresh_file("nonblocking-type");
  const auto mine = values(context.rank, 2000);
  {
    File file(path);
    MPI_Request request;
    {
      const Type type = vector_of(100, 10, 20, MPI_BYTE);
      OK(MPI_File_iwrite_at_all(file, context.rank * 1000, mine.data(), 1, type, &request));
    }
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  barrier();
  const auto found = contents(path);
  EXPECT_EQUAL(context.ranks * 1000, std::ssize(found));
  for (size_t i = 0; i < 1000 && i < found.size(); ++i) {
    EXPECT_EQUAL(value(0, static_cast<int64_t>(i / 10 * 20 + i % 10)), found[i]);
  }
}

SITUATION(Nonblocking, TestsComplete, everywhere) {
  const std::string path = context.fresh_file("nonblocking-test");
  const auto mine = values(context.rank, 300);
  File file(path);
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i)
    OK(MPI_File_iwrite_at(file, (context.rank * 3 + i) * 100, mine.data() + i * 100, 100, MPI_BYTE,
                          &requests[i]));
  MPI_Status status;
  for (int done = 0; !done;) OK(MPI_Test(&requests[0], &done, &status));
  EXPECT_EQUAL(100, bytes_in(status));
  int index = -1, flag = 0;
  while (!flag) OK(MPI_Testany(3, requests, &index, &flag, &status));
  EXPECT(index == 1 || index == 2);
  int completed = 0, indices[3];
  MPI_Status statuses[3];
  while (completed == 0) OK(MPI_Testsome(3, requests, &completed, indices, statuses));
  EXPECT_EQUAL(1, completed);
  EXPECT_EQUAL(3 - index, indices[0]);
  EXPECT_EQUAL(100, bytes_in(statuses[0]));
}

// Another thread would begin with them later than they end here.
SITUATION(Nonblocking, SmallIndependentOnesAreOverAtOnce, not_own) {
  const std::string path = context.fresh_file("nonblocking-small");
  const auto mine = values(context.rank, 160);
  std::vector<uint8_t> back(160, 0);
  File file(path);
  set_interleaved_view(file, 16);
  for (const bool writes : {true, false}) {
    MPI_Request request;
    if (writes)
      OK(MPI_File_iwrite_at(file, 0, mine.data(), 160, MPI_BYTE, &request));
    else
      OK(MPI_File_iread_at(file, 0, back.data(), 160, MPI_BYTE, &request));
    int done = 0;
    OK(MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE));
    EXPECT(done);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  EXPECT(back == mine);
}

// An error of one rank reaches all ranks when they wait, through the file's error handler. The handler of
// MPI_COMM_WORLD would end the program.
SITUATION(Nonblocking, ErrorAtWait, not_own) {
  const std::string path = context.fresh_file("nonblocking-error");
  MPI_Errhandler handler;
  OK(MPI_File_create_errhandler(count_calls, &handler));
  {
    File file(path);
    OK(MPI_File_set_errhandler(file, handler));
    calls_of_handler = 0;
    uint8_t byte = 1;
    const int count = context.rank == 0 ? -5 : 1;
    MPI_Request request;
    OK(MPI_File_iwrite_at_all(file, context.rank, &byte, count, MPI_BYTE, &request));
    FAILS(MPI_ERR_COUNT, MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT(request == MPI_REQUEST_NULL);
    EXPECT_EQUAL(1, calls_of_handler);

    MPI_Request both[2];
    MPI_Status statuses[2];
    OK(MPI_File_iwrite_at(file, context.rank, &byte, 1, MPI_BYTE, &both[0]));
    OK(MPI_File_iwrite_at_all(file, context.rank, &byte, count, MPI_BYTE, &both[1]));
    FAILS(MPI_ERR_IN_STATUS, MPI_Waitall(2, both, statuses));
    EXPECT_EQUAL(MPI_SUCCESS, statuses[0].MPI_ERROR);
    EXPECT_EQUAL(MPI_ERR_COUNT, class_of(statuses[1].MPI_ERROR));
    EXPECT(message_of(statuses[1].MPI_ERROR).find("MPI_File_iwrite_at_all") != std::string::npos);
    EXPECT_EQUAL(2, calls_of_handler);

    // Correct calls after the error succeed.
    OK(MPI_File_iwrite_at_all(file, context.rank, &byte, 1, MPI_BYTE, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    EXPECT_EQUAL(2, calls_of_handler);
  }
  MPI_Errhandler_free(&handler);
}

SITUATION(Nonblocking, IndependentErrorAtStart, not_own) {
  const std::string path = context.fresh_file("nonblocking-start");
  make_file(path, values(1, 10));
  File file(path, MPI_MODE_RDONLY);
  uint8_t byte = 1;
  MPI_Request request;
  FAILS(MPI_ERR_READ_ONLY, MPI_File_iwrite_at(file, 0, &byte, 1, MPI_BYTE, &request));
  EXPECT(request == MPI_REQUEST_NULL);
}

// What the access mode forbids, it forbids all ranks: a start of a collective call fails at once, and none is
// left pending.
SITUATION(Nonblocking, ModeErrorAtStart, not_own) {
  const std::string path = context.fresh_file("nonblocking-mode");
  make_file(path, values(1, 10));
  uint8_t byte = 1;
  {
    File file(path, MPI_MODE_RDONLY);
    MPI_Request request;
    FAILS(MPI_ERR_READ_ONLY, MPI_File_iwrite_all(file, &byte, 1, MPI_BYTE, &request));
    EXPECT(request == MPI_REQUEST_NULL);
    FAILS(MPI_ERR_READ_ONLY, MPI_File_iwrite_at_all(file, 0, &byte, 1, MPI_BYTE, &request));
    EXPECT(request == MPI_REQUEST_NULL);
    FAILS(MPI_ERR_READ_ONLY, MPI_File_write_all_begin(file, &byte, 1, MPI_BYTE));
    FAILS(MPI_ERR_READ_ONLY, MPI_File_write_at_all_begin(file, 0, &byte, 1, MPI_BYTE));
    FAILS(MPI_ERR_READ_ONLY, MPI_File_write_ordered_begin(file, &byte, 1, MPI_BYTE));
    OK(MPI_File_read_at_all_begin(file, 0, &byte, 1, MPI_BYTE));
    OK(MPI_File_read_at_all_end(file, &byte, MPI_STATUS_IGNORE));
  }
  File file(path, MPI_MODE_WRONLY);
  FAILS(MPI_ERR_ACCESS, MPI_File_read_all_begin(file, &byte, 1, MPI_BYTE));
}

SITUATION(Nonblocking, ClosedAfterRequestFree, not_own) {
  const std::string path = context.fresh_file("nonblocking-free");
  const auto mine = values(context.rank, 50000);
  {
    File file(path);
    MPI_Request request;
    OK(MPI_File_iwrite_at(file, context.rank * 50000, mine.data(), 50000, MPI_BYTE, &request));
    OK(MPI_Request_free(&request));
  }
  barrier();
  EXPECT_EQUAL(context.ranks * 50000, std::ssize(contents(path)));
}

SITUATION(Nonblocking, TwoToThe29Integers, large | not_own) {  // mpich 2731
  const std::string path = context.fresh_file("nonblocking-large");
  constexpr int count = 1 << 29;
  if (context.rank != 0) {
    File file(path);
    return;
  }
  std::vector<int> mine(count);
  for (int i = 0; i < count; i += 4096) mine[static_cast<size_t>(i)] = i;
  File file(path);
  MPI_Request request;
  MPI_Status status;
  OK(MPI_File_iwrite_at(file, 0, mine.data(), count, MPI_INT, &request));
  OK(MPI_Wait(&request, &status));
  EXPECT_EQUAL(int64_t{count} * 4, bytes_in(status));
  int back = -1;
  const int last = count - 4096;
  OK(MPI_File_read_at(file, MPI_Offset{last} * 4, &back, 1, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_EQUAL(last, back);
}

// Several threads of a rank, each with its own file [ompi 6951].
SITUATION(Threads, EachItsOwnFile, not_own) {
  if (!context.threads) return;
  std::vector<std::string> paths;
  for (int t = 0; t < 4; ++t) {
    paths.push_back(context.folder + "/thread-" + std::to_string(context.rank) + "-" + std::to_string(t));
  }
  std::vector<std::thread> threads;
  std::vector<int> bad(4, 0);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const auto mine = values(context.rank * 10 + t, 3000);
      auto note = [&](int code) { bad[static_cast<size_t>(t)] += code != MPI_SUCCESS; };
      for (int round = 0; round < 5; ++round) {
        MPI_File file;
        note(MPI_File_open(MPI_COMM_SELF, paths[static_cast<size_t>(t)].c_str(),
                           MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
        MPI_Datatype tile;
        MPI_Type_vector(10, 3, 5, MPI_BYTE, &tile);
        MPI_Type_commit(&tile);
        note(MPI_File_set_view(file, t, MPI_BYTE, tile, "native", MPI_INFO_NULL));
        MPI_Type_free(&tile);
        note(MPI_File_write_all(file, mine.data(), 3000, MPI_BYTE, MPI_STATUS_IGNORE));
        MPI_Request request;
        std::vector<uint8_t> back(3000);
        note(MPI_File_iread_at_all(file, 0, back.data(), 3000, MPI_BYTE, &request));
        note(MPI_Wait(&request, MPI_STATUS_IGNORE));
        bad[static_cast<size_t>(t)] += back != mine;
        note(MPI_File_close(&file));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (int count : bad) EXPECT_EQUAL(0, count);
}

// Each thread opens and closes files of its own on MPI_COMM_SELF as fast as it can. A number that one thread
// has just given back may be taken by another thread, but never by two.
SITUATION(Threads, OpenAtOnceByThemselves, not_own) {
  if (!context.threads) return;
  std::atomic<int> bad = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      const std::string path =
          context.folder + "/at-once-" + std::to_string(context.rank) + "-" + std::to_string(t);
      const auto mine = values(context.rank * 10 + t, 600);
      for (int round = 0; round < 1500; ++round) {
        MPI_File file = MPI_FILE_NULL;
        bad += MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                             &file) != MPI_SUCCESS;
        std::vector<uint8_t> back(mine.size());
        const int count = static_cast<int>(mine.size());
        bad += MPI_File_write_shared(file, mine.data(), count, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        MPI_Offset shared = 0;
        bad += MPI_File_get_position_shared(file, &shared) != MPI_SUCCESS || shared != count;
        bad += MPI_File_read_at_all(file, 0, back.data(), count, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        bad += back != mine;
        bad += MPI_File_close(&file) != MPI_SUCCESS;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQUAL(0, bad.load());
}

// Several threads of every rank write to one file.
SITUATION(Threads, OneFileTogether, not_own) {
  if (!context.threads) return;
  const std::string path = context.fresh_file("threads-together");
  constexpr int threads_a_rank = 4, records = 400, record = 8;
  {
    File file(path);
    const int writers = context.ranks * threads_a_rank;
    std::vector<std::thread> threads;
    std::vector<int> bad(threads_a_rank, 0);
    for (int t = 0; t < threads_a_rank; ++t) {
      threads.emplace_back([&, t] {
        const int writer = context.rank * threads_a_rank + t;
        const auto mine = values(writer, records * record);
        for (int i = 0; i < records; ++i) {
          const MPI_Offset place = MPI_Offset{i} * writers * record + writer * record;
          auto* data = mine.data() + i * record;
          bad[static_cast<size_t>(t)] +=
              MPI_File_write_at(file, place, data, record, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    for (int count : bad) EXPECT_EQUAL(0, count);
  }
  barrier();
  const auto found = contents(path);
  const int writers = context.ranks * threads_a_rank;
  EXPECT_EQUAL(int64_t{writers} * records * record, std::ssize(found));
  for (int64_t i = 0; i < std::ssize(found); ++i) {
    const int64_t writer = i / record % writers;
    if (found[static_cast<size_t>(i)] != value(writer, i / record / writers * record + i % record)) {
      EXPECT_EQUAL(-1, i);
      break;
    }
  }
}

namespace {

// Even ranks write strided records, and read and write back the holes between them. Meanwhile odd ranks write
// into the holes, record by record. No data of either may be lost.
void write_into_holes(const char* name, const Info& info, bool collective) {
  const std::string path = context.fresh_file(name);
  constexpr int records = 1500, record = 8, rounds = 6;
  const bool strided = context.rank % 2 == 0;
  const auto mine = values(context.rank, records * record);
  const MPI_Offset stride = record * context.ranks;
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    const Type tile = resized_of(contiguous_of(record, MPI_BYTE), 0, stride);
    OK(MPI_File_set_view(file, strided ? context.rank * record : 0, MPI_BYTE,
                         strided ? MPI_Datatype(tile) : MPI_BYTE, "native", MPI_INFO_NULL));
    for (int round = 0; round < rounds; ++round) {
      MPI_Request request = MPI_REQUEST_NULL;
      const int bytes = strided ? records * record : 0;
      if (collective) {
        OK(MPI_File_iwrite_at_all(file, 0, mine.data(), bytes, MPI_BYTE, &request));
      } else if (strided) {
        OK(MPI_File_iwrite_at(file, 0, mine.data(), bytes, MPI_BYTE, &request));
      }
      for (int i = round; !strided && i < records; i += rounds) {
        OK(MPI_File_write_at(file, i * stride + context.rank * record, mine.data() + i * record, record,
                             MPI_BYTE, MPI_STATUS_IGNORE));
      }
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  }
  barrier();
  EXPECT_BYTES(interleaved(records * record, record), contents(path));
}

}  // namespace

SITUATION(Holes, FilledWhileARankSieves, not_own) {
  write_into_holes("holes-sieve", Info{{"romio_ds_write", "enable"}}, false);
}

SITUATION(Holes, FilledWhileWindowsAreRewritten, not_own) {
  write_into_holes("holes-windows", Info{{"romio_cb_write", "enable"}, {"concilio_flush", "rmw"}}, true);
}

SITUATION(Holes, FilledWhileWindowsAreWrittenInPiecesAtOnce, not_own) {
  write_into_holes("holes-batch", Info{{"romio_cb_write", "enable"}, {"concilio_flush", "batch"}}, true);
}

SITUATION(Holes, FilledWhilePiecesAreWrittenAtOnce, not_own) {
  write_into_holes("holes-pieces", Info{{"concilio_method", "list"}, {"concilio_flush", "batch"}}, false);
}

SITUATION(Holes, FilledWhileAllSieve, not_own) {
  write_into_holes("holes-all", Info{{"romio_cb_write", "disable"}, {"romio_ds_write", "enable"}}, true);
}

SITUATION(Holes, FilledWhereNobodySievesAlone, not_own) {
  const Info info{{"romio_ds_write", "disable"}, {"romio_cb_write", "enable"}, {"concilio_flush", "rmw"}};
  write_into_holes("holes-alone", info, true);
}

// The same, with calls that the ranks make again and again until threads of the odd ranks have filled the
// holes.
SITUATION(Holes, FilledByThreadsWhileWindowsAreRewritten, not_own) {
  if (!context.threads) return;
  const std::string path = context.fresh_file("holes-threads");
  constexpr int records = 6000, record = 8, rounds = 60;
  const bool strided = context.rank % 2 == 0;
  const auto mine = values(context.rank, records * record);
  const MPI_Offset stride = record * context.ranks;
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
              Info{{"concilio_method", "two_phase"}, {"concilio_flush", "rmw"}});
    const Type tile = resized_of(contiguous_of(record, MPI_BYTE), 0, stride);
    OK(MPI_File_set_view(file, strided ? context.rank * record : 0, MPI_BYTE,
                         strided ? MPI_Datatype(tile) : MPI_BYTE, "native", MPI_INFO_NULL));
    std::thread filling([&] {
      for (int i = 0; !strided && i < records; ++i) {
        OK(MPI_File_write_at(file, i * stride + context.rank * record, mine.data() + i * record, record,
                             MPI_BYTE, MPI_STATUS_IGNORE));
      }
    });
    for (int round = 0; round < rounds; ++round) {
      OK(MPI_File_write_at_all(file, 0, mine.data(), strided ? records * record : 0, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    }
    filling.join();
    int64_t rewritten = counter(file, "windows_rmw");
    MPI_Allreduce(MPI_IN_PLACE, &rewritten, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    EXPECT((rewritten > 0) == (context.ranks > 1));
  }
  barrier();
  EXPECT_BYTES(interleaved(records * record, record), contents(path));
}
