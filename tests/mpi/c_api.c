/*
 * The C interface as a C program uses it.
 *
 *   c_api            with Concilio
 *   c_api --fixed    with Concilio, and a method and realms that the user's environment settles
 *   c_api --realms   with Concilio: realms of the program's, over several nodes where there are 2 ranks or
 * more c_api --without  without Concilio: every function is NULL, and the program runs all the same
 */
#include <concilio/file.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/expect.h"

static int rank, ranks;

static void in_folder(char path[4096], const char* name) {
  const char* folder = getenv("CONCILIO_TEST_DIR");
  snprintf(path, 4096, "%s/%s", folder ? folder : "/tmp", name);
}

static MPI_File opened(const char* name, MPI_Info info) {
  char path[4096];
  MPI_File file = MPI_FILE_NULL;
  in_folder(path, name);
  EXPECT(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) == MPI_SUCCESS);
  return file;
}

static int64_t counter(MPI_File file, const char* name) {
  int64_t value = -1;
  EXPECT(concilio_file_counter(file, name, &value) == CONCILIO_SUCCESS);
  return value;
}

static const char* last_method(MPI_File file) {
  const char* method = "?";
  EXPECT(concilio_file_last_call(file, &method, NULL, 0) == CONCILIO_SUCCESS);
  return method ? method : "none";
}

static void hint(MPI_File file, const char* name, char value[MPI_MAX_INFO_VAL + 1]) {
  MPI_Info info;
  int found = 0;
  value[0] = '\0';
  MPI_File_get_info(file, &info);
  MPI_Info_get(info, (char*)name, MPI_MAX_INFO_VAL, value, &found);
  MPI_Info_free(&info);
}

