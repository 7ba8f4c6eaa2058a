// Files are created on Lustre with the stripes that hints ask for, and hints then say which stripes a file
// has. Lustre's client is played by this program: it defines the functions by which the library asks the
// system.
#include <mpi.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "common/expect_mpi.h"

namespace {

// struct lov_user_md_v1 of Lustre.
struct Stripes {
  uint32_t magic, pattern;
  uint64_t object[2];
  uint32_t bytes;
  uint16_t targets, first;
};
static_assert(sizeof(Stripes) == 32);
constexpr uint32_t lustre = 0x0BD00BD0, layout = 0x0BD10BD0, striped = 1;

std::map<ino_t, Stripes> stripes;  // of the files that have been asked for any
int requests = 0;
bool refuses = false;

ino_t file_of(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

int set_stripes(int fd, const void* request) {
  ++requests;
  Stripes asked;
  std::memcpy(&asked, request, sizeof asked);
  if (refuses || asked.magic != layout) {
    errno = EINVAL;
    return -1;
  }
  stripes[file_of(fd)] = asked;
  return 0;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {
int statfs(const char* path, struct statfs* result) noexcept {
  const long code = syscall(SYS_statfs, path, result);
  result->f_type = lustre;
  return static_cast<int>(code);
}
int fstatfs(int fd, struct statfs* result) noexcept {
  const long code = syscall(SYS_fstatfs, fd, result);
  result->f_type = lustre;
  return static_cast<int>(code);
}
int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  if (request == _IOW('f', 154, long)) return set_stripes(fd, argument);
  return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}
ssize_t fgetxattr(int fd, const char* name, void* value, size_t bytes) noexcept {
  const auto found = stripes.find(file_of(fd));
  if (std::strcmp(name, "lustre.lov") != 0 || found == stripes.end() || bytes < sizeof(Stripes)) {
    errno = ENODATA;
    return -1;
  }
  // Lustre fills in what it was not asked for.
  Stripes has = found->second;
  has.pattern = striped;
  if (has.bytes == 0) has.bytes = 4 << 20;
  if (has.targets == 0xFFFF) has.targets = 12;
  if (has.targets == 0) has.targets = 1;
  std::memcpy(value, &has, sizeof has);
  return sizeof has;
}
}
#pragma GCC visibility pop

namespace {

int rank;
using Hints = std::map<std::string, std::string>;

std::string hint(MPI_File file, const char* name) {
  MPI_Info info;
  OK(MPI_File_get_info(file, &info));
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int there = 0;
  MPI_Info_get(info, name, MPI_MAX_INFO_VAL, value, &there);
  MPI_Info_free(&info);
  return there ? value : "none";
}

// Opens the file, which must succeed, and writes and reads pieces of all ranks. Returns the two hints.
std::array<std::string, 2> stripes_of(const std::string& path, const Hints& hints) {
  MPI_Info info;
  MPI_Info_create(&info);
  for (const auto& [name, value] : hints) MPI_Info_set(info, name.c_str(), value.c_str());
  MPI_File file;
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
  MPI_Info_free(&info);
  const std::array<std::string, 2> found{hint(file, "striping_unit"), hint(file, "striping_factor")};
  std::vector<unsigned char> bytes(1000, static_cast<unsigned char>(rank + 1)), back(bytes.size());
  const MPI_Offset mine = rank * static_cast<MPI_Offset>(bytes.size());
  OK(MPI_File_write_at_all(file, mine, bytes.data(), 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  OK(MPI_File_read_at_all(file, mine, back.data(), 1000, MPI_BYTE, MPI_STATUS_IGNORE));
  EXPECT(bytes == back);
  OK(MPI_File_close(&file));
  return found;
}

using Found = std::array<std::string, 2>;

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::string folder = std::getenv("CONCILIO_TEST_DIR");
  const std::string file = folder + "/striped";
  const bool root = rank == 0;

  EXPECT(
      (stripes_of(file, {{"striping_unit", "1048576"}, {"striping_factor", "5"}}) == Found{"1048576", "5"}));
  EXPECT(requests == root);
  // A file keeps its stripes, whatever hints ask for.
  EXPECT((stripes_of(file, {{"striping_unit", "65536"}, {"striping_factor", "2"}}) == Found{"1048576", "5"}));
  EXPECT(requests == root);
  EXPECT((stripes_of(folder + "/all", {{"striping_factor", "-1"}}) == Found{"4194304", "12"}));
  EXPECT(requests == 2 * root);
  // Lustre takes whole units of 64 KiB.
  EXPECT((stripes_of(folder + "/odd", {{"striping_unit", "100000"}}) == Found{"131072", "1"}));
  EXPECT(requests == 3 * root);
  for (const auto& [inode, asked] : stripes) EXPECT(asked.first == 0xFFFF);
  // Who asks for nothing gets what the folder has.
  (void)stripes_of(folder + "/plain", {});
  EXPECT(requests == 3 * root);
  // A refusal is no reason to fail.
  refuses = true;
  (void)stripes_of(folder + "/refused", {{"striping_factor", "9"}});
  EXPECT(requests == 5 * root);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "striping_factor", "3");
  MPI_File exclusive;
  constexpr int anew = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR;
  OK(MPI_File_open(MPI_COMM_WORLD, (folder + "/refused-anew").c_str(), anew, info, &exclusive));
  OK(MPI_File_close(&exclusive));
  refuses = false;
  FAILS(MPI_ERR_FILE_EXISTS, MPI_File_open(MPI_COMM_WORLD, file.c_str(), anew, info, &exclusive));
  OK(MPI_File_open(MPI_COMM_WORLD, (folder + "/anew").c_str(), anew, info, &exclusive));
  EXPECT(hint(exclusive, "striping_factor") == "3");
  OK(MPI_File_close(&exclusive));
  MPI_Info_free(&info);

  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (root && noted_failures == 0) std::printf("all as expected\n");
  return noted_failures != 0;
}
