// Collective calls that repeat each other are made without meeting, and all that a program may count on
// holds: bytes, what a call of another kind sees, errors.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int block = 512;
constexpr int many = 40;

// How long a call takes says nothing on a busy machine, and neither does which method is tried.
using HintList = std::vector<std::pair<std::string, std::string>>;
HintList seldom(const char* method) {
  return {{"concilio_agree", "seldom"}, {"concilio_method", method}};
}
class Hints {
 public:
  explicit Hints(const HintList& hints) {
    for (const auto& [name, text] : hints) MPI_Info_set(info_, name.c_str(), text.c_str());
  }
  operator MPI_Info() const { return info_; }

 private:
  Info info_;
};

// Rank after rank has a block, in row after row.
MPI_Offset place(int row) {
  return (MPI_Offset{row} * context.ranks + context.rank) * block;
}

int write_row(MPI_File file, int row, int count = block) {
  const std::vector<uint8_t> data = values(context.rank * 1000 + row, block);
  return MPI_File_write_at_all(file, place(row), data.data(), count, MPI_BYTE, MPI_STATUS_IGNORE);
}

void expect_rows(const std::string& path, int rows) {
  std::vector<uint8_t> expected;
  for (int row = 0; row < rows; ++row) {
    for (int rank = 0; rank < context.ranks; ++rank) {
      const std::vector<uint8_t> of_one = values(rank * 1000 + row, block);
      expected.insert(expected.end(), of_one.begin(), of_one.end());
    }
  }
  EXPECT_BYTES(expected, contents(path));
}

// The numbers of calls, counted from 0, that are made apart where nothing is new: 2, 4 to 6, 8 to 14, ...
bool is_apart(int call) {
  int meeting = 1, length = 1;
  while (call > meeting + length) {
    meeting += length + 1;
    length = 2 * length + 1;
  }
  return call > meeting;
}

// How often the library's threads in this process have gone to sleep.
int64_t sleeps_of_threads() {
  int64_t sleeps = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::ifstream(thread.path() / "comm") >> name;
    if (name != "concilio") continue;
    std::ifstream status(thread.path() / "status");
    int64_t number = 0;
    for (std::string word; status >> word;) {
      if (word == "voluntary_ctxt_switches:" && status >> number) sleeps += number;
    }
  }
  return sleeps;
}

void wait_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

}  // namespace

SITUATION(Apart, RanksMeetMoreAndMoreSeldom, not_own) {
  for (const char* method : {"independent", "list"}) {
    const std::string path = context.fresh_file("apart");
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom(method)));
      int64_t apart = 0;
      for (int row = 0; row < many; ++row) {
        OK(write_row(file, row));
        apart += is_apart(row);
        EXPECT_EQUAL(apart, counter(file, "calls_apart"));
      }
      EXPECT_EQUAL(many, counter(file, "collective_writes"));
      EXPECT_EQUAL(int64_t{many} * block, counter(file, "bytes_written"));
      // A read after writes is a meeting: it finds what a slow rank has still to write.
      OK(write_row(file, 0));
      std::vector<uint8_t> back(block);
      OK(MPI_File_read_at_all(file, place(many - 1), back.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(values(context.rank * 1000 + many - 1, block), back);
    }
    barrier();
    expect_rows(path, many);
  }
}

// Another thread would begin with small nonblocking ones later than they end where they are started. It may
// have to, right after a meeting, if the thread that met the others has not gone yet.
SITUATION(Apart, SmallNonblockingOnesTakeNoThread, not_own) {
  const std::string path = context.fresh_file("apart-nonblocking");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
  std::vector<uint8_t> back(block);
  for (const bool writes : {true, false}) {
    int apart = 0, without_thread = 0;
    for (int row = 0; row < many; ++row) {
      const std::vector<uint8_t> data = values(context.rank * 1000 + row, block);
      const int64_t slept = sleeps_of_threads();
      MPI_Request request;
      if (writes)
        OK(MPI_File_iwrite_at_all(file, place(row), data.data(), block, MPI_BYTE, &request));
      else
        OK(MPI_File_iread_at_all(file, place(row), back.data(), block, MPI_BYTE, &request));
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
      apart += is_apart(row);
      without_thread += is_apart(row) && sleeps_of_threads() == slept;
      if (!writes) EXPECT_BYTES(data, back);
    }
    EXPECT(without_thread >= apart / 2);
  }
}

