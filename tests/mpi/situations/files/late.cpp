// Changes of a file's name while it is open. Most ranks of a node open the file only when they first need it,
// and must then reach the file that rank 0 opened.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <functional>

#include "situations/situation.h"

using namespace situations;

namespace {

constexpr int block = 100;

std::vector<uint8_t> of_all_ranks() {
  std::vector<uint8_t> all;
  for (int rank = 0; rank < context.ranks; ++rank) {
    const auto part = values(rank, block);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// On one node, and on several, one of which has ranks that open late.
const std::initializer_list<const char*> nodes_of = {"0", "5"};

// Rank 0 does the work, and then all ranks continue.
void by_rank_0(const std::function<bool()>& change) {
  barrier();
  if (context.rank == 0) EXPECT(change());
  barrier();
}

void each_writes_its_block(MPI_File file) {
  const auto mine = values(context.rank, block);
  OK(MPI_File_write_at(file, MPI_Offset{context.rank} * block, mine.data(), block, MPI_BYTE,
                       MPI_STATUS_IGNORE));
}

void each_reads_its_neighbours_block(MPI_File file) {
  const int next = (context.rank + 1) % context.ranks;
  std::vector<uint8_t> found(block);
  OK(MPI_File_read_at(file, MPI_Offset{next} * block, found.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT_BYTES(values(next, block), found);
}

void each_writes_and_its_neighbour_reads(MPI_File file) {
  each_writes_its_block(file);
  OK(MPI_File_sync(file));
  barrier();
  OK(MPI_File_sync(file));
  each_reads_its_neighbours_block(file);
}

}  // namespace

SITUATION(LateOpen, RenamedFile, everywhere) {
  for (const char* nodes : nodes_of) {
    const std::string path = context.fresh_file("late-before"), after = context.fresh_file("late-after");
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_ranks_per_node", nodes}});
      by_rank_0([&] { return std::rename(path.c_str(), after.c_str()) == 0; });
      each_writes_and_its_neighbour_reads(file);
    }
    barrier();
    EXPECT(!exists(path));
    EXPECT_BYTES(of_all_ranks(), contents(after));
  }
}

SITUATION(LateOpen, UnlinkedFile, everywhere) {
  for (const char* nodes : nodes_of) {
    const std::string path = context.fresh_file("late-unlinked");
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_ranks_per_node", nodes}});
      by_rank_0([&] { return unlink(path.c_str()) == 0; });
      each_writes_and_its_neighbour_reads(file);
    }
    barrier();
    EXPECT(!exists(path));
  }
}

SITUATION(LateOpen, AnotherFileTookTheName, everywhere) {
  const std::vector<uint8_t> others = values(99, 3000);
  for (const char* nodes : nodes_of) {
    const std::string path = context.fresh_file("late-taken"), after = context.fresh_file("late-moved");
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_ranks_per_node", nodes}});
      by_rank_0([&] { return std::rename(path.c_str(), after.c_str()) == 0; });
      make_file(path, others);
      each_writes_and_its_neighbour_reads(file);
    }
    barrier();
    EXPECT_BYTES(others, contents(path));
    EXPECT_BYTES(of_all_ranks(), contents(after));
  }
}

SITUATION(LateOpen, AnotherFileTookTheNameOfOneThatIsRead, everywhere) {
  const std::string path = context.fresh_file("late-read"), after = context.fresh_file("late-read-moved");
  make_file(path, of_all_ranks());
  File file(path, MPI_MODE_RDONLY);
  by_rank_0([&] { return std::rename(path.c_str(), after.c_str()) == 0; });
  make_file(path, values(99, 3000));
  each_reads_its_neighbours_block(file);
}

SITUATION(LateOpen, CollectiveCallsAfterARename, everywhere) {
  // Interleaved blocks of ten bytes, by methods in which every rank accesses the file, and by methods in
  // which few ranks do.
  for (const char* method : {"list", "sieve", "mapped", "two_phase"}) {
    const std::string path = context.fresh_file("late-all"), after = context.fresh_file("late-all-moved");
    const std::vector<uint8_t> others = values(99, 3000), mine = values(context.rank, block);
    {
      File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, Info{{"concilio_method", method}});
      by_rank_0([&] { return std::rename(path.c_str(), after.c_str()) == 0; });
      make_file(path, others);
      const Type ten = contiguous_of(10, MPI_BYTE), tile = resized_of(ten, 0, MPI_Aint{10} * context.ranks);
      OK(MPI_File_set_view(file, MPI_Offset{10} * context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
      OK(MPI_File_write_all(file, mine.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      std::vector<uint8_t> found(block);
      OK(MPI_File_read_at_all(file, 0, found.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
      EXPECT_BYTES(mine, found);
    }
    barrier();
    EXPECT_BYTES(others, contents(path));
    EXPECT_EQUAL(block * context.ranks, std::ssize(contents(after)));
  }
}

// Ranks that got the file from another rank must still respect each other's locks.
SITUATION(LateOpen, RanksSieveARenamedFileAtOnce, everywhere) {
  const std::string path = context.fresh_file("late-sieved"), after = context.fresh_file("late-sieved-moved");
  constexpr int rounds = 20;
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR,
              Info{{"romio_ds_write", "enable"}, {"ind_wr_buffer_size", "512"}});
    by_rank_0([&] { return std::rename(path.c_str(), after.c_str()) == 0; });
    const Type one = contiguous_of(1, MPI_BYTE), tile = resized_of(one, 0, context.ranks);
    OK(MPI_File_set_view(file, context.rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
    for (int i = 0; i < rounds; ++i) {
      const auto mine = values(context.rank, block);
      OK(MPI_File_write_at(file, MPI_Offset{i} * block, mine.data(), block, MPI_BYTE, MPI_STATUS_IGNORE));
    }
  }
  barrier();
  std::vector<uint8_t> expected(static_cast<size_t>(rounds * block * context.ranks));
  for (size_t i = 0; i < expected.size(); ++i) {
    const auto ranks = static_cast<size_t>(context.ranks);
    expected[i] = value(static_cast<int64_t>(i % ranks), static_cast<int64_t>(i / ranks) % block);
  }
  EXPECT_BYTES(expected, contents(after));
}

// Nobody may open the file any more, but ranks that have it open may use it.
SITUATION(LateOpen, PermissionsGivenUp, everywhere) {
  const std::string path = context.fresh_file("late-forbidden");
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR);
    by_rank_0([&] { return chmod(path.c_str(), 0) == 0; });
    const bool root = geteuid() == 0;
    if (root) EXPECT(seteuid(65534) == 0);
    each_writes_and_its_neighbour_reads(file);
    barrier();
    if (root) EXPECT(seteuid(0) == 0);
  }
  by_rank_0([&] { return chmod(path.c_str(), 0600) == 0; });
  EXPECT_BYTES(of_all_ranks(), contents(path));
}

SITUATION(LateOpen, ProgramGoesToAnotherFolder, everywhere) {
  char before[PATH_MAX] = "";
  EXPECT(getcwd(before, sizeof before) != nullptr);
  const std::string path = context.fresh_file("late-relative");
  EXPECT(chdir(context.folder.c_str()) == 0);
  {
    File file("late-relative");
    EXPECT(chdir("/") == 0);
    each_writes_and_its_neighbour_reads(file);
  }
  EXPECT(chdir(before) == 0);
  barrier();
  EXPECT_BYTES(of_all_ranks(), contents(path));
}

SITUATION(LateOpen, AnotherFileTookTheNameOfOneThatIsDeletedOnClose, not_own) {
  const std::string path = context.fresh_file("late-deleted"), after = context.fresh_file("late-kept");
  const std::vector<uint8_t> others = values(99, 300);
  MPI_File file = MPI_FILE_NULL;
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &file));
  by_rank_0([&] { return std::rename(path.c_str(), after.c_str()) == 0; });
  make_file(path, others);
  FAILS(MPI_ERR_NO_SUCH_FILE, MPI_File_close(&file));
  EXPECT(file == MPI_FILE_NULL);
  EXPECT_BYTES(others, contents(path));
}

namespace {

// The last rank sees other contents of the folder, as a host does that does not share it.
class FolderOfItsOwn {
 public:
  FolderOfItsOwn() : before_(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)) {
    if (context.rank == context.ranks - 1) {
      apart_ = before_ >= 0 && unshare(CLONE_NEWNS) == 0;
      made_ = apart_ && mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
              mount("tmpfs", context.folder.c_str(), "tmpfs", 0, nullptr) == 0;
    }
    int made = made_;
    MPI_Bcast(&made, 1, MPI_INT, context.ranks - 1, MPI_COMM_WORLD);
    made_ = made != 0;
  }
  ~FolderOfItsOwn() {
    if (apart_) EXPECT(setns(before_, CLONE_NEWNS) == 0);
    if (before_ >= 0) ::close(before_);
  }
  FolderOfItsOwn(const FolderOfItsOwn&) = delete;
  // The same on all ranks, though root alone may be able to make one.
  explicit operator bool() const { return made_; }

 private:
  const int before_;
  bool apart_ = false, made_ = false;
};

}  // namespace

SITUATION(LateOpen, RankThatDoesNotSeeTheFolder, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("late-unseen");
  {
    const FolderOfItsOwn last;
    if (!last) return;
    File file(path);
    each_writes_and_its_neighbour_reads(file);
  }
  barrier();
  EXPECT_BYTES(of_all_ranks(), contents(path));
}

SITUATION(LateOpen, NodeWithAnotherFileUnderThePath, not_own) {
  if (context.ranks == 1) return;
  const std::string path = context.fresh_file("late-elsewhere");
  const std::vector<uint8_t> others = values(99, 300);
  const FolderOfItsOwn last;
  if (!last) return;
  if (context.rank == context.ranks - 1) {
    // Makes as many files before it as are needed to get another inode number.
    for (int i = 0; i < 100; ++i) {
      const int made = ::open((path + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600);
      if (made >= 0) ::close(made);
    }
    const int file = ::open(path.c_str(), O_CREAT | O_WRONLY, 0600);
    EXPECT(pwrite(file, others.data(), others.size(), 0) == std::ssize(others));
    ::close(file);
  }
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                 Info{{"concilio_ranks_per_node", "1"}}, &file);
  FAILS(MPI_ERR_NO_SUCH_FILE, code);
  EXPECT(file == MPI_FILE_NULL);
  EXPECT(message_of(code).find("late-elsewhere") != std::string::npos);
  if (context.rank == context.ranks - 1) EXPECT_BYTES(others, contents(path));
}

// The first close deletes the file, and the others have nothing left to delete.
SITUATION(LateOpen, DeletedByAnotherOpen, not_own) {
  const std::string path = context.fresh_file("deleted-by-another");
  File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, MPI_COMM_SELF);
  barrier();
  OK(MPI_File_close(file.address()));
  barrier();
  EXPECT(!exists(path));
}
