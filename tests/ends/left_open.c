/*
 * Files that are still open when the program calls MPI_Finalize.
 *
 *   left_open attribute   closed by an attribute of MPI_COMM_SELF, set before the first open, as HDF5 does
 *   left_open after       closed by one set after the first open
 *   left_open never       closed by nobody: their bytes are in them when rank 0 comes out of MPI_Finalize
 *   left_open deleted     closed by nobody, one of them to be deleted on close
 *   left_open mixed       one closed by the attribute, others by nobody
 *
 * Files are of all ranks, of a communicator that is freed before the end, and of one rank.
 */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/expect.h"

enum { piece = 100, pieces = 50, own_bytes = piece * pieces, kinds = 3, kept = 0, freed = 1, own = 2 };

static int rank, ranks, closed_by_attribute;
static MPI_File file[kinds] = {MPI_FILE_NULL, MPI_FILE_NULL, MPI_FILE_NULL};
static char path[kinds][4096];

static unsigned char byte_of(int writer, int step, int i) {
  return (unsigned char)(writer * 31 + step * 101 + i % 97 + 1);
}

static void in_folder(const char* name, char* result) {
  const char* folder = getenv("CONCILIO_TEST_DIR");
  snprintf(result, 4096, "%s/%s", folder ? folder : "/tmp", name);
}

/* Aggregators may hold writes back until the close. */
static MPI_Info holding_back(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_realms", "persistent");
  MPI_Info_set(info, "concilio_method", "two_phase");
  MPI_Info_set(info, "romio_no_indep_rw", "true");
  MPI_Info_set(info, "concilio_write_behind", "1000000");
  return info;
}

/* The writers' pieces by turns, behind those of the step before. Written twice: what makes a file longer is
 * never held back. */
