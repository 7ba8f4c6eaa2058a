// Which ranks open the file in MPI_File_open. Where opens cost much, as CONCILIO_THROTTLE=opens=1000 makes
// them, that is the first rank of each node alone. The others must learn from MPI_File_open that they cannot
// open the file, and can use it otherwise, although they open it only then.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int block = 100;
constexpr int hindered = 1;  // not the first rank of a node
constexpr std::pair<const char*, const char*> in_nodes_of_two{"concilio_ranks_per_node", "2"};

bool opens_cost_much() {
  const char* costs = std::getenv("CONCILIO_THROTTLE");
  return costs && std::string(costs).find("opens=") != std::string::npos;
}

bool is_first_of_node() {
  return context.rank % 2 == 0;
}

void write_own_block(MPI_File file) {
  const auto mine = values(context.rank, block);
  OK(MPI_File_write_at(file, MPI_Offset{context.rank} * block, mine.data(), block, MPI_BYTE,
                       MPI_STATUS_IGNORE));
}

void expect_blocks_of_all(const std::string& path) {
  std::vector<uint8_t> all;
  for (int rank = 0; rank < context.ranks; ++rank) {
    const auto part = values(rank, block);
    all.insert(all.end(), part.begin(), part.end());
  }
  EXPECT_BYTES(all, contents(path));
}

// All ranks must be told by MPI_File_open, and the file can be opened when the hindrance is gone.
void expect_refused(const std::string& path, int error_class, const Info& info) {
  MPI_File file = MPI_FILE_NULL;
  FAILS(error_class, MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDWR, info, &file));
  EXPECT(file == MPI_FILE_NULL);
  barrier();
}

// This process may have no more descriptors than it has now.
class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    EXPECT(getrlimit(RLIMIT_NOFILE, &before_) == 0);
    const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(next);
    rlimit now = before_;
    now.rlim_cur = static_cast<rlim_t>(next);
    EXPECT(next >= 0 && setrlimit(RLIMIT_NOFILE, &now) == 0);
  }
  ~NoMoreDescriptors() { EXPECT(setrlimit(RLIMIT_NOFILE, &before_) == 0); }
  NoMoreDescriptors(const NoMoreDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

SITUATION(Openers, FirstOfEachNodeWhereOpensCostMuch, not_own) {
  if (!opens_cost_much()) return;
  const std::string path = context.fresh_file("openers");
  const int64_t at_open = is_first_of_node() ? 1 : 0;
  {
    const File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{in_nodes_of_two});
    EXPECT_EQUAL(at_open, counter(file, "storage_opens"));
    write_own_block(file);
    EXPECT_EQUAL(1, counter(file, "storage_opens"));
  }
  barrier();
  expect_blocks_of_all(path);
}

// Aggregators are ranks that have the file open.
SITUATION(Openers, NobodyElseOpensForAggregators, not_own) {
  if (!opens_cost_much()) return;
  const std::string path = context.fresh_file("openers-aggregators");
  const int64_t at_open = is_first_of_node() ? 1 : 0;
  const auto mine = values(context.rank, block);
  const auto offset = MPI_Offset{context.rank} * block;
  {
    const File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                    Info{in_nodes_of_two, {"concilio_method", "two_phase"}, {"cb_config_list", "*:1"}});
    OK(MPI_File_write_at_all(file, offset, mine.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<uint8_t> found(block);
    OK(MPI_File_read_at_all(file, offset, found.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, found);
    EXPECT_EQUAL(at_open, counter(file, "storage_opens"));
  }
  barrier();
  expect_blocks_of_all(path);
}

SITUATION(Openers, OfANewFile, everywhere) {
  const std::string path = context.fresh_file("openers-new");
  const int amode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR;
  {
    const File file(path, amode, Info{in_nodes_of_two});
    write_own_block(file);
  }
  barrier();
  expect_blocks_of_all(path);
  MPI_File file = MPI_FILE_NULL;
  FAILS(MPI_ERR_FILE_EXISTS,
        MPI_File_open(MPI_COMM_WORLD, path.c_str(), amode, Info{in_nodes_of_two}, &file));
  EXPECT(file == MPI_FILE_NULL);
}

// Whether all have opened the file, or most only keep a descriptor of it.
SITUATION(Openers, OfAFileThatIsDeletedOnClose, everywhere) {
  for (const bool all_open : {false, true}) {
    const std::string path = context.fresh_file("openers-deleted");
    {
      const File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                      Info{in_nodes_of_two});
      if (all_open) write_own_block(file);
    }
    barrier();
    EXPECT(!exists(path));
  }
}

SITUATION(Openers, RankThatMayHaveNoMoreDescriptors, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("openers-descriptors");
  {
    const File first(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{in_nodes_of_two});
  }  // what MPI opens, it has by now
  {
    std::optional<NoMoreDescriptors> limit;
    if (context.rank == hindered) limit.emplace();
    expect_refused(path, MPI_ERR_OTHER, Info{in_nodes_of_two});
  }
  {
    const File file(path, MPI_MODE_RDWR, Info{in_nodes_of_two});
    write_own_block(file);
  }
  barrier();
  expect_blocks_of_all(path);
}

// Of a user whom the file's permissions keep out, and to whom other users' ranks pass nothing.
SITUATION(Openers, RankOfAnotherUser, not_own) {
  if (context.ranks == 1) return;
  int all_root = geteuid() == 0;
  MPI_Allreduce(MPI_IN_PLACE, &all_root, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (!all_root) return;
  const std::string path = context.fresh_file("openers-user");
  make_file(path, values(0, block));
  if (context.rank == 0) EXPECT(chmod(path.c_str(), 0600) == 0);
  barrier();
  const bool other = context.rank == hindered;
  if (other) EXPECT(seteuid(65534) == 0);
  expect_refused(path, MPI_ERR_ACCESS, Info{in_nodes_of_two});
  if (other) EXPECT(seteuid(0) == 0);
  barrier();
  const File file(path, MPI_MODE_RDWR, Info{in_nodes_of_two});
  write_own_block(file);
}
