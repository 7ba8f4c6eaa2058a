// The call that starts a nonblocking or split collective operation does not wait for other ranks, at any
// thread level.
#include <unistd.h>

#include <algorithm>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int block = 5000;

MPI_Offset place(int part = 0) {
  return MPI_Offset{part * context.ranks + context.rank} * block;
}

// A message from rank 0 to all others, which concerns no file. Its receivers have not started anything yet.
void send_word() {
  for (int other = 1; other < context.ranks; ++other)
    OK(MPI_Send(nullptr, 0, MPI_BYTE, other, 7, MPI_COMM_WORLD));
}
void receive_word() {
  OK(MPI_Recv(nullptr, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

std::vector<uint8_t> all_blocks(const std::vector<uint8_t>& mine, int parts = 1) {
  std::vector<uint8_t> everything(static_cast<size_t>(context.ranks) * mine.size());
  MPI_Allgather(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, everything.data(),
                static_cast<int>(mine.size()), MPI_BYTE, MPI_COMM_WORLD);
  if (parts == 1) return everything;
  std::vector<uint8_t> sorted;
  for (int part = 0; part < parts; ++part) {
    for (int rank = 0; rank < context.ranks; ++rank) {
      const auto begin = everything.begin() + (rank * parts + part) * block;
      sorted.insert(sorted.end(), begin, begin + block);
    }
  }
  return sorted;
}

void send_before_waiting(MPI_Info info) {
  const std::string path = context.fresh_file("deferred-send");
  const auto mine = values(context.rank, block);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    MPI_Request request;
    MPI_Status status;
    if (context.rank != 0) receive_word();
    OK(MPI_File_iwrite_at_all(file, place(), mine.data(), block, MPI_BYTE, &request));
    if (context.rank == 0) send_word();
    OK(MPI_Wait(&request, &status));
    EXPECT_EQUAL(block, bytes_in(status));
    std::vector<uint8_t> back(block);
    if (context.rank != 0) receive_word();
    OK(MPI_File_read_at_all_begin(file, place(), back.data(), block, MPI_BYTE));
    if (context.rank == 0) send_word();
    OK(MPI_File_read_at_all_end(file, back.data(), &status));
    EXPECT_EQUAL(block, bytes_in(status));
    EXPECT_BYTES(mine, back);
    // The first step of ordered calls is different. The next call also carries out what has not been waited
    // for.
    if (context.rank != 0) receive_word();
    OK(MPI_File_write_ordered_begin(file, mine.data(), block, MPI_BYTE));
    if (context.rank == 0) send_word();
    OK(MPI_File_sync(file));
    OK(MPI_File_write_ordered_end(file, mine.data(), &status));
    EXPECT_EQUAL(block, bytes_in(status));
  }
  barrier();
  EXPECT_BYTES(all_blocks(mine), contents(path));
}

}  // namespace

SITUATION(Deferred, SendBeforeWaiting, not_own) {
  send_before_waiting(MPI_INFO_NULL);
}

SITUATION(Deferred, SendBeforeWaitingBetweenNodes, not_own) {
  send_before_waiting(Info{{"concilio_ranks_per_node", "2"}});
}

namespace {

// The first half of the ranks completes its operation before a barrier, and the others after it. MPI's rule
// of progress has it that a barrier waits for no rank that waits for an operation which has been started.
void barrier_between(MPI_Info info, const char* representation, bool tests) {
  const std::string path = context.fresh_file("deferred-barrier");
  const bool early = context.rank < (context.ranks + 1) / 2;
  constexpr int numbers = block / 4;
  const int calls = tests ? 1 : 2;  // tests take longer
  std::vector<int32_t> mine(numbers), back(numbers);
  for (int i = 0; i < numbers; ++i) mine[static_cast<size_t>(i)] = context.rank * numbers + i;
  const auto complete = [&](MPI_Request& request) {
    MPI_Status status;
    int done = 0;
    while (tests && !done) OK(MPI_Test(&request, &done, &status));
    if (!tests) OK(MPI_Wait(&request, &status));
    EXPECT_EQUAL(block, bytes_in(status));
  };
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    const Type spaced = resized_of(contiguous_of(5, MPI_INT32_T), 0, MPI_Aint{context.ranks} * 5 * 4);
    OK(MPI_File_set_view(file, MPI_Offset{context.rank} * 5 * 4, MPI_INT32_T, spaced, representation,
                         MPI_INFO_NULL));
    for (int call = 0; call < calls; ++call) {
      MPI_Request request;
      OK(MPI_File_iwrite_at_all(file, call * numbers, mine.data(), numbers, MPI_INT32_T, &request));
      std::vector<int32_t> kept = mine;
      if (early) complete(request);
      if (early) std::fill(mine.begin(), mine.end(), -1);  // the buffer is the program's again
      barrier();
      if (!early) complete(request);
      mine = kept;
    }
    OK(MPI_File_sync(file));
    barrier();
    OK(MPI_File_read_at_all_begin(file, (calls - 1) * numbers, back.data(), numbers, MPI_INT32_T));
    MPI_Status status;
    if (!early) OK(MPI_File_read_at_all_end(file, back.data(), &status));
    barrier();
    if (early) OK(MPI_File_read_at_all_end(file, back.data(), &status));
    EXPECT_EQUAL(block, bytes_in(status));
    EXPECT_BYTES(mine, back);
  }
  EXPECT_EQUAL(calls * block * context.ranks, std::ssize(contents(path)));
}

}  // namespace