static void write_step(MPI_File to, int writer, int writers, int step) {
  unsigned char mine[own_bytes] = {0};
  MPI_Datatype one, tile;
  MPI_Type_contiguous(piece, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, (MPI_Aint)piece * writers, &tile);
  MPI_Type_commit(&tile);
  REQUIRE(MPI_File_set_view(to, (MPI_Offset)step * own_bytes * writers + (MPI_Offset)piece * writer, MPI_BYTE,
                            tile, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  REQUIRE(MPI_File_write_at_all(to, 0, mine, own_bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int i = 0; i < own_bytes; i++) mine[i] = byte_of(writer, step, i);
  REQUIRE(MPI_File_write_at_all(to, 0, mine, own_bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Type_free(&tile);
  MPI_Type_free(&one);
}

static void check_contents(const char* name, int first_writer, int writers, int steps) {
  FILE* whole = fopen(name, "rb");
  REQUIRE(whole != NULL);
  for (int step = 0; step < steps; step++) {
    for (int block = 0; block < pieces * writers; block++) {
      const int writer = block % writers;
      for (int i = 0; i < piece; i++) {
        const int found = fgetc(whole);
        REQUIRE(found == byte_of(first_writer + writer, step, block / writers * piece + i));
      }
    }
  }
  REQUIRE(fgetc(whole) == EOF);
  fclose(whole);
}

static void open_files(int mode_of_own) {
  MPI_Comm again;
  MPI_Info info = holding_back();
  char name[64];
  MPI_Comm_dup(MPI_COMM_WORLD, &again);
  in_folder("kept", path[kept]);
  in_folder("freed", path[freed]);
  snprintf(name, sizeof name, "own-%d", rank);
  in_folder(name, path[own]);
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR;
  REQUIRE(MPI_File_open(MPI_COMM_WORLD, path[kept], mode, info, &file[kept]) == MPI_SUCCESS);
  REQUIRE(MPI_File_open(again, path[freed], mode, info, &file[freed]) == MPI_SUCCESS);
  REQUIRE(MPI_File_open(MPI_COMM_SELF, path[own], mode | mode_of_own, MPI_INFO_NULL, &file[own]) ==
          MPI_SUCCESS);
  MPI_Comm_free(&again);
  MPI_Info_free(&info);
  write_step(file[kept], rank, ranks, 0);
  write_step(file[freed], rank, ranks, 0);
  write_step(file[own], 0, 1, 0);
}

/* What HDF5 does: it writes what it holds, and closes. */
static int close_at_end(MPI_Comm comm, int key, void* value, void* extra) {
  const int count = *(int*)value;
  (void)comm, (void)key, (void)extra;
  for (int i = 0; i < count; i++) {
    const int alone = i == own;
    write_step(file[i], alone ? 0 : rank, alone ? 1 : ranks, 1);
    REQUIRE(MPI_File_sync(file[i]) == MPI_SUCCESS);
    REQUIRE(MPI_File_close(&file[i]) == MPI_SUCCESS);
    REQUIRE(file[i] == MPI_FILE_NULL);
  }
  closed_by_attribute = count;
  return MPI_SUCCESS;
}

static void set_attribute(int* count) {
  int key;
  REQUIRE(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, close_at_end, &key, NULL) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_set_attr(MPI_COMM_SELF, key, count) == MPI_SUCCESS);
  MPI_Comm_free_keyval(&key);
}

/* Whether this process still has the file open. */
static int holds(const char* name) {
  int found = 0;
  DIR* folder = opendir("/proc/self/fd");
  REQUIRE(folder != NULL);
  for (const struct dirent* entry; (entry = readdir(folder)) != NULL;) {
    char link[512], target[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%s", entry->d_name);
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0) continue;
    target[length] = '\0';
    found = found || strcmp(target, name) == 0;
  }
  closedir(folder);
  return found;
}

/* Whether a line of the program's complaints has both. */
static int said(const char* log, const char* name, const char* what) {
  char line[8192];
  int found = 0;
  FILE* lines = fopen(log, "r");
  REQUIRE(lines != NULL);
  while (fgets(line, sizeof line, lines)) found = found || (strstr(line, name) && strstr(line, what));
  fclose(lines);
  return found;
}

/* MPI_Finalize, with what is said on stderr in a file. */
static void finalize(const char* log) {
  const int to = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600), before = dup(STDERR_FILENO);
  dup2(to, STDERR_FILENO);
  const int code = MPI_Finalize();
  dup2(before, STDERR_FILENO);
  close(before);
  close(to);
  REQUIRE(code == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  static int count;
  char log[4096], name[64];
  const int deletes = strcmp(how, "deleted") == 0;
  count = strcmp(how, "attribute") == 0 || strcmp(how, "after") == 0 ? kinds
          : strcmp(how, "mixed") == 0                                ? 1
                                                                     : 0;
  if (count == 0 && !deletes && strcmp(how, "never") != 0) {
    fprintf(stderr, "left_open: attribute, after, never, deleted or mixed?\n");
    return 2;
  }
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  snprintf(name, sizeof name, "log-%d", rank);
  in_folder(name, log);
  if (count > 0 && strcmp(how, "after") != 0) set_attribute(&count);
  open_files(deletes ? MPI_MODE_DELETE_ON_CLOSE : 0);
  if (strcmp(how, "after") == 0) set_attribute(&count);
  finalize(log);

  REQUIRE(closed_by_attribute == count);
  for (int i = 0; i < kinds; i++) {
    const int mine = i == own || rank == 0;
    REQUIRE(!holds(path[i]));
    /* Who opened it first says that nobody closed it, and which. */
    if (mine) REQUIRE(said(log, path[i], "MPI_File_close") == (i >= count));
    if (i == own && deletes) {
      REQUIRE(access(path[i], F_OK) != 0);
    } else if (mine) {
      check_contents(path[i], 0, i == own ? 1 : ranks, i < count ? 2 : 1);
    }
  }
  if (rank == 0) printf("left open, %s: right\n", how);
  return 0;
}
