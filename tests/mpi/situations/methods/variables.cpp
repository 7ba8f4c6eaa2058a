// Programs that make several patterns by turns: variable after variable, each with a view of its own, and
// again in the next time step. Each is planned once, whatever the order, and every byte is where it belongs
// also where there are more patterns than plans are kept.
#include <algorithm>
#include <random>

#include "situations/situation.h"

using namespace situations;

namespace {

// Of each row of a variable every rank has some columns, more of one variable than of another. Rows of some
// variables end with columns that nobody has.
struct Variable {
  int rows, columns, row;

  explicit Variable(int number)
      : rows(12 + 3 * number),
        columns(24 + 8 * (number % 7)),
        row(columns * context.ranks + (number % 3 == 1 ? 24 : 0)) {}
  int bytes_of_rank() const { return rows * columns; }
  MPI_Offset bytes() const { return MPI_Offset{rows} * row; }
};

// The variables' places in the order in which a program writes them.
class Course {
 public:
  explicit Course(std::vector<int> order) : order_(std::move(order)) {
    MPI_Offset at = 3;
    for (const int number : order_) {
      places_.push_back(at);
      at += Variable(number).bytes() + number % 3 * 100;
    }
    end_ = at;
  }
  int calls() const { return static_cast<int>(order_.size()); }

  void write(MPI_File file, int call) const {
    const std::vector<uint8_t> data = data_of(call, context.rank);
    set_view(file, call);
    OK(MPI_File_write_at_all(file, 0, data.data(), static_cast<int>(data.size()), MPI_BYTE,
                             MPI_STATUS_IGNORE));
  }
  void read(MPI_File file, int call) const {
    std::vector<uint8_t> back(data_of(call, context.rank).size());
    set_view(file, call);
    OK(MPI_File_read_at_all(file, 0, back.data(), static_cast<int>(back.size()), MPI_BYTE,
                            MPI_STATUS_IGNORE));
    EXPECT_BYTES(data_of(call, context.rank), back);
  }
  std::vector<uint8_t> expected() const {
    std::vector<uint8_t> all(static_cast<size_t>(end_));
    size_t end = 0;
    for (int call = 0; call < calls(); ++call) {
      const Variable its(order_[static_cast<size_t>(call)]);
      for (int rank = 0; rank < context.ranks; ++rank) {
        const std::vector<uint8_t> data = data_of(call, rank);
        for (int row = 0; row < its.rows; ++row) {
          const auto to = static_cast<size_t>(places_[static_cast<size_t>(call)] + MPI_Offset{row} * its.row +
                                              rank * its.columns);
          std::copy_n(&data[static_cast<size_t>(row * its.columns)], its.columns, &all[to]);
          end = std::max(end, to + static_cast<size_t>(its.columns));
        }
      }
    }
    all.resize(end);
    return all;
  }

 private:
  std::vector<uint8_t> data_of(int call, int rank) const {
    return values(rank * 1000 + call, Variable(order_[static_cast<size_t>(call)]).bytes_of_rank());
  }
  void set_view(MPI_File file, int call) const {
    const Variable its(order_[static_cast<size_t>(call)]);
    const Type columns = vector_of(its.rows, its.columns, its.row, MPI_BYTE);
    OK(MPI_File_set_view(file, places_[static_cast<size_t>(call)] + context.rank * its.columns, MPI_BYTE,
                         columns, "native", MPI_INFO_NULL));
  }

  std::vector<int> order_;
  std::vector<MPI_Offset> places_;  // of each call's variable in the file
  MPI_Offset end_ = 0;
};

std::vector<int> repeated(const std::vector<int>& step, int times) {
  std::vector<int> order;
  for (int i = 0; i < times; ++i) order.insert(order.end(), step.begin(), step.end());
  return order;
}

}  // namespace

SITUATION(Variables, EachPatternIsPlannedOnce, not_own) {
  const std::vector<int> orders[] = {
      {0, 1}, {0, 1, 2}, {0, 0, 1, 1}, {0, 1, 0, 0, 0, 2}, {4, 3, 2, 1, 0, 5, 6}};
  for (const char* nodes : {"0", "1"}) {
    for (const std::vector<int>& step : orders) {
      const Course course(repeated(step, 4));
      const int patterns = 1 + *std::max_element(step.begin(), step.end());
      const std::string path = context.fresh_file("by-turns");
      {
        File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  Info{{"concilio_method", "two_phase"}, {"concilio_ranks_per_node", nodes}});
        for (int call = 0; call < course.calls(); ++call) course.write(file, call);
        EXPECT_EQUAL(patterns, counter(file, "plans_made"));
        for (int call = 0; call < course.calls(); ++call) course.read(file, call);
        EXPECT_EQUAL(2 * patterns, counter(file, "plans_made"));
      }
      barrier();
      EXPECT_BYTES(course.expected(), contents(path));
    }
  }
}

