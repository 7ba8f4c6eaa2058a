// dying VICTIM before|wait|ordered|write|read|open|"before open": rank VICTIM is killed before a collective
// write that the others are in (or wait for, nonblocking or split by the ordered pointer), in the middle of
// one, in the middle of a read, in the middle of an open (which the throttle must make last for seconds), or
// in an open to which the others have not come. The others must be told so by the call, by later ones and by
// the close, soon, and each says "well" in a file of its own in CONCILIO_TEST_RESULTS. The launcher must
// leave them. In "before open" it must not: it ends them.
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// The ranks' pieces alternate, so that every window needs every rank.
constexpr int piece = 100, pieces = 20000;
constexpr unsigned char before = 0xff;  // the contents of the file before

int rank, ranks;
std::string complaints;

void expect(bool condition, const std::string& what) {
  if (!condition) complaints += "rank " + std::to_string(rank) + ": not so: " + what + "\n";
}

void ok(int code, const char* what) {
  expect(code == MPI_SUCCESS, what);
}

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<size_t>(length)};
}

unsigned char value(int64_t at) {
  return static_cast<unsigned char>(at * 7 % 250);
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The call must fail soon, and name the rank that has died.
void told(int code, int victim, double since, const char* what) {
  int error_class = 0;
  MPI_Error_class(code, &error_class);
  expect(error_class == MPI_ERR_OTHER, std::string(what) + " fails: " + text_of(code));
  expect(text_of(code).find("rank " + std::to_string(victim) + " has ended") != std::string::npos,
         std::string(what) + " names the rank: " + text_of(code));
  expect(now() - since < 30, std::string(what) + " returns soon");
}

void kill_oneself(int) {
  kill(getpid(), SIGKILL);
}

// The file holds only what ranks wrote, and what was there before.
void expect_whole(const std::string& path) {
  std::vector<unsigned char> found(static_cast<size_t>(ranks) * piece * pieces);
  const int file = open(path.c_str(), O_RDONLY);
  const ssize_t got = read(file, found.data(), found.size());
  close(file);
  for (ssize_t i = 0; i < got; ++i) {
    const unsigned char byte = found[static_cast<size_t>(i)];
    if (byte != before && byte != value(i)) {
      expect(false, "byte " + std::to_string(i) + " is somebody's");
      return;
    }
  }
}

std::string result_of(int of) {
  return std::string(std::getenv("CONCILIO_TEST_RESULTS")) + "/rank-" + std::to_string(of);
}

// The launcher may end the other ranks when the first one exits.
void leave_together(int victim) {
  const std::string text = complaints.empty() ? "well\n" : complaints, path = result_of(rank);
  if (std::FILE* file = std::fopen((path + ".new").c_str(), "w")) {
    std::fputs(text.c_str(), file);
    std::fclose(file);
    std::rename((path + ".new").c_str(), path.c_str());
  }
  for (int other = 0; other < ranks; ++other) {
    for (int i = 0; other != victim && i < 300 && access(result_of(other).c_str(), F_OK) != 0; ++i)
      usleep(100000);
  }
  _exit(0);
}

// The call in which, or before which, a rank is killed.
int call(MPI_File file, const std::string& when, std::vector<unsigned char>& mine) {
  const auto bytes = static_cast<int>(mine.size());
  if (when == "read") return MPI_File_read_at_all(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  if (when == "wait") {
    MPI_Request request;
    ok(MPI_File_iwrite_at_all(file, 0, mine.data(), bytes, MPI_BYTE, &request), "start of the write");
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  if (when == "ordered") {
    ok(MPI_File_write_ordered_begin(file, mine.data(), 0, MPI_BYTE), "start of the write");
    return MPI_File_write_ordered_end(file, mine.data(), MPI_STATUS_IGNORE);
  }
  return MPI_File_write_at_all(file, 0, mine.data(), bytes, MPI_BYTE, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) return 2;
  // MPICH's launcher sends this signal when a rank has died. MPICH then asks the launcher which rank it was,
  // and the launcher of Debian 12 dies of its own answer, and all ranks with it.
  signal(SIGUSR1, SIG_IGN);
  const int victim = std::atoi(argv[1]);
  const std::string when = argv[2];
  const std::string path = std::string(std::getenv("CONCILIO_TEST_RESULTS")) + "/file";
  if (rank == 0) {
    const std::vector<unsigned char> bytes(static_cast<size_t>(ranks) * piece * pieces, before);
    const int file = open(path.c_str(), O_CREAT | O_WRONLY, 0644);
    expect(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()), "file made");
    close(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);

  std::vector<unsigned char> mine(static_cast<size_t>(piece) * pieces);
  for (int i = 0; i < piece * pieces; ++i)
    mine[static_cast<size_t>(i)] = value(int64_t{i / piece} * piece * ranks + rank * piece + i % piece);
  MPI_File file;
  const double begin = now();
  const auto die_after = [](int64_t milliseconds) {
    signal(SIGALRM, kill_oneself);
    const itimerval after{{0, 0}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
    setitimer(ITIMER_REAL, &after, nullptr);
  };
  if (when == "open" || when == "before open") {
    if (rank == victim) die_after(2000);
    if (rank != victim && when == "before open") sleep(4);
    told(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file), victim, begin,
         "MPI_File_open");
    expect(file == MPI_FILE_NULL, "no file is open");
    leave_together(victim);
  }
  ok(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file), "open");
  MPI_Datatype bytes, tile;
  MPI_Type_contiguous(piece, MPI_BYTE, &bytes);
  MPI_Type_create_resized(bytes, 0, static_cast<MPI_Aint>(piece) * ranks, &tile);
  MPI_Type_commit(&tile);
  ok(MPI_File_set_view(file, rank * piece, MPI_BYTE, tile, "native", MPI_INFO_NULL), "view");
  ok(MPI_File_write_at_all(file, 0, mine.data(), piece, MPI_BYTE, MPI_STATUS_IGNORE), "first write");

  const double start = now();
  if (rank == victim) {
    if (when == "before" || when == "wait" || when == "ordered") {
      usleep(300000);  // the others have begun the call by now
      kill_oneself(0);
    }
    die_after(300);
  }
  const int code = call(file, when, mine);
  told(code, victim, start, when == "read" ? "the read" : "the write");
  told(MPI_File_sync(file), victim, start, "MPI_File_sync");
  MPI_Request request;
  int later = MPI_File_iwrite_at_all(file, 0, mine.data(), 1, MPI_BYTE, &request);
  if (later == MPI_SUCCESS) later = MPI_Wait(&request, MPI_STATUS_IGNORE);
  told(later, victim, start, "a later call");
  told(MPI_File_close(&file), victim, start, "MPI_File_close");
  expect(file == MPI_FILE_NULL, "the file is closed");
  expect_whole(path);
  leave_together(victim);
}
