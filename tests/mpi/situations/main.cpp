// Runs the situations: all, or those named.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/patient_barrier.h"
#include "situation.h"

namespace situations {

Context context;

int64_t counter(MPI_File file, const char* name) {
  using Function = int (*)(MPI_File, const char*, int64_t*);
  const auto function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "concilio_file_counter"));
  int64_t value = -1;
  if (function) function(file, name, &value);
  return value;
}

std::string Context::fresh_file(const char* name) {
  barrier();  // nobody looks at an earlier one any more
  const std::string path = folder + "/" + name;
  if (rank == 0) unlink(path.c_str());
  barrier();
  return path;
}

std::vector<uint8_t> values(int64_t stream, int64_t count) {
  std::vector<uint8_t> result(static_cast<size_t>(count));
  // A division for each byte took much of all situations' time. Within a row of 256, value() adds 7 from byte
  // to byte.
  uint8_t* next = result.data();
  for (int64_t row = 0; row < count; row += 256) {
    int rest = value(stream, row) - 1;
    for (const uint8_t* end = next + std::min<int64_t>(256, count - row); next < end; ++next) {
      *next = static_cast<uint8_t>(rest + 1);
      rest += 7;
      if (rest >= 251) rest -= 251;
    }
  }
  return result;
}

std::vector<uint8_t> contents(const std::string& path) {
  struct stat information {};
  const int file = open(path.c_str(), O_RDONLY);
  if (file < 0 || fstat(file, &information) != 0) return {};
  std::vector<uint8_t> bytes(static_cast<size_t>(information.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  close(file);
  bytes.resize(done);
  return bytes;
}

void make_file(const std::string& path, const std::vector<uint8_t>& bytes) {
  if (context.rank == 0) {
    const int file = open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0644);
    const bool written = file >= 0 && pwrite(file, bytes.data(), bytes.size(), 0) == std::ssize(bytes);
    if (file >= 0) close(file);
    EXPECT(written);
  }
  barrier();
}

int64_t bytes_in(MPI_Status& status) {
  MPI_Count bytes = -1;
  MPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  return bytes;
}

void barrier() {
  MPI_Barrier(MPI_COMM_WORLD);
}

int ranks_of_host() {
  MPI_Comm host;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  int ranks = 0;
  MPI_Comm_size(host, &ranks);
  MPI_Comm_free(&host);
  return ranks;
}

bool exists(const std::string& path) {
  return access(path.c_str(), F_OK) == 0;
}

Type vector_of(int count, int block, int stride, MPI_Datatype of) {
  MPI_Datatype type;
  MPI_Type_vector(count, block, stride, of, &type);
  return Type(type);
}

Type contiguous_of(int count, MPI_Datatype of) {
  MPI_Datatype type;
  MPI_Type_contiguous(count, of, &type);
  return Type(type);
}

Type resized_of(MPI_Datatype of, MPI_Aint lower, MPI_Aint extent) {
  MPI_Datatype type;
  MPI_Type_create_resized(of, lower, extent, &type);
  return Type(type);
}

Type blocks_at(const std::vector<int>& lengths, const std::vector<MPI_Aint>& places, MPI_Datatype of) {
  MPI_Datatype type;
  MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), of, &type);
  return Type(type);
}

File::File(const std::string& path, int amode, MPI_Info info, MPI_Comm comm) {
  OK(MPI_File_open(comm, path.c_str(), amode, info, &file_));
}

void File::close() {
  if (file_ == MPI_FILE_NULL) return;
  OK(MPI_File_close(&file_));
  EXPECT(file_ == MPI_FILE_NULL);
}

namespace {

bool left_out(const Situation& situation) {
#ifdef OPEN_MPI
  constexpr unsigned not_here = not_own | not_own_openmpi;
#else
  constexpr unsigned not_here = not_own | not_own_mpich;
#endif
  return (context.own && (situation.limits & not_here)) || (!context.large && (situation.limits & large));
}

}  // namespace

}  // namespace situations

int main(int argc, char** argv) {
  using namespace situations;
  std::vector<std::string> names;
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  context.folder = folder ? folder : "/tmp";
  bool only_list = false;
  int level = MPI_THREAD_MULTIPLE;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list") {
      only_list = true;
    } else if (word == "--own") {
      context.own = true;
    } else if (word == "--large") {
      context.large = true;
    } else if (word == "--brief") {
      context.brief = true;
    } else if (word == "--single") {
      level = MPI_THREAD_SINGLE;
      context.threads = false;
    } else if (word == "--run" && i + 1 < argc) {
      names.push_back(argv[++i]);
    } else {
      std::fputs(
          "situations [--list] [--own] [--large] [--brief] [--single] [--run NAME or start of NAME]...\n",
          stderr);
      return 2;
    }
  }
  if (only_list) {
    for (const Situation& situation : all()) std::puts(situation.name);
    return 0;
  }
  int provided;
  MPI_Init_thread(&argc, &argv, level, &provided);
  if (provided < level) {
    std::fputs("situations: MPI grants no MPI_THREAD_MULTIPLE\n", stderr);
    return 1;
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &context.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &context.ranks);
  expecting("rank %d", context.rank);
  int ran = 0;
  std::vector<const char*> failed;
  for (const Situation& situation : all()) {
    if (!wanted(situation, names) || left_out(situation)) continue;
    ++ran;
    if (run(situation, context.folder)) failed.push_back(situation.name);
  }
  if (context.rank == 0) {
    std::printf("%d situations, %zu failed\n", ran, failed.size());
    const char* prefix = std::getenv("CONCILIO_TEST_PREFIX");
    for (const char* name : failed) {
      std::printf("again: %s %s --run %s%s%s\n", prefix ? prefix : "", argv[0], name,
                  context.own ? " --own" : "", context.brief ? " --brief" : "");
    }
  }
  MPI_Finalize();
  return failed.empty() && ran > 0 ? 0 : 1;
}
