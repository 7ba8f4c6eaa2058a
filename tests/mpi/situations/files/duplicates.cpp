// Files opened with communicators that live only as long as the file, as HDF5, netCDF and PnetCDF make them.
// A later one of the same ranks in the same order is served by what was set up for an earlier one, and no
// other is.
#include <deque>
#include <fstream>
#include <memory>
#include <random>
#include <set>

#include "situations/situation.h"

using namespace situations;

namespace {

class Comm {
 public:
  // All ranks, in their order.
  static Comm duplicate() {
    Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made.comm_);
    return made;
  }
  // Those with the same colour, ordered by key.
  static Comm part(int colour, int key) {
    Comm made;
    MPI_Comm_split(MPI_COMM_WORLD, colour, key, &made.comm_);
    return made;
  }
  Comm(Comm&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  ~Comm() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  operator MPI_Comm() const { return comm_; }

 private:
  Comm() = default;
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Device and inode of the memory that Concilio shares between this process and others: files without a name.
std::set<std::string> shared_memory() {
  std::set<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string range, access, offset, device, inode, name;
    words >> range >> access >> offset >> device >> inode >> name;
    const bool nameless = name.starts_with("/dev/shm/#") || name.starts_with("/memfd:concilio");
    if (access == "rw-s" && nameless) found.insert(device.append(" ").append(inode));
  }
  return found;
}

// Returns the memory that this process shares with others while a file is open.
std::set<std::string> use_once(const std::string& path, const Comm& comm, const Info& hints) {
  const File file(path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, comm);
  const auto mine = values(context.rank, 50);
  OK(MPI_File_write_at_all(file, 50 * MPI_Offset{context.rank}, mine.data(), 50, MPI_BYTE,
                           MPI_STATUS_IGNORE));
  return shared_memory();
}

// A file on a part of the ranks. Every rank writes a block of its own.
struct OfPart {
  std::string path;
  Comm comm;
  std::unique_ptr<File> file;
  int rank = 0, ranks = 0, stream = 0;

  OfPart(const std::string& path, Comm made, int stream) : path(path), comm(std::move(made)), stream(stream) {
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    file = std::make_unique<File>(path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, comm);
  }
  void write() {
    constexpr int piece = 16, pieces = 8, bytes = piece * pieces;
    const auto mine = values(stream + rank, bytes);
    const Type view = resized_of(contiguous_of(piece, MPI_BYTE), 0, MPI_Aint{piece} * ranks);
    OK(MPI_File_set_view(*file, MPI_Offset{piece} * rank, MPI_BYTE, view, "native", MPI_INFO_NULL));
    OK(MPI_File_write_all(*file, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    std::vector<uint8_t> found(mine.size());
    OK(MPI_File_read_at_all(*file, 0, found.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT_BYTES(mine, found);
  }
};

}  // namespace

// By its name it comes first: communicators of other situations may leave no room to keep these.
SITUATION(AgainOnADuplicate, NoMoreSharedMemory, not_own) {
  // Between nodes, windows need more memory than is kept from one file to the next.
  const Info one_node{{"concilio_ranks_per_node", "0"}, {"concilio_method", "two_phase"}};
  const Info nodes{{"concilio_ranks_per_node", "2"}, {"concilio_method", "list"}};
  for (const Info* hints : {&one_node, &nodes}) {
    std::set<std::string> at_first;
    for (int i = 0; i < 5; ++i) {
      const std::string path = context.fresh_file("duplicates");
      const Comm comm = Comm::duplicate();
      const std::set<std::string> shared = use_once(path, comm, *hints);
      if (i == 0) at_first = shared;
      EXPECT(ranks_of_host() == 1 || hints != &one_node || !shared.empty());
      EXPECT_EQUAL(at_first.size(), shared.size());
      EXPECT(at_first == shared);
    }
  }
}

// Several at a time, some of which are freed while their files are open.
SITUATION(Duplicates, OfTheSameRanksAndOfOthers, everywhere) {
  std::mt19937 same_on_all(7);
  std::deque<OfPart> open;
  for (int i = 0; i < 60; ++i) {
    const int kind = static_cast<int>(same_on_all() % 4);
    const int colour = kind == 2 ? context.rank % 2 : kind == 3 ? context.rank * 2 / context.ranks : 0;
    Comm comm = kind == 0 ? Comm::duplicate() : Comm::part(colour, kind == 1 ? -context.rank : 0);
    const std::string name = "part" + as_text(i) + "-" + as_text(colour);
    open.emplace_back(context.fresh_file(name.c_str()), std::move(comm), 100 * i);
    if (same_on_all() % 2 == 0) {
      const Comm freed = std::move(open.back().comm);
    }
    for (OfPart& one : open) one.write();
    while (!open.empty() && same_on_all() % 3 != 0) open.pop_front();
  }
}

// More of them than are kept, with files that are all open at the same time.
SITUATION(Duplicates, MoreThanAreKept, everywhere) {
  for (int round = 0; round < 2; ++round) {
    std::deque<OfPart> open;
    for (int i = 0; i < 40; ++i) {
      const std::string path = context.fresh_file(("many" + as_text(i)).c_str());
      open.emplace_back(path, Comm::duplicate(), 100 * i);
    }
    for (OfPart& one : open) one.write();
  }
}