SITUATION(Apart, ByTheShortcut, not_own) {
  const std::string path = context.fresh_file("apart-shortcut");
  {
    const Info info{{"concilio_agree", "seldom"}};
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    OK(MPI_File_set_view(file, place(0), MPI_BYTE,
                         resized_of(contiguous_of(block, MPI_BYTE), 0, MPI_Aint{block} * context.ranks),
                         "native", MPI_INFO_NULL));
    for (int row = 0; row < many; ++row) {
      const std::vector<uint8_t> data = values(context.rank * 1000 + row, block);
      MPI_Status status;
      OK(MPI_File_write_all(file, data.data(), block, MPI_BYTE, &status));
      EXPECT_EQUAL(block, bytes_in(status));
    }
    EXPECT_EQUAL(many, counter(file, "collective_writes"));
    EXPECT_EQUAL(0, counter(file, "independent_writes"));
    OK(MPI_File_seek(file, 0, MPI_SEEK_SET));
    for (int row = 0; row < many; ++row) {
      std::vector<uint8_t> back(block);
      MPI_Status status;
      OK(MPI_File_read_all(file, back.data(), block, MPI_BYTE, &status));
      EXPECT_EQUAL(block, bytes_in(status));
      EXPECT_BYTES(values(context.rank * 1000 + row, block), back);
    }
    EXPECT_EQUAL(many, counter(file, "collective_reads"));
  }
  barrier();
  expect_rows(path, many);
}

SITUATION(Apart, OneAfterAnotherOfNonblockingCalls, not_own) {
  const std::string path = context.fresh_file("apart-nonblocking");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
    std::vector<std::vector<uint8_t>> data;
    for (int row = 0; row < many; ++row) data.push_back(values(context.rank * 1000 + row, block));
    std::vector<MPI_Request> requests(many);
    for (int row = 0; row < many; ++row)
      OK(MPI_File_iwrite_at_all(file, place(row), data[row].data(), block, MPI_BYTE, &requests[row]));
    OK(MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE));
  }
  barrier();
  expect_rows(path, many);
}

