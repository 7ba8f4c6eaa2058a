/*
 * Reads and writes by prices of a profile (CONCILIO_PROFILE), whatever that is like.
 *
 *   profiles                  every rank opens a file of its own, then all open one
 *   profiles --leaves-list    with a profile by which list costs nothing: it is found out
 *   profiles --stays-mapped   with a profile by which only mappings are cheap: repeated reads stay with them
 */
#include <concilio/file.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/expect.h"

enum { piece = 64, pieces = 8192, bytes = piece * pieces, calls = 12 };

static int rank, ranks;
static unsigned char mine[bytes], found[bytes];

static MPI_File opened(MPI_Comm comm, const char* name) {
  const char* folder = getenv("CONCILIO_TEST_DIR");
  char path[4096];
  MPI_File file = MPI_FILE_NULL;
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "/tmp", name);
  EXPECT(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file) == MPI_SUCCESS);
  return file;
}

/* Pieces of all ranks by turns. */
static void view(MPI_File file) {
  MPI_Datatype one, tile;
  MPI_Type_contiguous(piece, MPI_BYTE, &one);
  MPI_Type_create_resized(one, 0, (MPI_Aint)piece * ranks, &tile);
  MPI_Type_commit(&tile);
  EXPECT(MPI_File_set_view(file, (MPI_Offset)piece * rank, MPI_BYTE, tile, "native", MPI_INFO_NULL) ==
         MPI_SUCCESS);
  MPI_Type_free(&tile);
  MPI_Type_free(&one);
}

static void write_and_read(MPI_File file) {
  memset(found, 0, sizeof found);
  EXPECT(MPI_File_write_at_all(file, 0, mine, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  EXPECT(MPI_File_read_at_all(file, 0, found, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  EXPECT(memcmp(mine, found, bytes) == 0);
}

/* Of the file that all ranks wrote, as rank 0 sees it whole. */
static void check_whole(MPI_File file) {
  MPI_Barrier(MPI_COMM_WORLD);
  EXPECT(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  for (int i = 0; i < pieces; i += 97) {
    unsigned char expected[piece], there[piece];
    const int owner = i % ranks;
    for (int b = 0; b < piece; b++)
      expected[b] = (unsigned char)(owner * 101 + (i / ranks * piece + b) % 251);
    EXPECT(MPI_File_read_at(file, (MPI_Offset)i * piece, there, piece, MPI_BYTE, MPI_STATUS_IGNORE) ==
           MPI_SUCCESS);
    EXPECT(memcmp(expected, there, piece) == 0);
  }
}

/* The index of the method that the last call took; all ranks tell the same of every method. */
static int chosen_method(MPI_File file, int* measured) {
  int chosen = -1, count = 0;
  concilio_candidate one;
  *measured = 0;
  while (concilio_file_last_candidate(file, count, &one) == CONCILIO_SUCCESS) {
    double told[4] = {one.legal, one.chosen, one.predicted_seconds, one.measured_seconds}, least[4], most[4];
    MPI_Allreduce(told, least, 4, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(told, most, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    EXPECT(memcmp(least, most, sizeof least) == 0);
    if (one.chosen) {
      EXPECT(chosen == -1 && one.legal && one.measured_seconds >= 0);
      chosen = count;
    }
    *measured += one.measured_seconds >= 0;
    count++;
  }
  EXPECT(count > 0 && chosen >= 0);
  return chosen;
}

static int took(MPI_File file, const char* wanted) {
  const char* method = NULL;
  EXPECT(concilio_file_last_call(file, &method, NULL, 0) == CONCILIO_SUCCESS && method);
  return method && strcmp(method, wanted) == 0;
}

static void leaves_list(void) {
  MPI_File file = opened(MPI_COMM_WORLD, "learning");
  int others = 0, measured = 0;
  view(file);
  for (int call = 0; call < calls; call++) {
    EXPECT(MPI_File_write_at_all(file, 0, mine, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    (void)chosen_method(file, &measured);
    if (call == 0) EXPECT(took(file, "list"));
    if (call < 4) others += !took(file, "list");
  }
  EXPECT(others > 0 && measured > 1);
  check_whole(file);
  MPI_File_close(&file);
}

/* One stretch of each rank, which the ranks soon read without meeting. */
static void stays_mapped(void) {
  MPI_File file = opened(MPI_COMM_WORLD, "mapped");
  const MPI_Offset begin = (MPI_Offset)bytes * rank;
  EXPECT(MPI_File_write_at_all(file, begin, mine, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  for (int call = 0; call < 2 * calls; call++) {
    memset(found, 0, sizeof found);
    EXPECT(MPI_File_read_at_all(file, begin, found, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    EXPECT(memcmp(mine, found, bytes) == 0);
    EXPECT(took(file, "mapped"));
  }
  MPI_File_close(&file);
}

static void goes_on(void) {
  char name[32];
  snprintf(name, sizeof name, "alone%d", rank);
  const int all = ranks, me = rank;
  MPI_File file = opened(MPI_COMM_SELF, name);
  ranks = 1, rank = 0;
  view(file);
  write_and_read(file);
  ranks = all, rank = me;
  MPI_File_close(&file);
  file = opened(MPI_COMM_WORLD, "together");
  view(file);
  for (int i = 0; i < 3; i++) write_and_read(file);
  check_whole(file);
  MPI_File_close(&file);
}

int main(int argument_count, char** arguments) {
  MPI_Init(&argument_count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < bytes; i++) mine[i] = (unsigned char)(rank * 101 + i % 251);
  if (argument_count > 1 && strcmp(arguments[1], "--leaves-list") == 0) {
    leaves_list();
  } else if (argument_count > 1 && strcmp(arguments[1], "--stays-mapped") == 0) {
    stays_mapped();
  } else {
    goes_on();
  }
  MPI_Allreduce(MPI_IN_PLACE, &noted_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return noted_failures != 0;
}