/* Alternate pieces of 8 bytes, which every method can write. */
static void write_some(MPI_File file) {
  char bytes[64];
  MPI_Datatype piece, tile;
  memset(bytes, 'a' + rank, sizeof bytes);
  MPI_Type_contiguous(8, MPI_BYTE, &piece);
  MPI_Type_create_resized(piece, 0, 8 * ranks, &tile);
  MPI_Type_commit(&tile);
  EXPECT(MPI_File_set_view(file, 8 * rank, MPI_BYTE, tile, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  EXPECT(MPI_File_write_all(file, bytes, sizeof bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  MPI_Type_free(&tile);
  MPI_Type_free(&piece);
}

static void without(void) {
  EXPECT(!concilio_version && !concilio_error_text && !concilio_counter_name && !concilio_file_counter);
  EXPECT(!concilio_file_last_call && !concilio_file_last_candidate && !concilio_file_memory &&
         !concilio_file_set_method && !concilio_file_set_realms && !concilio_file_error_message &&
         !concilio_file_f2c);
  MPI_File file = opened("without", MPI_INFO_NULL);
  write_some(file);
  MPI_File_close(&file);
}

static void what_needs_no_file(void) {
  int count = 0;
  EXPECT(strchr(concilio_version(), '.') != NULL);
  while (concilio_counter_name(count)) count++;
  EXPECT(count > 20);
  EXPECT(concilio_counter_name(-1) == NULL && concilio_counter_name(count) == NULL);
  for (int code = CONCILIO_SUCCESS; code <= CONCILIO_ERR_REALMS; code++) {
    EXPECT(concilio_error_text(code)[0] != '\0');
    EXPECT(strcmp(concilio_error_text(code), concilio_error_text(-1)) != 0);
  }
}

/* Every function refuses the handle, and leaves what it was given alone. */
static void refused(MPI_File file) {
  int64_t number = 7;
  const char* method = "untouched";
  char reason[16] = "untouched";
  concilio_candidate candidate = {"untouched", 0, 0, 0, 0};
  EXPECT(concilio_file_counter(file, "bytes_read", &number) == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_last_call(file, &method, reason, sizeof reason) == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_last_candidate(file, 0, &candidate) == CONCILIO_ERR_FILE);
  EXPECT(strcmp(candidate.method, "untouched") == 0);
  EXPECT(concilio_file_memory(file, &number, &number, &number) == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_set_method(file, "two_phase") == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_set_realms(file, 0, NULL, NULL) == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_error_message(file, reason, sizeof reason) == CONCILIO_ERR_FILE);
  EXPECT(number == 7 && strcmp(method, "untouched") == 0 && strcmp(reason, "untouched") == 0);
}

static void statistics(MPI_File file) {
  int64_t value = 7;
  const char* method = "?";
  char reason[400] = "?", cut[5] = "????";
  EXPECT(counter(file, "collective_writes") == 0);
  EXPECT(concilio_file_last_call(file, &method, reason, sizeof reason) == CONCILIO_SUCCESS);
  EXPECT(method == NULL && reason[0] == '\0');
  write_some(file);
  EXPECT(counter(file, "collective_writes") == 1);
  EXPECT(counter(file, "bytes_written") == 64);
  for (int i = 0; concilio_counter_name(i); i++) EXPECT(counter(file, concilio_counter_name(i)) >= 0);
  EXPECT(concilio_file_last_call(file, &method, reason, sizeof reason) == CONCILIO_SUCCESS);
  EXPECT(method != NULL && strlen(reason) > sizeof cut);
  EXPECT(concilio_file_last_call(file, NULL, cut, sizeof cut) == CONCILIO_SUCCESS);
  EXPECT(strncmp(cut, reason, sizeof cut - 1) == 0 && cut[sizeof cut - 1] == '\0');
  EXPECT(concilio_file_last_call(file, NULL, NULL, 0) == CONCILIO_SUCCESS);
  concilio_candidate candidate = {"untouched", 0, 0, 0, 0};
  EXPECT(concilio_file_last_candidate(file, -1, &candidate) == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_last_candidate(file, 1000, &candidate) == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_last_candidate(file, 0, NULL) == CONCILIO_ERR_ARG);
  EXPECT(strcmp(candidate.method, "untouched") == 0);
  EXPECT(concilio_file_counter(file, "no_such_counter", &value) == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_counter(file, NULL, &value) == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_counter(file, "bytes_read", NULL) == CONCILIO_ERR_ARG);
  EXPECT(value == 7);
}

static void memory(MPI_File file) {
  int64_t limit = -1, current = -1, high_water = -1;
  MPI_Info info;
  EXPECT(concilio_file_memory(file, &limit, &current, &high_water) == CONCILIO_SUCCESS);
  EXPECT(limit == 2 << 20);
  EXPECT(current >= 0 && high_water >= current && high_water <= limit);
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_memory_limit", "1M");
  EXPECT(MPI_File_set_info(file, info) == MPI_SUCCESS);
  MPI_Info_free(&info);
  EXPECT(concilio_file_memory(file, &limit, NULL, NULL) == CONCILIO_SUCCESS);
  EXPECT(limit == 1 << 20);
}

static void methods(MPI_File file) {
  char value[MPI_MAX_INFO_VAL + 1];
  const char* const names[] = {"two_phase", "list", "two_phase"};
  for (int i = 0; i < 3; i++) {
    EXPECT(concilio_file_set_method(file, names[i]) == CONCILIO_SUCCESS);
    hint(file, "concilio_method", value);
    EXPECT(strcmp(value, names[i]) == 0);
    write_some(file);
    EXPECT(strcmp(last_method(file), names[i]) == 0);
  }
  EXPECT(concilio_file_set_method(file, "magic") == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_set_method(file, rank == ranks - 1 ? "" : "list") == CONCILIO_ERR_ARG);
  if (ranks > 1) EXPECT(concilio_file_set_method(file, rank ? "list" : "sieve") == CONCILIO_ERR_NOT_SAME);
  hint(file, "concilio_method", value);
  EXPECT(strcmp(value, "two_phase") == 0);
  EXPECT(concilio_file_set_method(file, rank ? NULL : "auto") == CONCILIO_SUCCESS);
  hint(file, "concilio_method", value);
  EXPECT(strcmp(value, "auto") == 0);
  write_some(file);
}

static void expect_message(MPI_File file, const char* part) {
  char text[400] = "?", cut[5] = "????";
  EXPECT(concilio_file_error_message(file, text, sizeof text) == CONCILIO_SUCCESS);
  if (!strstr(text, part)) {
    char what[900];
    snprintf(what, sizeof what, "\"%s\" is not in \"%s\"", part, text);
    note_failure(__FILE__, __LINE__, what);
  }
  EXPECT(concilio_file_error_message(file, cut, sizeof cut) == CONCILIO_SUCCESS);
  EXPECT(strncmp(cut, text, sizeof cut - 1) == 0 && cut[sizeof cut - 1] == '\0');
  EXPECT(concilio_file_error_message(file, NULL, 0) == CONCILIO_SUCCESS);
}

/* `bytes` bytes that come again every `period`. */
static MPI_Datatype block_of(int bytes, MPI_Aint period) {
  MPI_Datatype block, tile;
  MPI_Type_contiguous(bytes, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, period, &tile);
  MPI_Type_commit(&tile);
  MPI_Type_free(&block);
  return tile;
}

enum { realm_bytes = 1000 };

/* Blocks dealt to `count` realms in turn, each described as 4 of its blocks. */
static int deal(MPI_File file, int count) {
  MPI_Datatype types[16] = {MPI_DATATYPE_NULL}, four;
  MPI_Offset displacements[16] = {0};
  for (int i = 0; i < count; i++) {
    MPI_Type_vector(4, realm_bytes, realm_bytes * count, MPI_BYTE, &four);
    MPI_Type_create_resized(four, 0, 4 * realm_bytes * count, &types[i]);
    MPI_Type_commit(&types[i]);
    MPI_Type_free(&four);
    displacements[i] = realm_bytes * i;
  }
  const int code = concilio_file_set_realms(file, count, types, displacements);
  for (int i = 0; i < count; i++) MPI_Type_free(&types[i]);
  return code;
}

static char byte_at(int round, int64_t at) {
  return (char)(1 + (at * 7 + at / 251 + round * 13) % 250);
}

/* Pieces of 24 bytes of all ranks by turns from byte 100 on: written together, read back by each alone. */
static void write_and_read_alone(MPI_File file, int round) {
  enum { piece = 24, pieces = 1500, bytes = piece * pieces };
  static char mine[bytes], back[bytes];
  MPI_Datatype view = block_of(piece, piece * ranks);
  int same = 1;
  for (int i = 0; i < bytes; i++)
    mine[i] = byte_at(round, 100 + (int64_t)(i / piece * ranks + rank) * piece + i % piece);
  EXPECT(MPI_File_set_view(file, 100 + rank * piece, MPI_BYTE, view, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  EXPECT(MPI_File_write_all(file, mine, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  EXPECT(strcmp(last_method(file), "two_phase") == 0);
  memset(back, 0, sizeof back);
  EXPECT(MPI_File_read_at_all(file, 0, back, bytes, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  EXPECT(memcmp(mine, back, sizeof back) == 0);
  MPI_Type_free(&view);
  EXPECT(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  for (int64_t at = (int64_t)rank * bytes; at < (int64_t)(rank + 1) * bytes; at += bytes / 4) {
    EXPECT(MPI_File_read_at(file, 100 + at, back, bytes / 4, MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    for (int i = 0; i < bytes / 4; i++) same = same && back[i] == byte_at(round, 100 + at + i);
  }
  EXPECT(same);
  MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File two_phase_file(const char* realms, const char* ranks_per_node) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_method", "two_phase");
  if (realms) MPI_Info_set(info, "concilio_realms", realms);
  if (ranks_per_node) MPI_Info_set(info, "concilio_ranks_per_node", ranks_per_node);
  MPI_File file = opened("ours", info);
  MPI_Info_free(&info);
  return file;
}

static int64_t windows(MPI_File file) {
  int64_t mine = counter(file, "rounds"), all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

static void realms_in_use(const char* ranks_per_node) {
  MPI_File file = two_phase_file(NULL, ranks_per_node);
  int round = 0;
  for (int count = ranks; count > 0; count--) {
    EXPECT(deal(file, count) == CONCILIO_SUCCESS);
    const int64_t before = counter(file, "rounds");
    write_and_read_alone(file, round++);
    /* Every rank aggregates where there are as many realms; and all the same twice. */
    if (count == ranks) EXPECT(counter(file, "rounds") > before);
    write_and_read_alone(file, round++);
  }
  EXPECT(concilio_file_set_realms(file, 0, NULL, NULL) == CONCILIO_SUCCESS);
  write_and_read_alone(file, round);
  MPI_File_close(&file);
}

/* Realms that differ in everything: bytes 10..29 and 70..99 of a hundred are one's, the others another's. */
static void irregular_realms(void) {
  const int lengths[2][2] = {{20, 30}, {10, 40}};
  const MPI_Aint places[2][2] = {{0, 60}, {0, 30}};
  const MPI_Offset displacements[2] = {10, 0};
  MPI_Datatype types[2], blocks;
  if (ranks < 2) return;
  MPI_File file = two_phase_file("user", NULL);
  for (int i = 0; i < 2; i++) {
    MPI_Type_create_hindexed(2, lengths[i], places[i], MPI_BYTE, &blocks);
    MPI_Type_create_resized(blocks, 0, 100, &types[i]);
    MPI_Type_commit(&types[i]);
    MPI_Type_free(&blocks);
  }
  EXPECT(concilio_file_set_realms(file, 2, types, displacements) == CONCILIO_SUCCESS);
  for (int i = 0; i < 2; i++) MPI_Type_free(&types[i]);
  write_and_read_alone(file, 1);
  MPI_File_close(&file);
}

static void realms_by_hint(void) {
  char value[MPI_MAX_INFO_VAL + 1];
  MPI_Info info;
  MPI_File file = two_phase_file("even", NULL);
  EXPECT(deal(file, 1) == CONCILIO_ERR_FIXED);
  expect_message(file, "even realms");
  EXPECT(concilio_file_set_realms(file, 0, NULL, NULL) == CONCILIO_SUCCESS);
  write_and_read_alone(file, 1);
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_realms", "user");
  EXPECT(MPI_File_set_info(file, info) == MPI_SUCCESS);
  hint(file, "concilio_realms", value);
  EXPECT(strcmp(value, "user") == 0);
  write_and_read_alone(file, 2); /* none given: a warning, and even ones */
  EXPECT(deal(file, ranks) == CONCILIO_SUCCESS);
  write_and_read_alone(file, 3);
  /* The program's realms and those of another policy, back and forth. */
  const char* const names[] = {"persistent", "auto", "cyclic", "user"};
  for (int i = 0; i < 4; i++) {
    MPI_Info_set(info, "concilio_realms", names[i]);
    EXPECT(MPI_File_set_info(file, info) == MPI_SUCCESS);
    const int64_t before = windows(file);
    write_and_read_alone(file, 4 + i);
    /* Long blocks are one window to each of the few that have bytes; the program's realms work on all ranks.
     */
    if (i % 2 == 1) EXPECT(windows(file) >= before + 2 * ranks);
  }
  MPI_Info_free(&info);
  MPI_File_close(&file);
}

static void wrong_realms(void) {
  MPI_Datatype types[3] = {block_of(1000, 3000), block_of(1000, 3000), block_of(1000, 3000)};
  MPI_Datatype longer = block_of(1000, 4000);
  MPI_Offset at[3] = {0, 1000, 2000};
  char text[200] = "?";
  MPI_File file = two_phase_file(NULL, NULL);
  EXPECT(concilio_file_error_message(file, text, sizeof text) == CONCILIO_SUCCESS);
  EXPECT(text[0] == '\0');
  EXPECT(concilio_file_set_realms(file, -1, types, at) == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_set_realms(file, 1, NULL, at) == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_set_realms(file, 1, types, NULL) == CONCILIO_ERR_ARG);
  EXPECT(concilio_file_set_realms(file, rank == ranks - 1 ? -1 : 1, types, at) == CONCILIO_ERR_ARG);
  char culprit[64];
  snprintf(culprit, sizeof culprit, "rank %d: -1 realms", ranks - 1);
  expect_message(file, culprit);
  {
    MPI_Datatype none = MPI_DATATYPE_NULL;
    EXPECT(concilio_file_set_realms(file, 1, &none, at) == CONCILIO_ERR_ARG);
    expect_message(file, "MPI_DATATYPE_NULL");
  }
  if (ranks > 1) {
    const MPI_Offset mine = rank;
    EXPECT(concilio_file_set_realms(file, 1, types, &mine) == CONCILIO_ERR_NOT_SAME);
    EXPECT(concilio_file_set_realms(file, 1, rank ? types : &longer, at) == CONCILIO_ERR_NOT_SAME);
    EXPECT(concilio_file_set_realms(file, rank ? 1 : 0, types, at) == CONCILIO_ERR_NOT_SAME);
    expect_message(file, "not give the same realms");
  }
  EXPECT(concilio_file_set_realms(file, 1, types, at) == CONCILIO_ERR_REALMS);
  expect_message(file, "no realm owns byte 1000");
  if (ranks >= 3) {
    EXPECT(concilio_file_set_realms(file, 3, types, at) == CONCILIO_SUCCESS);
    at[2] = 1999;
    EXPECT(concilio_file_set_realms(file, 3, types, at) == CONCILIO_ERR_REALMS);
    expect_message(file, "realms 1 and 2 both own byte 1999");
    at[2] = 2000;
    MPI_Datatype mixed[3] = {types[0], types[1], longer};
    EXPECT(concilio_file_set_realms(file, 3, mixed, at) == CONCILIO_ERR_REALMS);
    expect_message(file, "realm 2's type has extent 4000, realm 0's 3000");
    write_and_read_alone(file, 1); /* by the first three */
  } else {
    EXPECT(concilio_file_set_realms(file, 3, types, at) == CONCILIO_ERR_REALMS);
    expect_message(file, "3 realms, but only");
  }
  for (int i = 0; i < 3; i++) MPI_Type_free(&types[i]);
  MPI_Type_free(&longer);
  write_and_read_alone(file, 2);
  MPI_File_close(&file);
}

static void realms(void) {
  realms_in_use(NULL);
  realms_in_use("1");
  realms_in_use("2");
  irregular_realms();
  realms_by_hint();
  wrong_realms();
}

static void with(void) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_memory_limit", "2M");
  what_needs_no_file();
  refused(MPI_FILE_NULL);
  MPI_File theirs = opened("theirs", MPI_INFO_NULL), ours = opened("ours", info), stale = ours;
  MPI_Info_free(&info);
  refused(theirs);
  EXPECT(concilio_file_f2c(MPI_File_c2f(theirs)) == MPI_FILE_NULL);
  statistics(ours);
  memory(ours);
  methods(ours);
  const MPI_Fint integer = MPI_File_c2f(ours);
  EXPECT(concilio_file_f2c(integer) == ours);
  EXPECT(concilio_file_f2c(-1) == MPI_FILE_NULL);
  MPI_File_close(&ours);
  MPI_File_close(&theirs);
  EXPECT(concilio_file_f2c(integer) == MPI_FILE_NULL);
  refused(stale);
}

/* Rank 0's environment is the one that counts. */
static void fixed(void) {
  setenv("CONCILIO_METHOD", rank == 0 ? "list" : "two_phase", 1);
  setenv("CONCILIO_HINTS", rank == 0 ? "concilio_realms=persistent" : "", 1);
  MPI_File file = opened("ours", MPI_INFO_NULL);
  EXPECT(concilio_file_set_method(file, "two_phase") == CONCILIO_ERR_FIXED);
  EXPECT(concilio_file_set_method(file, NULL) == CONCILIO_ERR_FIXED);
  expect_message(file, "environment");
  EXPECT(deal(file, 1) == CONCILIO_ERR_FIXED);
  expect_message(file, "persistent");
  write_some(file);
  EXPECT(strcmp(last_method(file), "list") == 0);
  MPI_File_close(&file);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int all_failures = 0;
  setenv("CONCILIO_ONLY", "ours", 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(what, "--without") == 0) {
    without();
  } else if (!concilio_version) {
    note_failure(__FILE__, __LINE__, "Concilio is not loaded");
  } else if (strcmp(what, "--fixed") == 0) {
    fixed();
  } else if (strcmp(what, "--realms") == 0) {
    realms();
  } else {
    with();
  }
  MPI_Allreduce(&noted_failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_failures ? 1 : 0;
}
