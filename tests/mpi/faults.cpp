// A small program of collective and independent calls for runs in which storage fails. Whatever fails, every
// rank must come back, all ranks must agree on whether a collective call failed, and what was said to have
// succeeded must be true.
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "patient_barrier.h"

namespace {

struct Run {
  int rank = 0, ranks = 1;
  int block = 64, blocks = 200;
  bool nonblocking = false;  // calls that return before they are done, and split ones
  bool all_well = true;      // no call failed on this rank
  int first_class = MPI_SUCCESS;
  int mistakes = 0;
  MPI_File file = MPI_FILE_NULL;

  int bytes() const { return block * blocks; }

  void mistake(const std::string& what) {
    ++mistakes;
    std::fprintf(stderr, "faults: rank %d: %s\n", rank, what.c_str());
  }

  bool local(const char* call, int code) {
    if (code == MPI_SUCCESS) return true;
    int error_class = MPI_SUCCESS, length = 0;
    char text[MPI_MAX_ERROR_STRING] = "";
    MPI_Error_class(code, &error_class);
    MPI_Error_string(code, text, &length);
    if (all_well) first_class = error_class;
    all_well = false;
    if (length == 0) mistake(std::string(call) + ": an error without a message");
    std::printf("faults: rank %d: %s: class %d: %s\n", rank, call, error_class, text);
    return false;
  }

  // Whether the call succeeded on all ranks, which must say the same.
  bool collective(const char* call, int code) {
    int failed = local(call, code) ? 0 : 1, sum = 0;
    MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != 0 && sum != ranks) mistake(std::string(call) + ": failed on some ranks only");
    return sum == 0;
  }
};

uint8_t value(int rank, int64_t index) {
  return static_cast<uint8_t>((rank * 97 + index * 13) % 251 + 1);
}

// Each rank's blocks in turn, then a gap of one block, so that windows are read before they are written.
void set_view(Run& run) {
  MPI_Datatype block, tile;
  MPI_Type_contiguous(run.block, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, MPI_Aint{run.block} * (run.ranks + 1), &tile);
  MPI_Type_commit(&tile);
  run.collective("MPI_File_set_view", MPI_File_set_view(run.file, MPI_Offset{run.block} * run.rank, MPI_BYTE,
                                                        tile, "native", MPI_INFO_NULL));
  MPI_Type_free(&block);
  MPI_Type_free(&tile);
}

void check_read(Run& run, const char* call, const std::vector<uint8_t>& found, int64_t from) {
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i] != value(run.rank, from + static_cast<int64_t>(i))) {
      run.mistake(std::string(call) + " succeeded, but byte " + std::to_string(i) + " is wrong");
      return;
    }
  }
}