SITUATION(Deferred, BarrierBeforeSomeWaits, not_own) {
  barrier_between(MPI_INFO_NULL, "native", false);
}
SITUATION(Deferred, BarrierBeforeSomeWaitsInAViewThatConverts, not_own) {
  barrier_between(MPI_INFO_NULL, "external32", false);
}
SITUATION(Deferred, BarrierBeforeSomeWaitsByWindows, not_own) {
  barrier_between(Info{{"concilio_method", "two_phase"}}, "native", false);
}
SITUATION(Deferred, BarrierBeforeSomeTests, not_own) {
  barrier_between(MPI_INFO_NULL, "native", true);
}

// Ranks that wait for a later operation first carry all of them out together.
SITUATION(Deferred, WaitedForFromTheLastOn, not_own) {
  constexpr int parts = 4;
  const auto mine = values(context.rank, parts * block);
  const Info info{{"concilio_method", "two_phase"}};  // which is never made apart
  File file(context.fresh_file("deferred-last"), MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  MPI_Request requests[parts];
  for (int i = 0; i < parts; ++i)
    OK(MPI_File_iwrite_at_all(file, place(i), mine.data() + i * block, block, MPI_BYTE, &requests[i]));
  for (int i = parts - 1; i >= 0; --i) OK(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
  if (!context.threads) EXPECT_EQUAL(int64_t{0}, std::max<int64_t>(0, counter(file, "calls_apart")));
}

// A rank of a node comes late, when another node has come. Nobody may leave the operation then.
SITUATION(Deferred, LateRankOfOneOfSeveralNodes, not_own) {
  const std::string path = context.fresh_file("deferred-late");
  const auto mine = values(context.rank, block);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_ranks_per_node", "2"}});
    MPI_Request request;
    OK(MPI_File_iwrite_at_all(file, place(), mine.data(), block, MPI_BYTE, &request));
    constexpr useconds_t longer_than_a_rank_waits = 1'500'000;
    if (context.rank == context.ranks - 1) usleep(longer_than_a_rank_waits);
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    barrier();
  }
  EXPECT_BYTES(all_blocks(mine), contents(path));
}

// All ranks test the operations of two files, in any order. The ranks of a node come at different times, so
// that now the one file and now the other seems to be ready on it.
SITUATION(Deferred, TestsOfTwoFilesBetweenNodes, not_own) {
  const auto mine = values(context.rank, block);
  const Info info{{"concilio_ranks_per_node", "2"}, {"concilio_method", "two_phase"}};
  const std::string one = context.fresh_file("deferred-one"), other = context.fresh_file("deferred-other");
  {
    File files[] = {File(one, MPI_MODE_CREATE | MPI_MODE_RDWR, info),
                    File(other, MPI_MODE_CREATE | MPI_MODE_RDWR, info)};
    for (int round = 0; round < 20; ++round) {
      MPI_Request requests[2];
      for (int i = 0; i < 2; ++i)
        OK(MPI_File_iwrite_at_all(files[i], place(), mine.data(), block, MPI_BYTE, &requests[i]));
      if (context.rank % 2 == 1) std::swap(requests[0], requests[1]);
      for (int done = 0, tests = 0; !done; ++tests) {
        usleep(static_cast<useconds_t>((round * 7 + tests * 5 + context.rank * 3) % 11 * 300));
        OK(MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE));
      }
    }
  }
  barrier();
  for (const std::string& path : {one, other}) EXPECT_BYTES(all_blocks(mine), contents(path));
}

