/*
 * The C interface as a C program uses it.
 *
 *   c_api            with Concilio
 *   c_api --fixed    with Concilio, and a method that the user's environment settles
 *   c_api --without  without Concilio: every function is NULL, and the program runs all the same
 */
#include <concilio/file.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, ranks, failures;

#define EXPECT(condition)                                                            \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "rank %d: line %d: not so: %s\n", rank, __LINE__, #condition); \
      failures++;                                                                    \
    }                                                                                \
  } while (0)

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
  EXPECT(!concilio_file_last_call && !concilio_file_memory && !concilio_file_set_method &&
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
  for (int code = CONCILIO_SUCCESS; code <= CONCILIO_ERR_OTHER; code++) {
    EXPECT(concilio_error_text(code)[0] != '\0');
    EXPECT(strcmp(concilio_error_text(code), concilio_error_text(-1)) != 0);
  }
}

/* Every function refuses the handle, and leaves what it was given alone. */
static void refused(MPI_File file) {
  int64_t number = 7;
  const char* method = "untouched";
  char reason[16] = "untouched";
  EXPECT(concilio_file_counter(file, "bytes_read", &number) == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_last_call(file, &method, reason, sizeof reason) == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_memory(file, &number, &number, &number) == CONCILIO_ERR_FILE);
  EXPECT(concilio_file_set_method(file, "two_phase") == CONCILIO_ERR_FILE);
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
  MPI_File file = opened("ours", MPI_INFO_NULL);
  EXPECT(concilio_file_set_method(file, "two_phase") == CONCILIO_ERR_FIXED);
  EXPECT(concilio_file_set_method(file, NULL) == CONCILIO_ERR_FIXED);
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
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(what, "--without") == 0) {
    without();
  } else if (!concilio_version) {
    fprintf(stderr, "Concilio is not loaded\n");
    failures++;
  } else if (strcmp(what, "--fixed") == 0) {
    fixed();
  } else {
    with();
  }
  MPI_Allreduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all_failures ? 1 : 0;
}