// The calls, each by the way the run takes.
int write_at_all(Run& run, MPI_Offset offset, const uint8_t* data, int bytes) {
  if (!run.nonblocking)
    return MPI_File_write_at_all(run.file, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Request request;
  const int code = MPI_File_iwrite_at_all(run.file, offset, data, bytes, MPI_BYTE, &request);
  return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

int read_at_all(Run& run, MPI_Offset offset, uint8_t* data, int bytes) {
  if (!run.nonblocking)
    return MPI_File_read_at_all(run.file, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  const int code = MPI_File_read_at_all_begin(run.file, offset, data, bytes, MPI_BYTE);
  return code == MPI_SUCCESS ? MPI_File_read_at_all_end(run.file, data, MPI_STATUS_IGNORE) : code;
}

int write_at(Run& run, MPI_Offset offset, const uint8_t* data, int bytes) {
  if (!run.nonblocking) return MPI_File_write_at(run.file, offset, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
  MPI_Request request;
  const int code = MPI_File_iwrite_at(run.file, offset, data, bytes, MPI_BYTE, &request);
  return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

void use_file(Run& run) {
  std::vector<uint8_t> mine(static_cast<size_t>(run.bytes()));
  for (size_t i = 0; i < mine.size(); ++i) mine[i] = value(run.rank, static_cast<int64_t>(i));
  set_view(run);
  bool written = true;
  const int half = run.bytes() / 2 / run.block * run.block;
  written &= run.collective("MPI_File_write_at_all", write_at_all(run, 0, mine.data(), half));
  written &= run.collective("MPI_File_write_at_all",
                            write_at_all(run, half, mine.data() + half, run.bytes() - half));
  written &= run.collective("MPI_File_sync", MPI_File_sync(run.file));
  patient_barrier(MPI_COMM_WORLD);
  std::vector<uint8_t> back(mine.size());
  if (run.collective("MPI_File_read_at_all", read_at_all(run, 0, back.data(), run.bytes())) && written) {
    check_read(run, "MPI_File_read_at_all", back, 0);
  }
  patient_barrier(MPI_COMM_WORLD);
  // Independent calls fail where they fail.
  const int part = run.block * 3;
  std::vector<uint8_t> some(static_cast<size_t>(part));
  const bool rewritten = run.local("MPI_File_write_at", write_at(run, 0, mine.data(), part));
  if (run.local("MPI_File_read_at",
                MPI_File_read_at(run.file, 0, some.data(), part, MPI_BYTE, MPI_STATUS_IGNORE)) &&
      rewritten) {
    check_read(run, "MPI_File_read_at", some, 0);
  }
  patient_barrier(MPI_COMM_WORLD);
  MPI_Offset size;
  run.local("MPI_File_get_size", MPI_File_get_size(run.file, &size));
  patient_barrier(MPI_COMM_WORLD);
  const MPI_Offset longer = MPI_Offset{run.bytes()} * (run.ranks + 1) + 1000;
  run.collective("MPI_File_preallocate", MPI_File_preallocate(run.file, longer));
  run.collective("MPI_File_set_size", MPI_File_set_size(run.file, longer + 1000));
}

// What the file must hold if no call failed.
void check_file(Run& run, const std::string& path) {
  struct stat information {};
  const int64_t expected = int64_t{run.bytes()} * (run.ranks + 1) + 2000;
  if (stat(path.c_str(), &information) != 0 || information.st_size != expected) {
    run.mistake("no call failed, but the file has not the right size");
    return;
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(expected));
  const int file = open(path.c_str(), O_RDONLY);
  const bool whole = file >= 0 && pread(file, bytes.data(), bytes.size(), 0) == std::ssize(bytes);
  if (file >= 0) close(file);
  if (!whole) return run.mistake("cannot read the file back");
  for (int64_t i = 0; i < expected; ++i) {
    const int64_t tile_bytes = int64_t{run.block} * (run.ranks + 1), tile = i / tile_bytes,
                  in_tile = i % tile_bytes;
    const auto rank = static_cast<int>(in_tile / run.block);
    const bool data = tile < run.blocks && rank < run.ranks;
    const uint8_t wanted = data ? value(rank, tile * run.block + in_tile % run.block) : uint8_t{0};
    if (bytes[static_cast<size_t>(i)] != wanted) {
      return run.mistake("no call failed, but byte " + std::to_string(i) + " of the file is wrong");
    }
  }
}

}  // namespace

// faults [--blocks N] [--dir FOLDER] [--calls nonblocking] [--hint K=V]...
int main(int argc, char** argv) {
  Run run;
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  std::string path = folder ? folder : "/tmp";
  std::vector<std::string> hints = {"cb_buffer_size=4096"};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--blocks") == 0) run.blocks = std::atoi(argv[i + 1]);
    if (std::strcmp(argv[i], "--dir") == 0) path = argv[i + 1];
    if (std::strcmp(argv[i], "--calls") == 0) run.nonblocking = std::strcmp(argv[i + 1], "nonblocking") == 0;
    if (std::strcmp(argv[i], "--hint") == 0) hints.push_back(argv[i + 1]);
  }
  path += "/faults";
  int provided;
  MPI_Init_thread(&argc, &argv, run.nonblocking ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (run.nonblocking && provided < MPI_THREAD_MULTIPLE) {
    std::fputs("MPI grants no MPI_THREAD_MULTIPLE\n", stderr);
    return 1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  if (run.rank == 0) unlink(path.c_str());
  patient_barrier(MPI_COMM_WORLD);
  MPI_Info info;
  MPI_Info_create(&info);
  for (const std::string& hint : hints) {
    const size_t equals = hint.find('=');
    MPI_Info_set(info, hint.substr(0, equals).c_str(), hint.substr(equals + 1).c_str());
  }
  if (run.collective("MPI_File_open", MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                                                    MPI_MODE_CREATE | MPI_MODE_RDWR, info, &run.file))) {
    use_file(run);
  }
  MPI_Info_free(&info);
  if (run.file != MPI_FILE_NULL) run.collective("MPI_File_close", MPI_File_close(&run.file));
  int well = run.all_well ? 1 : 0, all_well = 0;
  MPI_Allreduce(&well, &all_well, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (run.rank == 0 && all_well) check_file(run, path);
  int classes[2] = {run.first_class, run.mistakes}, most[2];
  MPI_Allreduce(classes, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (run.rank == 0) {
    // Read by fault_sweep.
    std::printf("faults: outcome %s class %s\n",
                most[1]    ? "MISTAKE"
                : all_well ? "success"
                           : "error",
                most[0] == MPI_ERR_NO_SPACE ? "no_space"
                : most[0] == MPI_ERR_IO     ? "io"
                                            : std::to_string(most[0]).c_str());
    unlink(path.c_str());
  }
  MPI_Finalize();
  return most[1] ? 1 : 0;
}