// Rank 0 has made its call apart and waits for word of the others. They must not wait for rank 0 in theirs,
// also where operations of another file, which rank 0 has not started yet, are under way.
SITUATION(Apart, NobodyIsWaitedFor, not_own) {
  const std::string path = context.fresh_file("apart-alone"), other_path = context.fresh_file("apart-other");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent"))), other(other_path);
    for (int row = 0; row < 4; ++row) OK(write_row(file, row));
    const std::vector<uint8_t> mine = values(context.rank, block),
                               data = values(context.rank * 1000 + 4, block);
    MPI_Request on_other, on_file;
    if (context.rank == 0) {
      OK(write_row(file, 4));
      for (int rank = 1; rank < context.ranks; ++rank)
        OK(MPI_Recv(nullptr, 0, MPI_BYTE, rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_File_iwrite_at_all(other, place(0), mine.data(), block, MPI_BYTE, &on_other));
    if (context.rank != 0) {
      OK(MPI_File_iwrite_at_all(file, place(4), data.data(), block, MPI_BYTE, &on_file));
      OK(MPI_Wait(&on_file, MPI_STATUS_IGNORE));
      OK(write_row(file, 5));
      OK(MPI_Send(nullptr, 0, MPI_BYTE, 0, 7, MPI_COMM_WORLD));
    } else {
      OK(write_row(file, 5));
    }
    OK(MPI_Wait(&on_other, MPI_STATUS_IGNORE));
  }
  barrier();
  expect_rows(path, 6);
}

SITUATION(Apart, CallsOfOtherKindsSeeWhatWasWritten, not_own) {
  const std::string path = context.fresh_file("apart-seen");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
  for (int row = 0; row < 5; ++row) {
    if (row == 4 && context.rank == 0) wait_a_little();
    OK(write_row(file, row));
  }
  // Everybody reads what rank 0 has written late.
  std::vector<uint8_t> back(block);
  OK(MPI_File_read_at_all(file, MPI_Offset{4} * context.ranks * block, back.data(), block, MPI_BYTE,
                          MPI_STATUS_IGNORE));
  EXPECT_BYTES(values(4, block), back);
  OK(write_row(file, 5));
  for (int row = 6; row < 9; ++row) {
    if (row == 8 && context.rank == 0) wait_a_little();
    OK(write_row(file, row));
  }
  OK(MPI_File_sync(file));
  EXPECT_EQUAL(size_t{9} * context.ranks * block, contents(path).size());
}

// Each call is of another kind than the one before. So it begins with a meeting, and finds what was written
// before it; and where it only repeats the last one of its kind, it ends without another.
SITUATION(Apart, ReadsAndWritesByTurns, not_own) {
  const std::string path = context.fresh_file("apart-turns");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
    const int next = (context.rank + 1) % context.ranks;
    for (int row = 0; row < many; ++row) {
      if (row % context.ranks == context.rank) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const int64_t before = counter(file, "meetings");
      OK(write_row(file, row));
      std::vector<uint8_t> back(block);
      OK(MPI_File_read_at_all(file, (MPI_Offset{row} * context.ranks + next) * block, back.data(), block,
                              MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(values(next * 1000 + row, block), back);
      if (is_apart(row)) EXPECT_EQUAL(2, counter(file, "meetings") - before);
    }
    EXPECT_EQUAL(0, counter(file, "calls_apart"));
    // The calls of one kind that follow need no meeting at all.
    OK(write_row(file, many));
    OK(write_row(file, many + 1));
    EXPECT_EQUAL(1, counter(file, "calls_apart"));
  }
  barrier();
  expect_rows(path, many + 2);
}

// HDF5 sets a view before each collective access, whose datatype begins where the rank's bytes do, and
// another view after it.
SITUATION(Apart, GoesOnWhereEachCallHasItsView, not_own) {
  const std::string path = context.fresh_file("apart-views");
  {
    const Hints info(seldom("independent"));
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
    int64_t apart = 0, meetings = counter(file, "meetings");
    const auto expect_meetings = [&](int64_t expected) {
      const int64_t now = counter(file, "meetings");
      if (expected >= 0) EXPECT_EQUAL(expected, now - meetings);
      meetings = now;
    };
    for (int row = 0; row < many; ++row) {
      const Type there = blocks_at({block}, {static_cast<MPI_Aint>(place(row))}, MPI_BYTE);
      OK(MPI_File_set_view(file, 0, MPI_BYTE, resized_of(there, 0, MPI_Aint{many} * context.ranks * block),
                           "native", info));
      expect_meetings(1);
      const std::vector<uint8_t> data = values(context.rank * 1000 + row, block);
      OK(MPI_File_write_at_all(file, 0, data.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      apart += is_apart(row);
      EXPECT_EQUAL(apart, counter(file, "calls_apart"));
      expect_meetings(is_apart(row) ? 0 : -1);
      OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", info));
      expect_meetings(1);
    }
    EXPECT_EQUAL(1, counter(file, "plans_made"));
  }
  barrier();
  expect_rows(path, many);
}

// A program that has one view of all its data, and moves them by parts, repeats its calls: what these ask for
// is alike, wherever in the view it lies. Each rank has some columns of a matrix, or rows of its own.
SITUATION(Apart, PartsOfAView, not_own) {
  constexpr int rows = 48, rows_of_part = 6, columns = 40;
  for (const bool own_rows : {false, true}) {
    for (const char* method : {"list", "two_phase"}) {
      const std::string path = context.fresh_file("apart-parts");
      {
        File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom(method)));
        const Type mine = vector_of(rows, columns, own_rows ? columns : columns * context.ranks, MPI_BYTE);
        OK(MPI_File_set_view(file, MPI_Offset{context.rank} * columns * (own_rows ? rows : 1), MPI_BYTE, mine,
                             "native", MPI_INFO_NULL));
        const std::vector<uint8_t> data = values(context.rank, rows * columns);
        constexpr int part = rows_of_part * columns, calls = rows / rows_of_part;
        int64_t apart = 0;
        for (int call = 0; call < calls; ++call) {
          OK(MPI_File_write_all(file, &data[static_cast<size_t>(call * part)], part, MPI_BYTE,
                                MPI_STATUS_IGNORE));
          apart += is_apart(call) && std::string(method) != "two_phase";
          EXPECT_EQUAL(apart, counter(file, "calls_apart"));
        }
        EXPECT_EQUAL(1, counter(file, "plans_made"));
        std::vector<uint8_t> back(data.size());
        OK(MPI_File_read_at_all(file, 0, back.data(), static_cast<int>(back.size()), MPI_BYTE,
                                MPI_STATUS_IGNORE));
        EXPECT_BYTES(data, back);
      }
      barrier();
    }
  }
}

namespace {

// Records of a few bytes, each of another size, in places that do not move along, from one piece of memory or
// several. Some ranks have none.
void write_and_read_records(const char* agree) {
  const bool always = std::string(agree) == "always";
  constexpr int calls = 30, most = 400;
  const std::string path = context.fresh_file("small-pieces");
  const auto size_of = [](int call, int rank) {
    return context.ranks > 1 && (call + rank) % 5 == 0 ? 0 : 1 + (call * 37 + rank * 11) % most;
  };
  const auto value_of = [](int call, int rank) { return static_cast<uint8_t>(1 + (call * 7 + rank) % 250); };
  std::vector<uint8_t> expected;
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
              Info{{"concilio_method", "list"}, {"concilio_agree", agree}});
    int64_t apart = 0;
    for (int call = 0; call < calls; ++call) {
      MPI_Offset offset = 0;
      for (int rank = 0; rank < context.ranks; ++rank) {
        if (rank == context.rank) offset = std::ssize(expected);
        expected.insert(expected.end(), static_cast<size_t>(size_of(call, rank)), value_of(call, rank));
      }
      const std::vector<uint8_t> mine(most, value_of(call, context.rank));
      const int bytes = size_of(call, context.rank), pieces = 1 + call % 3;
      if (bytes % pieces == 0) {
        const Type apart = vector_of(pieces, bytes / pieces, most / pieces, MPI_BYTE);
        OK(MPI_File_write_at_all(file, offset, mine.data(), 1, apart, MPI_STATUS_IGNORE));
      } else {
        OK(MPI_File_write_at_all(file, offset, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
      }
      apart += !always && is_apart(call);
      EXPECT_EQUAL(apart, counter(file, "calls_apart"));
    }
    EXPECT_EQUAL(1, counter(file, "plans_made"));
    // Each rank reads the record of the next rank.
    MPI_Offset offset = 0;
    for (int call = 0; call < calls; ++call) {
      MPI_Offset wanted = 0;
      const int of = (context.rank + 1) % context.ranks;
      for (int rank = 0; rank < context.ranks; ++rank) {
        if (rank == of) wanted = offset;
        offset += size_of(call, rank);
      }
      std::vector<uint8_t> back(static_cast<size_t>(size_of(call, of)));
      OK(MPI_File_read_at_all(file, wanted, back.data(), size_of(call, of), MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(std::vector<uint8_t>(back.size(), value_of(call, of)), back);
    }
    EXPECT_EQUAL(2, counter(file, "plans_made"));
    // Larger ones get a plan of their own.
    const std::vector<uint8_t> large(100 << 10, 1);
    OK(MPI_File_write_at_all(file, MPI_Offset{1 << 20} * (1 + context.rank), large.data(),
                             static_cast<int>(large.size()), MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_EQUAL(3, counter(file, "plans_made"));
  }
  barrier();
  std::vector<uint8_t> found = contents(path);
  found.resize(expected.size());
  EXPECT_BYTES(expected, found);
}

}  // namespace

SITUATION(Apart, SmallPiecesOfAnySizeShareAPlan, not_own) {
  write_and_read_records("always");
}

// On one host the plan of a first small call is known beforehand, unless a hint asks for some method: the
// ranks meet when it begins and when it ends, and not for planning.
SITUATION(Apart, FirstSmallPiecesNeedNoPlanning, not_own) {
  const auto meetings_of_first = [&](const char* name, HintList hints) {
    const std::string path = context.fresh_file(name);
    hints.emplace_back("concilio_ranks_per_node", "0");
    int64_t meetings = 0;
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(hints));
      const int64_t before = counter(file, "meetings");
      OK(write_row(file, 0));
      meetings = counter(file, "meetings") - before;
      EXPECT_EQUAL(1, counter(file, "plans_made"));
      const std::vector<uint8_t> mine = values(context.rank * 1000, block);
      std::vector<uint8_t> back(block);
      OK(MPI_File_read_at_all(file, place(0), back.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(mine, back);
    }
    barrier();
    expect_rows(path, 1);
    return meetings;
  };
  const bool on_one_host = ranks_of_host() == context.ranks;
  const int64_t known = meetings_of_first("known", {});
  for (const HintList& hints :
       {HintList{{"concilio_method", "independent"}}, HintList{{"romio_no_indep_rw", "true"}},
        HintList{{"romio_cb_write", "enable"}}, HintList{{"concilio_write_behind", "65536"}}}) {
    const int64_t planned = meetings_of_first(hints.front().first.c_str(), hints);
    EXPECT(on_one_host ? known < planned : known == planned);
  }
}

// So it is where each rank writes a few small pieces; but only until the pattern comes back.
SITUATION(Apart, FewPiecesAreWrittenWithoutPlanningOnce, not_own) {
  if (context.ranks == 1) return;  // whose pieces are one
  struct Meetings {
    int64_t of_first, of_second;
  };
  const auto meetings_of_writes = [&](const char* name, HintList hints) {
    const std::string path = context.fresh_file(name);
    hints.emplace_back("concilio_ranks_per_node", "0");
    std::array<int64_t, 2> meetings{};
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(hints));
      const Type tile = resized_of(contiguous_of(block, MPI_BYTE), 0, MPI_Aint{block} * context.ranks);
      OK(MPI_File_set_view(file, place(0), MPI_BYTE, tile, "native", MPI_INFO_NULL));
      for (int call = 0; call < 2; ++call) {
        std::vector<uint8_t> data = values(context.rank * 1000 + 2 * call, block);
        const std::vector<uint8_t> more = values(context.rank * 1000 + 2 * call + 1, block);
        data.insert(data.end(), more.begin(), more.end());
        const int64_t before = counter(file, "meetings");
        OK(MPI_File_write_at_all(file, MPI_Offset{2} * call * block, data.data(), 2 * block, MPI_BYTE,
                                 MPI_STATUS_IGNORE));
        meetings[static_cast<size_t>(call)] = counter(file, "meetings") - before;
      }
    }
    barrier();
    expect_rows(path, 4);
    return Meetings{meetings[0], meetings[1]};
  };
  const bool on_one_host = ranks_of_host() == context.ranks;
  const Meetings known = meetings_of_writes("few", {});
  const Meetings planned = meetings_of_writes("few-planned", {{"concilio_method", "list"}});
  EXPECT(on_one_host ? known.of_first < planned.of_first : known.of_first == planned.of_first);
  if (on_one_host) EXPECT(known.of_second > known.of_first);
}

// Wherever they lie, and reads too: the second call of a pattern is planned.
SITUATION(Apart, FewPiecesFarApartAreMovedWithoutPlanningOnce, not_own) {
  if (context.ranks == 1) return;  // whose plans are made sooner
  File file(context.fresh_file("few-far-apart"), MPI_MODE_CREATE | MPI_MODE_RDWR,
            Hints(HintList{{"concilio_ranks_per_node", "0"}}));
  constexpr MPI_Aint far = 1 << 20;
  const Type tile = resized_of(contiguous_of(block, MPI_BYTE), 0, far);
  OK(MPI_File_set_view(file, place(0), MPI_BYTE, tile, "native", MPI_INFO_NULL));
  const std::vector<uint8_t> data = values(context.rank * 1000, 2 * block);
  const bool on_one_host = ranks_of_host() == context.ranks;
  for (const bool writes : {true, false}) {
    std::array<int64_t, 2> meetings{};
    for (int64_t& count : meetings) {
      std::vector<uint8_t> moved = writes ? data : std::vector<uint8_t>(2 * block);
      const int64_t before = counter(file, "meetings");
      if (writes)
        OK(MPI_File_write_at_all(file, 0, moved.data(), 2 * block, MPI_BYTE, MPI_STATUS_IGNORE));
      else
        OK(MPI_File_read_at_all(file, 0, moved.data(), 2 * block, MPI_BYTE, MPI_STATUS_IGNORE));
      count = counter(file, "meetings") - before;
      EXPECT_BYTES(data, moved);
    }
    if (on_one_host) EXPECT(meetings[0] < meetings[1]);
  }
}

// And where one rank alone has data, in many pieces: what lies between them stays. It does as well where
// another open of the file does not let the rank rewrite it.
SITUATION(Apart, ManyPiecesOfOneRankAreMovedWithoutPlanningOnce, not_own) {
  if (context.ranks == 1) return;  // whose plans are made sooner
  constexpr int pieces = 1000, piece = 16, extent = 40;
  const int writer = context.ranks - 1;
  const bool on_one_host = ranks_of_host() == context.ranks;
  for (const bool opened_twice : {false, true}) {
    const std::string path = context.fresh_file(opened_twice ? "many-of-one-opened-twice" : "many-of-one");
    const std::vector<uint8_t> before_all = values(7, pieces * extent);
    std::vector<uint8_t> expected = before_all;
    const std::vector<uint8_t> data = values(9000, pieces * piece);
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(HintList{{"concilio_ranks_per_node", "0"}}));
      std::optional<File> other;
      if (opened_twice) other.emplace(path, MPI_MODE_RDWR);
      OK(MPI_File_write_at_all(file, 0, before_all.data(), context.rank == 0 ? pieces * extent : 0, MPI_BYTE,
                               MPI_STATUS_IGNORE));
      const Type tile = resized_of(contiguous_of(piece, MPI_BYTE), 0, extent);
      OK(MPI_File_set_view(file, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
      const int bytes = context.rank == writer ? pieces * piece : 0;
      for (const bool writes : {true, false}) {
        std::array<int64_t, 2> meetings{};
        for (int64_t& count : meetings) {
          std::vector<uint8_t> moved = writes ? data : std::vector<uint8_t>(data.size());
          const int64_t before = counter(file, "meetings");
          if (writes)
            OK(MPI_File_write_at_all(file, 0, moved.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
          else
            OK(MPI_File_read_at_all(file, 0, moved.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
          count = counter(file, "meetings") - before;
          if (bytes > 0) EXPECT_BYTES(data, moved);
        }
        if (on_one_host) EXPECT(meetings[0] < meetings[1]);
      }
    }
    for (int i = 0; i < pieces; ++i)
      std::copy_n(data.begin() + i * piece, piece, expected.begin() + i * extent);
    barrier();
    EXPECT_BYTES(expected, contents(path));
  }
}

// So is one stretch of the file that is scattered in the memory of one rank.
SITUATION(Apart, OneStretchOfOneRankIsMovedWithoutPlanningOnce, not_own) {
  if (context.ranks == 1) return;  // whose plans are made sooner
  constexpr int pieces = 1000, piece = 128, extent = 192;
  const std::string path = context.fresh_file("one-stretch-of-one");
  const bool on_one_host = ranks_of_host() == context.ranks;
  const Type scattered = vector_of(pieces, piece, extent, MPI_BYTE);
  const std::vector<uint8_t> data = values(9000, pieces * extent);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(HintList{{"concilio_ranks_per_node", "0"}}));
    const int count = context.rank == context.ranks - 1 ? 1 : 0;
    for (const bool writes : {true, false}) {
      std::array<int64_t, 2> meetings{};
      for (int64_t& its : meetings) {
        std::vector<uint8_t> moved = data;
        const int64_t before = counter(file, "meetings");
        if (writes) {
          OK(MPI_File_write_at_all(file, 0, moved.data(), count, scattered, MPI_STATUS_IGNORE));
        } else {
          for (int i = 0; count > 0 && i < pieces; ++i) std::fill_n(moved.begin() + i * extent, piece, 0);
          OK(MPI_File_read_at_all(file, 0, moved.data(), count, scattered, MPI_STATUS_IGNORE));
        }
        its = counter(file, "meetings") - before;
        EXPECT_BYTES(data, moved);
      }
      if (on_one_host) EXPECT(meetings[0] < meetings[1]);
    }
  }
  std::vector<uint8_t> expected;
  for (int i = 0; i < pieces; ++i)
    expected.insert(expected.end(), data.begin() + i * extent, data.begin() + i * extent + piece);
  barrier();
  EXPECT_BYTES(expected, contents(path));
}

SITUATION(Apart, SmallPiecesOfAnySizeNeedNoMeetings, not_own) {
  write_and_read_records("seldom");
}

// Where the view has holes, small pieces may be followed by a call of many, which the ranks should make
// together. It is so if one rank's view has some.
SITUATION(Apart, SmallPiecesOfAnySizeMeetWhereViewsHaveHoles, not_own) {
  if (context.ranks == 1) return;  // whose views are all contiguous
  const std::string path = context.fresh_file("small-pieces-view");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("list")));
  const bool holes = context.rank == context.ranks - 1;
  const Type tile =
      resized_of(contiguous_of(block, MPI_BYTE), 0, MPI_Aint{block} * (holes ? context.ranks : 1));
  OK(MPI_File_set_view(file, MPI_Offset{context.rank} * block * (holes ? 1 : many), MPI_BYTE, tile, "native",
                       MPI_INFO_NULL));
  const std::vector<uint8_t> data = values(context.rank, block);
  for (int call = 0; call < many; ++call)
    OK(MPI_File_write_at_all(file, MPI_Offset{call} * block, data.data(), 1 + (call * 37) % block, MPI_BYTE,
                             MPI_STATUS_IGNORE));
  EXPECT_EQUAL(0, counter(file, "calls_apart"));
}

// Ranks that have found their places in an ordered call need no more of each other where it is like the one
// before. A call of the other operation begins anew.
SITUATION(Apart, OrderedCalls, not_own) {
  const std::string path = context.fresh_file("apart-ordered");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
    const auto meetings_of = [&](auto&& call) {
      const int64_t before = counter(file, "meetings");
      call();
      return counter(file, "meetings") - before;
    };
    const auto write_next = [&](int row) {
      const std::vector<uint8_t> data = values(context.rank * 1000 + row, block);
      MPI_Status status;
      OK(MPI_File_write_ordered(file, data.data(), block, MPI_BYTE, &status));
      EXPECT_EQUAL(block, bytes_in(status));
    };
    write_next(0);
    const int64_t together = meetings_of([&] { write_next(1); });
    for (int row = 2; row < many; ++row) {
      const int64_t meetings = meetings_of([&] { write_next(row); });
      EXPECT_EQUAL(is_apart(row), meetings < together);
    }
    EXPECT_EQUAL(0, counter(file, "calls_apart"));
    OK(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    for (int row = 0; row < many; ++row) {
      std::vector<uint8_t> back(block);
      OK(MPI_File_read_ordered(file, back.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(values(context.rank * 1000 + row, block), back);
    }
    EXPECT_EQUAL(many, counter(file, "collective_writes"));
  }
  barrier();
  expect_rows(path, many);
}

// An error of one rank in such a call is told to all in the next one.
SITUATION(Apart, ErrorsOfOrderedCallsReachAllRanks, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("apart-ordered-error");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
    const int wrong = context.ranks - 1;
    const std::vector<uint8_t> data = values(context.rank * 1000, block);
    const auto write_next = [&](int count) {
      return MPI_File_write_ordered(file, data.data(), count, MPI_BYTE, MPI_STATUS_IGNORE);
    };
    for (int row = 0; row < 2; ++row) OK(write_next(block));
    const int code = write_next(context.rank == wrong ? -1 : block);
    EXPECT_EQUAL(context.rank == wrong, code != MPI_SUCCESS);
    FAILS(MPI_ERR_COUNT, write_next(block));
    OK(MPI_File_sync(file));
    OK(write_next(block));
  }
}

// Through a view of another form the ranks meet again: the method of the calls before may not suit it. One
// rank whose view has changed is enough.
SITUATION(Apart, NotThroughOtherViews, not_own) {
  if (context.ranks == 1) return;  // whose views are all contiguous
  const std::string path = context.fresh_file("apart-other-view");
  const Hints info(seldom("independent"));
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
  const auto set_view = [&](int piece) {
    const Type tile = resized_of(contiguous_of(piece, MPI_BYTE), 0, MPI_Aint{piece} * context.ranks);
    OK(MPI_File_set_view(file, MPI_Offset{context.rank} * piece, MPI_BYTE, tile, "native", MPI_INFO_NULL));
  };
  const std::vector<uint8_t> data = values(context.rank, block);
  const auto write = [&] {
    OK(MPI_File_write_at_all(file, 0, data.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
  };
  set_view(block);
  for (int call = 0; call < 5; ++call) write();
  EXPECT_EQUAL(2, counter(file, "calls_apart"));
  set_view(context.rank == 0 ? block / 2 : block);
  write();
  EXPECT_EQUAL(2, counter(file, "calls_apart"));
  set_view(block);
  for (int call = 0; call < 3; ++call) write();
  EXPECT_EQUAL(3, counter(file, "calls_apart"));
}

// An error is at once that of the rank that has it, and that of all in the next call that all make together.
SITUATION(Apart, ErrorsReachAllRanks, not_own) {
  if (context.ranks == 1) return;  // it has returned its own error
  for (const bool by_sync : {true, false}) {
    const std::string path = context.fresh_file("apart-error");
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
      const int wrong = context.ranks - 1;
      for (int row = 0; row < 4; ++row) OK(write_row(file, row));
      EXPECT_EQUAL(1, counter(file, "calls_apart"));
      // This call is made apart.
      const int code = write_row(file, 4, context.rank == wrong ? -1 : block);
      EXPECT_EQUAL(context.rank == wrong, code != MPI_SUCCESS);
      EXPECT_EQUAL(2, counter(file, "calls_apart"));
      OK(write_row(file, 4));
      OK(write_row(file, 5));
      // A meeting that moves no data does its work, and keeps the error for one that does.
      OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
      const int told = by_sync ? MPI_File_sync(file) : write_row(file, 6);
      EXPECT_EQUAL(true, told != MPI_SUCCESS);
      int kind = 0, length = 0;
      char text[MPI_MAX_ERROR_STRING];
      MPI_Error_class(told, &kind);
      EXPECT_EQUAL(MPI_ERR_COUNT, kind);
      MPI_Error_string(told, text, &length);
      OK(MPI_File_sync(file));
      OK(write_row(file, by_sync ? 6 : 7));
    }
    barrier();
    expect_rows(path, by_sync ? 7 : 8);
  }
}

// Libraries set a view before each access. Once the ranks have met for one, the next access tells all of them
// of an error, however many calls more they would have made apart.
SITUATION(Apart, ErrorsAreToldAfterTheNextView, not_own) {
  if (context.ranks == 1) return;  // it has returned its own error
  const std::string path = context.fresh_file("apart-error-view");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
    for (int row = 0; row < 8; ++row) OK(write_row(file, row));
    EXPECT_EQUAL(true, is_apart(8) && is_apart(9));
    const int code = write_row(file, 8, context.rank == 0 ? -1 : block);
    EXPECT_EQUAL(context.rank == 0, code != MPI_SUCCESS);
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    FAILS(MPI_ERR_COUNT, write_row(file, 8));
    OK(write_row(file, 8));
  }
  barrier();
  expect_rows(path, 9);
}

// Where every rank has returned an error of its own, there is nothing to tell.
SITUATION(Apart, ErrorsOfAllRanksAreToldOnce, not_own) {
  const std::string path = context.fresh_file("apart-all-fail");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
  for (int row = 0; row < 4; ++row) OK(write_row(file, row));
  FAILS(MPI_ERR_COUNT, write_row(file, 4, -1));
  EXPECT_EQUAL(2, counter(file, "calls_apart"));
  OK(write_row(file, 4));
  OK(MPI_File_sync(file));
}

// A rank that leaves out a collective call is found out when the ranks next meet.
SITUATION(Apart, DifferentNumbersOfCalls, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("apart-different");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(seldom("independent")));
  for (int row = 0; row < 4; ++row) OK(write_row(file, row));
  if (context.rank != 0) OK(write_row(file, 4));
  const int code = MPI_File_sync(file);
  EXPECT_EQUAL(true, code != MPI_SUCCESS);
  int kind = 0;
  MPI_Error_class(code, &kind);
  EXPECT_EQUAL(MPI_ERR_NOT_SAME, kind);
  OK(MPI_File_sync(file));
  OK(write_row(file, 5));
}

// Calls whose bytes others might see half done, or that rewrite others' bytes, are made together.
SITUATION(Apart, NotWhereRanksNeedEachOther, not_own) {
  constexpr int calls = 10;
  const std::string path = context.fresh_file("apart-never");
  const auto expect_together = [&](const HintList& hints, bool atomic, const char* method_counter) {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Hints(hints));
    OK(MPI_File_set_atomicity(file, atomic));
    const Type tile = resized_of(contiguous_of(8, MPI_BYTE), 0, 8 * context.ranks + 8);
    OK(MPI_File_set_view(file, MPI_Offset{context.rank} * 8, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    const std::vector<uint8_t> data = values(context.rank, block);
    for (int i = 0; i < calls; ++i)
      OK(MPI_File_write_at_all(file, 0, data.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
    // Where a method is not possible another one was taken, which the ranks may repeat apart.
    if (counter(file, method_counter) == calls) EXPECT_EQUAL(0, counter(file, "calls_apart"));
  };
  expect_together({{"concilio_agree", "always"}}, false, "collective_writes");
  expect_together(seldom("list"), true, "collective_writes");
  expect_together(seldom("sieve"), false, "method_sieve");
  expect_together(seldom("two_phase"), false, "method_two_phase");
}