// One rank of each node tests the operations of two files, and the other waits for the second file first.
SITUATION(Deferred, TestsOfTwoFilesBesideAWaitForOne, not_own) {
  if (context.ranks % 2 != 0) return;
  const auto mine = values(context.rank, block);
  const Info info{{"concilio_ranks_per_node", "2"}, {"concilio_method", "two_phase"}};
  const std::string one = context.fresh_file("deferred-one"), other = context.fresh_file("deferred-other");
  {
    File files[] = {File(one, MPI_MODE_CREATE | MPI_MODE_RDWR, info),
                    File(other, MPI_MODE_CREATE | MPI_MODE_RDWR, info)};
    for (int round = 0; round < 3; ++round) {
      MPI_Request requests[2];
      for (int i = 0; i < 2; ++i)
        OK(MPI_File_iwrite_at_all(files[i], place(), mine.data(), block, MPI_BYTE, &requests[i]));
      if (context.rank % 2 == 0) {
        for (int done = 0; !done;) OK(MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE));
      } else {
        OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
      }
    }
  }
  barrier();
  for (const std::string& path : {one, other}) EXPECT_BYTES(all_blocks(mine), contents(path));
}

SITUATION(Deferred, InAViewThatConverts, not_own) {
  const std::string path = context.fresh_file("deferred-converted");
  File file(path);
  OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
  const std::vector<int> mine(1000, context.rank + 5);
  std::vector<int> back(1000);
  MPI_Request request;
  if (context.rank != 0) receive_word();
  OK(MPI_File_iwrite_at_all(file, 1000 * context.rank, mine.data(), 1000, MPI_INT, &request));
  if (context.rank == 0) send_word();
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, 1000 * context.rank, back.data(), 1000, MPI_INT, MPI_STATUS_IGNORE));
  EXPECT_BYTES(mine, back);
}

