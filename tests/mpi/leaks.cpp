// leaks [FILES]: opens, writes, reads and closes many files (10 000), and counts what the process holds after
// a tenth of them and at the end: memory, descriptors, mappings. Every file needs communicators, so these run
// out if they are not freed (MPICH has about 2000). One file in ten is opened on a communicator that is freed
// before the file is closed. For comparison: MPICH's own MPI-IO keeps about 300 bytes of every file.
#include <dirent.h>
#include <malloc.h>
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "common/expect.h"

namespace {

constexpr int count = 64;
int rank, ranks;

void ok(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  std::printf("rank %d: %s: %s\n", rank, what, text);
  std::fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

struct Holdings {
  long allocated_kib = 0, resident_kib = 0, descriptors = 0, mappings = 0, shared_mappings = 0;
};

Holdings holdings() {
  Holdings found;
  const struct mallinfo2 heap = mallinfo2();
  found.allocated_kib = static_cast<long>((heap.uordblks + heap.hblkhd) / 1024);
  std::ifstream statm("/proc/self/statm");
  long pages = 0;
  statm >> pages >> found.resident_kib;
  found.resident_kib *= sysconf(_SC_PAGESIZE) / 1024;
  DIR* folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++found.descriptors;
  if (folder) closedir(folder);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ++found.mappings;
    if (line.find(" rw-s ") != std::string::npos) ++found.shared_mappings;
  }
  return found;
}

MPI_Datatype make_view() {
  MPI_Datatype view;
  MPI_Type_vector(count, 1, ranks + 1, MPI_INT, &view);
  MPI_Type_commit(&view);
  return view;
}

// The memory that MPI itself keeps for the datatypes of so many files.
long kept_by_mpi_kib(int files) {
  constexpr int tries = 500;
  const long before = holdings().allocated_kib;
  for (int i = 0; i < tries; ++i) {
    MPI_Datatype view = make_view(), duplicate;
    MPI_Type_dup(view, &duplicate);
    MPI_Type_free(&duplicate);
    MPI_Type_free(&view);
  }
  return (holdings().allocated_kib - before) * files / tries;
}

// Opens, uses and closes one file, with a view, hints, and collective and independent calls.
void use_file(const std::string& path, MPI_Comm comm, bool free_comm) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_buffer_size", "65536");
  MPI_File file;
  ok(MPI_File_open(comm, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file), "open");
  if (free_comm) MPI_Comm_free(&comm);
  MPI_Info_free(&info);
  MPI_Datatype view = make_view();
  ok(MPI_File_set_view(file, rank * static_cast<int>(sizeof(int)), MPI_INT, view, "native", MPI_INFO_NULL),
     "set_view");
  MPI_Type_free(&view);
  MPI_Errhandler handler;
  MPI_File_get_errhandler(file, &handler);
  MPI_Errhandler_free(&handler);
  int data[count], back[count] = {};
  for (int i = 0; i < count; ++i) data[i] = rank * 1000 + i;
  ok(MPI_File_write_all(file, data, count, MPI_INT, MPI_STATUS_IGNORE), "write_all");
  ok(MPI_File_read_at(file, 0, back, count, MPI_INT, MPI_STATUS_IGNORE), "read_at");
  REQUIRE(std::memcmp(data, back, sizeof data) == 0);
  MPI_File_get_info(file, &info);
  MPI_Info_free(&info);
  ok(MPI_File_close(&file), "close");
}

// How many communicators can be made.
void require_communicators(int many) {
  std::vector<MPI_Comm> comms(many);
  for (MPI_Comm& comm : comms) ok(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "communicators are left");
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int files = argc > 1 ? std::atoi(argv[1]) : 10000;
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  REQUIRE(files >= 100 && folder);

  require_communicators(200);
  const long allowed_kib = 100 + kept_by_mpi_kib(files) * 5 / 4;
  Holdings before;
  for (int i = 0; i < files; ++i) {
    const std::string path = std::string(folder) + "/file" + std::to_string(i % 7);
    MPI_Comm comm = MPI_COMM_WORLD;
    const bool own_comm = i % 10 == 0;
    if (own_comm) ok(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    use_file(path, comm, own_comm);
    // A rank that runs ahead would fill queues of the MPI that never shrink.
    MPI_Barrier(MPI_COMM_WORLD);
    if (i == files / 10) before = holdings();
  }
  const Holdings after = holdings();
  std::printf(
      "rank %d, after %d and %d files: allocated %ld and %ld KiB, resident %ld and %ld KiB, "
      "(allowed to grow by %ld), descriptors %ld and %ld, mappings %ld and %ld, of them shared %ld and %ld\n",
      rank, files / 10, files, before.allocated_kib, after.allocated_kib, before.resident_kib,
      after.resident_kib, allowed_kib, before.descriptors, after.descriptors, before.mappings, after.mappings,
      before.shared_mappings, after.shared_mappings);
  std::fflush(stdout);
  require_communicators(200);
  // 100 KiB are 11 bytes for each of 9000 files. The pages of the MPI's own queues come into use little by
  // little.
  REQUIRE(after.allocated_kib - before.allocated_kib < allowed_kib);
  REQUIRE(after.resident_kib - before.resident_kib < 4096);
  REQUIRE(after.descriptors <= before.descriptors);
  REQUIRE(after.shared_mappings <= before.shared_mappings);
  REQUIRE(after.mappings <= before.mappings + 8);
  MPI_Finalize();
  return 0;
}