// Where each rank carries out its own request, the ranks meet in few of the calls only, once they know what
// comes after what.
SITUATION(Variables, WithoutMeeting, not_own) {
  const Course course(repeated({0, 1, 2}, 20));
  const std::string path = context.fresh_file("by-turns-apart");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
              Info{{"concilio_method", "list"}, {"concilio_agree", "seldom"}});
    for (int call = 0; call < course.calls(); ++call) course.write(file, call);
    // Small pieces, as those of one rank alone, share a plan.
    if (context.ranks > 1) EXPECT_EQUAL(3, counter(file, "plans_made"));
    EXPECT(counter(file, "calls_apart") > course.calls() / 2);
    for (int call = 0; call < course.calls(); ++call) course.read(file, call);
    if (context.ranks > 1) EXPECT_EQUAL(6, counter(file, "plans_made"));
  }
  barrier();
  EXPECT_BYTES(course.expected(), contents(path));
}

// The ranks meet at the beginning and at the end of a read. To plan one takes more meetings.
SITUATION(Variables, SmallOnesAreNotPlannedUntilTheyAreReadAgain, not_own) {
  const bool on_one_node = ranks_of_host() == context.ranks;
  const Course course({0, 1, 2, 3});
  const std::string path = context.fresh_file("by-turns-once");
  make_file(path, course.expected());
  File file(path, MPI_MODE_RDWR);
  for (const bool again : {false, true}) {
    for (int call = 0; call < course.calls(); ++call) {
      const int64_t before = counter(file, "meetings"), views = 1;
      course.read(file, call);
      const int64_t meetings = counter(file, "meetings") - before - views;
      if (context.ranks == 1 || !on_one_node) continue;
      if (again)
        EXPECT(meetings > 2);
      else
        EXPECT_EQUAL(2, meetings);
    }
  }
}

SITUATION(Variables, MorePatternsThanAreKept, not_own) {
  constexpr int most = 60;
  const int calls = context.brief ? 50 : 100;
  using Hint = std::pair<const char*, const char*>;
  const Hint two_phase{"concilio_method", "two_phase"};
  const std::vector<Hint> ways[] = {
      {},
      {{"concilio_method", "list"}},
      {{"concilio_method", "sieve"}},
      {two_phase, {"cb_buffer_size", "4096"}},
      {two_phase, {"concilio_exchange", "images"}},
      {two_phase, {"romio_cb_alltoall", "enable"}},
      {two_phase, {"concilio_combine_nodes", "2"}},
      {two_phase, {"concilio_memory_limit", "128K"}},
      {two_phase, {"concilio_realms", "persistent"}},
      {two_phase,
       {"concilio_realms", "persistent"},
       {"concilio_write_behind", "64K"},
       {"romio_no_indep_rw", "true"}},
  };
  for (const std::vector<Hint>& way : ways) {
    for (const char* nodes : {"0", "1"}) {
      std::mt19937 random(7);  // alike on all ranks
      std::vector<int> order;
      for (int call = 0; call < calls; ++call)
        order.push_back(random() % 2 == 0 ? call % 3 : static_cast<int>(random() % most));
      const Course course(order);
      const std::string path = context.fresh_file("by-turns-many");
      {
        const Info info{{"concilio_ranks_per_node", nodes}, {"concilio_agree", "seldom"}};
        for (const auto& [name, text] : way) MPI_Info_set(info, name, text);
        File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, info);
        for (int call = 0; call < calls; ++call) {
          course.write(file, call);
          if (random() % 4 == 0)
            course.read(file, static_cast<int>(random() % static_cast<unsigned>(call + 1)));
        }
        for (int call = 0; call < calls; ++call) course.read(file, call);
      }
      barrier();
      EXPECT_BYTES(course.expected(), contents(path));
    }
  }
}

// Ranks that have made different calls expect different ones next, and must all forget what comes after what.
SITUATION(Variables, AfterRanksMadeDifferentCalls, not_own) {
  if (context.ranks == 1) return;
  constexpr int calls = 40, blocks[] = {100'000, 150'000};
  const std::string path = context.fresh_file("by-turns-different");
  std::vector<uint8_t> expected;
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
              Info{{"concilio_method", "list"}, {"concilio_agree", "seldom"}});
    const auto write = [&](int call) {
      const int block = blocks[call % 2];
      const MPI_Offset at = (call / 2 * MPI_Offset{250'000} + call % 2 * 100'000) * context.ranks;
      const std::vector<uint8_t> mine = values(context.rank * 1000 + call, block);
      OK(MPI_File_write_at_all(file, at + MPI_Offset{context.rank} * block, mine.data(), block, MPI_BYTE,
                               MPI_STATUS_IGNORE));
    };
    for (int call = 0; call < calls; ++call) {
      write(call);
      for (int rank = 0; rank < context.ranks; ++rank) {
        const std::vector<uint8_t> its = values(rank * 1000 + call, blocks[call % 2]);
        expected.insert(expected.end(), its.begin(), its.end());
      }
      if (call != 11) continue;
      // The 7 calls from the 10th on are made apart.
      if (context.rank == 0) write(call);
      FAILS(MPI_ERR_NOT_SAME, MPI_File_sync(file));
    }
    EXPECT(counter(file, "calls_apart") > calls / 2);
  }
  barrier();
  EXPECT_BYTES(expected, contents(path));
}