// Operations of a file are carried out in the order in which they were started, whichever is waited for
// first.
SITUATION(Deferred, InTheOrderOfTheirStarts, not_own) {
  const std::string path = context.fresh_file("deferred-order");
  const auto first = values(1, block), second = values(context.rank + 2, block);
  std::vector<uint8_t> back(block, 0);
  File file(path);
  MPI_Request requests[3];
  OK(MPI_File_iwrite_at_all(file, place(), first.data(), block, MPI_BYTE, &requests[0]));
  OK(MPI_File_iwrite_at_all(file, place(), second.data(), block, MPI_BYTE, &requests[1]));
  OK(MPI_File_iread_at_all(file, place(), back.data(), block, MPI_BYTE, &requests[2]));
  OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  OK(MPI_Wait(&requests[2], MPI_STATUS_IGNORE));
  EXPECT_BYTES(second, back);
  OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
  OK(MPI_File_iwrite_at_all(file, place(), first.data(), block, MPI_BYTE, &requests[0]));
  OK(MPI_File_read_at_all(file, place(), back.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(first, back);
  OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
}

SITUATION(Deferred, TwoFilesWaitedForInDifferentOrders, not_own) {
  const std::string paths[2] = {context.fresh_file("deferred-one"), context.fresh_file("deferred-other")};
  const auto mine = values(context.rank, block);
  File one(paths[0]), other(paths[1]);
  for (int round = 0; round < 20; ++round) {
    MPI_Request requests[2];
    const bool odd = (context.rank + round) % 2;
    for (const bool second : {odd, !odd}) {
      OK(MPI_File_iwrite_at_all(second ? other : one, place(), mine.data(), block, MPI_BYTE,
                                &requests[second]));
    }
    if (round % 4 < 2) {
      for (const bool second : {odd, !odd}) OK(MPI_Wait(&requests[second], MPI_STATUS_IGNORE));
    } else if (odd) {
      // One rank makes a blocking call on one file, while the others wait for an operation of the other file.
      OK(MPI_File_sync(one));
      OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    } else {
      OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
      OK(MPI_File_sync(one));
      OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
  }
}

// The ranks of a node wait for a file of theirs and for one of all nodes, each in another order.
SITUATION(Deferred, AFileOfANodeAndOneOfAllNodes, not_own) {
  const std::string of_all = context.fresh_file("deferred-of-all");
  const std::string of_node = context.fresh_file("deferred-of-node") + std::to_string(context.rank / 2);
  const auto mine = values(context.rank, block);
  const Info info{{"concilio_ranks_per_node", "2"}, {"concilio_agree", "always"}};
  MPI_Comm node;
  OK(MPI_Comm_split(MPI_COMM_WORLD, context.rank / 2, context.rank, &node));
  {
    File all(of_all, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    File nodes(of_node, MPI_MODE_CREATE | MPI_MODE_RDWR, info, node);
    for (int round = 0; round < 10; ++round) {
      MPI_Request requests[2];
      OK(MPI_File_iwrite_at_all(nodes, place(), mine.data(), block, MPI_BYTE, &requests[0]));
      OK(MPI_File_iwrite_at_all(all, place(), mine.data(), block, MPI_BYTE, &requests[1]));
      const int first = (context.rank + round) % 2;
      for (const int next : {first, 1 - first}) OK(MPI_Wait(&requests[next], MPI_STATUS_IGNORE));
    }
  }
  OK(MPI_Comm_free(&node));
  barrier();
  EXPECT_BYTES(all_blocks(mine), contents(of_all));
}

namespace {

// Only rank 0 has come, so a test says that the operation is not complete. When all ranks test, it completes.
void test_until_done(int (*test)(MPI_Request*, int*)) {
  const std::string path = context.fresh_file("deferred-test");
  const auto mine = values(context.rank, block);
  {
    // Otherwise the third call is made apart, and is done without the others.
    const Info info{{"concilio_agree", "always"}};
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    for (int part = 0; part < 3; ++part) {
      MPI_Request request;
      int done = 0;
      if (context.rank != 0) receive_word();
      OK(MPI_File_iwrite_at_all(file, place(part), mine.data(), block, MPI_BYTE, &request));
      if (context.rank == 0) {
        for (int i = 0; i < 5 && context.ranks > 1; ++i) {
          OK(test(&request, &done));
          EXPECT_EQUAL(0, done);
        }
        send_word();
      }
      while (!done) OK(test(&request, &done));
      if (request != MPI_REQUEST_NULL) OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  }
  barrier();
  EXPECT_EQUAL(3 * block * context.ranks, std::ssize(contents(path)));
}

}  // namespace

SITUATION(Deferred, TestedUntilDone, not_own) {
  test_until_done([](MPI_Request* request, int* done) { return MPI_Test(request, done, MPI_STATUS_IGNORE); });
  test_until_done(
      [](MPI_Request* request, int* done) { return MPI_Testall(1, request, done, MPI_STATUSES_IGNORE); });
  test_until_done([](MPI_Request* request, int* done) {
    int index = 0;
    return MPI_Testany(1, request, &index, done, MPI_STATUS_IGNORE);
  });
  test_until_done([](MPI_Request* request, int* done) {
    int index = 0;
    return MPI_Testsome(1, request, done, &index, MPI_STATUSES_IGNORE);
  });
  test_until_done([](MPI_Request* request, int* done) {
    return MPI_Request_get_status(*request, done, MPI_STATUS_IGNORE);
  });
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  test_until_done([](MPI_Request* request, int* done) {
    return MPI_Request_get_status_all(1, request, done, MPI_STATUSES_IGNORE);
  });
  test_until_done([](MPI_Request* request, int* done) {
    int index = 0;
    return MPI_Request_get_status_any(1, request, &index, done, MPI_STATUS_IGNORE);
  });
  test_until_done([](MPI_Request* request, int* done) {
    int index = 0;
    return MPI_Request_get_status_some(1, request, done, &index, MPI_STATUSES_IGNORE);
  });
#endif
}

// The first request that completes on rank 0 is a message, and its sender starts its part only then.
SITUATION(Deferred, WaitedForTogetherWithAMessage, not_own) {
  const std::string path = context.fresh_file("deferred-any");
  const auto mine = values(context.rank, block);
  const int last = context.ranks - 1;
  File file(path);
  for (const bool some : {false, true}) {
    MPI_Request requests[2];
    char word = 0, sent = 0;
    if (context.rank == last) OK(MPI_Isend(&sent, 1, MPI_CHAR, 0, 8, MPI_COMM_WORLD, &requests[1]));
    if (context.rank != 0) receive_word();
    OK(MPI_File_iwrite_at_all(file, place(), mine.data(), block, MPI_BYTE, &requests[0]));
    if (context.rank == 0 && last != 0) {
      MPI_Request both[2] = {requests[0], MPI_REQUEST_NULL};
      OK(MPI_Irecv(&word, 1, MPI_CHAR, last, 8, MPI_COMM_WORLD, &both[1]));
      int index = -1, completed = 0;
      if (some) {
        int indices[2] = {-1, -1};  // MPI may use all of them
        OK(MPI_Waitsome(2, both, &completed, indices, MPI_STATUSES_IGNORE));
        EXPECT_EQUAL(1, completed);
        index = indices[0];
      } else {
        OK(MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE));
      }
      EXPECT_EQUAL(1, index);
      requests[0] = both[0];
      send_word();
      OK(MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE));
    } else if (last == 0) {
      OK(MPI_Recv(&word, 1, MPI_CHAR, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      OK(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    } else {
      OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
    if (context.rank == last && last != 0) OK(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
  }
}

SITUATION(Deferred, MessagesAndFilesInOneWaitall, not_own) {
  const std::string path = context.fresh_file("deferred-all");
  const auto mine = values(context.rank, block);
  std::vector<uint8_t> big(1 << 20), got(1 << 20);
  const int right = (context.rank + 1) % context.ranks,
            left = (context.rank + context.ranks - 1) % context.ranks;
  File file(path);
  MPI_Request requests[3];
  const int first = context.rank % 2;
  OK(MPI_Irecv(got.data(), 1 << 20, MPI_BYTE, left, 9, MPI_COMM_WORLD, &requests[first]));
  OK(MPI_File_iwrite_at_all(file, place(), mine.data(), block, MPI_BYTE, &requests[1 - first]));
  OK(MPI_Isend(big.data(), 1 << 20, MPI_BYTE, right, 9, MPI_COMM_WORLD, &requests[2]));
  MPI_Status statuses[3];
  OK(MPI_Waitall(3, requests, statuses));
  EXPECT_EQUAL(block, bytes_in(statuses[1 - first]));
}

// No rank waits for the operation. The close, which all ranks call, completes it.
SITUATION(Deferred, FreedOrCancelled, not_own) {
  const std::string path = context.fresh_file("deferred-freed");
  const auto mine = values(context.rank, 2 * block);
  {
    File file(path);
    MPI_Request request;
    OK(MPI_File_iwrite_at_all(file, place(0), mine.data(), block, MPI_BYTE, &request));
    OK(MPI_Request_free(&request));
    OK(MPI_File_iwrite_at_all(file, place(1), mine.data() + block, block, MPI_BYTE, &request));
    OK(MPI_Cancel(&request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_File_iwrite_at_all(file, place(0), mine.data(), block, MPI_BYTE, &request));
    OK(MPI_Request_free(&request));
  }
  barrier();
  EXPECT_BYTES(all_blocks(mine, 2), contents(path));
}

// The file is closed before the request is waited for.
SITUATION(Deferred, WaitedForAfterTheClose, not_own) {
  const std::string path = context.fresh_file("deferred-closed");
  const auto mine = values(context.rank, block);
  MPI_Request request;
  MPI_Status status;
  {
    File file(path);
    OK(MPI_File_iwrite_at_all(file, place(), mine.data(), block, MPI_BYTE, &request));
  }
  OK(MPI_Wait(&request, &status));
  EXPECT_EQUAL(block, bytes_in(status));
  barrier();
  EXPECT_BYTES(all_blocks(mine), contents(path));
}
