// A small program of collective and independent calls, for runs in which storage fails. Whatever fails, every
// rank must return, all ranks must agree on whether a collective call failed, and calls that succeeded must
// have done what they should. It tries one plan of faults after another, so that a sweep needs only one start
// of an MPI program.
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/patient_barrier.h"

namespace {

struct Options {
  int block = 64, blocks = 200, gap = 1;
  bool nonblocking = false;  // nonblocking and split calls
  bool collective = false;   // no independent calls
  bool atomic = false;
  bool delete_on_close = false;
  std::string folder, throttle;
  std::vector<std::string> hints = {"cb_buffer_size=4096"}, sweeps;

  std::string plan_file() const { return folder + "/plan"; }
};

struct Run : Options {
  explicit Run(const Options& options) : Options(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  int rank = 0, ranks = 1;
  bool all_well = true;  // no call failed on this rank
  int first_class = MPI_SUCCESS;
  int mistakes = 0;
  MPI_File file = MPI_FILE_NULL;

  int bytes() const { return block * blocks; }
  int64_t tile_bytes() const { return int64_t{block} * (ranks + gap); }

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
    if (sweeps.empty()) std::printf("faults: rank %d: %s: class %d: %s\n", rank, call, error_class, text);
    return false;
  }

  // Whether the call succeeded on all ranks. They must all say the same.
  bool collective_call(const char* call, int code) {
    int failed = local(call, code) ? 0 : 1, sum = 0;
    MPI_Allreduce(&failed, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != 0 && sum != ranks) mistake(std::string(call) + ": failed on some ranks only");
    return sum == 0;
  }
};

uint8_t value(int rank, int64_t index) {
  return static_cast<uint8_t>((rank * 97 + index * 13) % 251 + 1);
}

// The ranks' blocks alternate, followed by a gap, so that windows are read before they are written.
void set_view(Run& run) {
  MPI_Datatype block, tile;
  MPI_Type_contiguous(run.block, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, MPI_Aint{run.tile_bytes()}, &tile);
  MPI_Type_commit(&tile);
  run.collective_call("MPI_File_set_view", MPI_File_set_view(run.file, MPI_Offset{run.block} * run.rank,
                                                             MPI_BYTE, tile, "native", MPI_INFO_NULL));
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

// The calls, in the form that the run asks for.
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

// An independent call fails only on the rank whose storage fails.
void use_file_alone(Run& run, const std::vector<uint8_t>& mine) {
  const int part = run.block * 3;
  std::vector<uint8_t> some(static_cast<size_t>(part));
  const bool rewritten = run.local("MPI_File_write_at", write_at(run, 0, mine.data(), part));
  if (run.local("MPI_File_read_at",
                MPI_File_read_at(run.file, 0, some.data(), part, MPI_BYTE, MPI_STATUS_IGNORE)) &&
      rewritten) {
    check_read(run, "MPI_File_read_at", some, 0);
  }
  patient_barrier(MPI_COMM_WORLD);
}

void use_file(Run& run) {
  std::vector<uint8_t> mine(static_cast<size_t>(run.bytes()));
  for (size_t i = 0; i < mine.size(); ++i) mine[i] = value(run.rank, static_cast<int64_t>(i));
  set_view(run);
  if (run.atomic) run.collective_call("MPI_File_set_atomicity", MPI_File_set_atomicity(run.file, 1));
  bool written = true;
  const int half = run.bytes() / 2 / run.block * run.block;
  written &= run.collective_call("MPI_File_write_at_all", write_at_all(run, 0, mine.data(), half));
  written &= run.collective_call("MPI_File_write_at_all",
                                 write_at_all(run, half, mine.data() + half, run.bytes() - half));
  written &= run.collective_call("MPI_File_sync", MPI_File_sync(run.file));
  patient_barrier(MPI_COMM_WORLD);
  std::vector<uint8_t> back(mine.size());
  if (run.collective_call("MPI_File_read_at_all", read_at_all(run, 0, back.data(), run.bytes())) && written) {
    check_read(run, "MPI_File_read_at_all", back, 0);
  }
  patient_barrier(MPI_COMM_WORLD);
  if (!run.collective) use_file_alone(run, mine);
  MPI_Offset size;
  run.local("MPI_File_get_size", MPI_File_get_size(run.file, &size));
  patient_barrier(MPI_COMM_WORLD);
  const MPI_Offset longer = run.blocks * run.tile_bytes() + 1000;
  run.collective_call("MPI_File_preallocate", MPI_File_preallocate(run.file, longer));
  run.collective_call("MPI_File_set_size", MPI_File_set_size(run.file, longer + 1000));
}

// The contents of the file if no call failed.
void check_file(Run& run, const std::string& path) {
  struct stat information {};
  const int64_t expected = run.blocks * run.tile_bytes() + 2000;
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
    const int64_t tile = i / run.tile_bytes(), in_tile = i % run.tile_bytes();
    const auto rank = static_cast<int>(in_tile / run.block);
    const bool data = tile < run.blocks && rank < run.ranks;
    const uint8_t wanted = data ? value(rank, tile * run.block + in_tile % run.block) : uint8_t{0};
    if (bytes[static_cast<size_t>(i)] != wanted) {
      return run.mistake("no call failed, but byte " + std::to_string(i) + " of the file is wrong");
    }
  }
}

// Everything from the open to the deletion.
void run_once(Run& run) {
  const std::string path = run.folder + "/faults";
  if (run.rank == 0) unlink(path.c_str());
  patient_barrier(MPI_COMM_WORLD);
  MPI_Info info;
  MPI_Info_create(&info);
  for (const std::string& hint : run.hints) {
    const size_t equals = hint.find('=');
    MPI_Info_set(info, hint.substr(0, equals).c_str(), hint.substr(equals + 1).c_str());
  }
  const int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | (run.delete_on_close ? MPI_MODE_DELETE_ON_CLOSE : 0);
  if (run.collective_call("MPI_File_open",
                          MPI_File_open(MPI_COMM_WORLD, path.c_str(), amode, info, &run.file))) {
    use_file(run);
  }
  MPI_Info_free(&info);
  if (run.file != MPI_FILE_NULL) {
    run.collective_call("MPI_File_close", MPI_File_close(&run.file));
    if (run.file != MPI_FILE_NULL) run.mistake("MPI_File_close leaves the handle");
  }
  int well = run.all_well ? 1 : 0, all_well = 0;
  MPI_Allreduce(&well, &all_well, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (run.rank == 0 && all_well && !run.delete_on_close) {
    check_file(run, path);
    run.local("MPI_File_delete", MPI_File_delete(path.c_str(), MPI_INFO_NULL));
  }
  if (run.rank == 0 && all_well && run.all_well && access(path.c_str(), F_OK) == 0)
    run.mistake("no call failed, but the file is still there");
  if (run.rank == 0) unlink(path.c_str());
}

// How often faults occurred since the plan was written; on rank 0.
int64_t strikes(const Options& options) {
  std::ifstream record(options.plan_file() + ".struck");
  return std::count(std::istreambuf_iterator<char>(record), {}, '\n');
}

const char* name_of(int error_class) {
  switch (error_class) {
    case MPI_SUCCESS:
      return "none";
    case MPI_ERR_NO_SPACE:
      return "no_space";
    case MPI_ERR_QUOTA:
      return "quota";
    case MPI_ERR_IO:
      return "io";
    case MPI_ERR_ACCESS:
      return "access";
    default:
      return "other";
  }
}

struct Outcome {
  int64_t struck = 0;
  int mistakes = 0;
};

// One run with one plan of faults; an empty plan means that of the environment. fault_sweep reads what rank 0
// prints.
Outcome try_plan(const Options& options, const std::string& plan) {
  Run run(options);
  patient_barrier(MPI_COMM_WORLD);
  if (run.rank == 0 && !plan.empty()) {
    std::ofstream(run.plan_file()) << plan;
    unlink((run.plan_file() + ".struck").c_str());
    std::ofstream(run.folder + "/progress") << "faults, plan " << plan << "\n";
  }
  patient_barrier(MPI_COMM_WORLD);
  run_once(run);
  patient_barrier(MPI_COMM_WORLD);
  int found[3] = {run.first_class, run.mistakes, run.all_well ? 0 : 1}, most[3];
  MPI_Allreduce(found, most, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  Outcome outcome{run.rank == 0 && !plan.empty() ? strikes(run) : 0, most[1]};
  MPI_Bcast(&outcome.struck, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  if (run.rank == 0) {
    std::printf("faults: plan %s struck %lld outcome %s class %s\n", plan.empty() ? "-" : plan.c_str(),
                static_cast<long long>(outcome.struck),
                most[1]   ? "MISTAKE"
                : most[2] ? "error"
                          : "success",
                name_of(most[0]));
    std::fflush(stdout);
  }
  return outcome;
}

// OPERATION:EFFECT[@RANK]: the first such operation fails, in the next run the second, and so on, until there
// is none. OPERATION:N:EFFECT[@RANK]: only the N-th fails.
int sweep(const Options& options, const std::string& what) {
  constexpr int most_of_a_kind = 12;
  const size_t colon = what.find(':');
  if (what.find(':', colon + 1) != std::string::npos) return try_plan(options, what).mistakes;
  int mistakes = 0;
  for (int number = 1; number <= most_of_a_kind; ++number) {
    const std::string plan = what.substr(0, colon + 1) + std::to_string(number) + what.substr(colon);
    const Outcome outcome = try_plan(options, plan);
    mistakes += outcome.mistakes;
    if (outcome.struck == 0) break;
  }
  return mistakes;
}

Options options_of(int argc, char** argv) {
  Options options;
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  options.folder = folder ? folder : "/tmp";
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--blocks") options.blocks = std::stoi(value);
    if (name == "--gap") options.gap = std::stoi(value);
    if (name == "--dir") options.folder = value;
    if (name == "--calls") options.nonblocking = value == "nonblocking";
    if (name == "--calls") options.collective = value == "collective";
    if (name == "--mode") options.atomic = value == "atomic";
    if (name == "--mode") options.delete_on_close = value == "delete";
    if (name == "--throttle") options.throttle = value;
    if (name == "--hint") options.hints.push_back(value);
    if (name == "--sweep") options.sweeps.push_back(value);
  }
  return options;
}

}  // namespace

// faults [--blocks N] [--gap BLOCKS] [--dir FOLDER] [--calls nonblocking|collective] [--mode atomic|delete]
//        [--throttle COSTS] [--hint K=V]... [--sweep OPERATION:[N:]EFFECT[@RANK]]...
int main(int argc, char** argv) {
  const Options options = options_of(argc, argv);
  // These must be set before Concilio reads them.
  if (!options.sweeps.empty()) setenv("CONCILIO_FAULT", ("@" + options.plan_file()).c_str(), 1);
  if (!options.throttle.empty()) setenv("CONCILIO_THROTTLE", options.throttle.c_str(), 1);
  int provided;
  MPI_Init_thread(&argc, &argv, options.nonblocking ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (options.nonblocking && provided < MPI_THREAD_MULTIPLE) {
    std::fputs("MPI grants no MPI_THREAD_MULTIPLE\n", stderr);
    return 1;
  }
  int mistakes = 0;
  if (options.sweeps.empty()) mistakes = try_plan(options, "").mistakes;
  for (const std::string& what : options.sweeps) mistakes += sweep(options, what);
  MPI_Finalize();
  return mistakes ? 1 : 0;
}
