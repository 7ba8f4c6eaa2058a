/*
 * Programs that begin MPI by MPI_Session_init (MPI 4), with MPI_Init or without.
 *
 *   sessions only       one session, and calls of every kind on a file
 *   sessions threads    the same with MPI_THREAD_MULTIPLE
 *   sessions raised     the same, where CONCILIO_THREADS asks for that level
 *   sessions two        two sessions; the second goes on when the first has ended
 *   sessions around     a session that begins before MPI_Init and ends after MPI_Finalize
 *   sessions within     a session between MPI_Init and MPI_Finalize; neither may be used by several threads
 *   sessions meanwhile  the second session ends while a file is opened in the first, as by another thread
 *   sessions left_open  the session ends with the file open
 *   sessions left_comm  the session ends, and nobody frees its communicator
 *   sessions again      three epochs: MPI ends altogether, and a session begins it again
 *   sessions init       an epoch of a session, then one of MPI_Init
 *   sessions after      an epoch of MPI_Init, then one of a session
 *   sessions fatal, abort, no_file, no_comm
 *                       an error that ends the program: MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT of a file,
 * of MPI_File_open, and of MPI_File_delete, which has no communicator
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/expect.h"

enum { own_count = 500, own_bytes = own_count * (int)sizeof(int) };

static int rank, ranks, errors;

static void path_of(const char* name, char* path) {
  const char* folder = getenv("CONCILIO_TEST_DIR");
  snprintf(path, 4096, "%s/%s", folder ? folder : "/tmp", name);
}

static MPI_Session begin(const char* level, const char* name, MPI_Comm* comm) {
  MPI_Session session;
  MPI_Group all;
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "thread_level", level);
  REQUIRE(MPI_Session_init(info, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  MPI_Info_free(&info);
  REQUIRE(MPI_Group_from_session_pset(session, "mpi://WORLD", &all) == MPI_SUCCESS);
  REQUIRE(MPI_Comm_create_from_group(all, name, MPI_INFO_NULL, MPI_ERRORS_RETURN, comm) == MPI_SUCCESS);
  MPI_Group_free(&all);
  MPI_Comm_rank(*comm, &rank);
  expecting("rank %d", rank);
  MPI_Comm_size(*comm, &ranks);
  return session;
}

static int has_threads(MPI_Session session) {
  char level[MPI_MAX_INFO_VAL + 1] = "";
  int found;
  MPI_Info info;
  REQUIRE(MPI_Session_get_info(session, &info) == MPI_SUCCESS);
  MPI_Info_get(info, "thread_level", MPI_MAX_INFO_VAL, level, &found);
  MPI_Info_free(&info);
  return found && strcmp(level, "MPI_THREAD_MULTIPLE") == 0;
}

/* Threads of the library, which may call MPI. */
static int library_threads(void) {
  int found = 0;
  DIR* tasks = opendir("/proc/self/task");
  REQUIRE(tasks != NULL);
  for (struct dirent* task; (task = readdir(tasks));) {
    char path[512], name[32] = "";
    snprintf(path, sizeof path, "/proc/self/task/%s/comm", task->d_name);
    FILE* file = fopen(path, "r");
    if (!file) continue;
    if (fgets(name, sizeof name, file)) found += strcmp(name, "concilio\n") == 0;
    fclose(file);
  }
  closedir(tasks);
  return found;
}

static void end(MPI_Session* session, MPI_Comm* comm) {
  MPI_Comm_free(comm);
  REQUIRE(MPI_Session_finalize(session) == MPI_SUCCESS);
}

/* What ends when the library's ranks next tell each other, in an open, which of their teams are free. */
static struct {
  MPI_Session* session;
  MPI_Comm* comm;
} ends_meanwhile;

__attribute__((visibility("default"))) int PMPI_Allreduce(const void* mine, void* all, int count,
                                                          MPI_Datatype type, MPI_Op operation,
                                                          MPI_Comm comm) {
  static int (*next)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Allreduce");
  if (ends_meanwhile.session && operation == MPI_BAND) {
    end(ends_meanwhile.session, ends_meanwhile.comm);
    ends_meanwhile.session = NULL;
  }
  return next(mine, all, count, type, operation, comm);
}

static int extent(MPI_Datatype type, MPI_Aint* bytes, void* extra) {
  int size;
  (void)extra;
  MPI_Type_size(type, &size);
  *bytes = size;
  return MPI_SUCCESS;
}

static void count_error(MPI_File* file, int* code, ...) {
  (void)file, (void)code;
  errors++;
}

/* Where that rank's complaints about a file go. */
static void log_of(const char* name, int of, char* path) {
  char log[128];
  snprintf(log, sizeof log, "log-%s-%d", name, of);
  path_of(log, path);
}

/* How often the ranks complain of this, each by its number. */
static int said(const char* name, const char* what) {
  int times = 0;
  for (int i = 0; i < ranks; i++) {
    char log[4096], line[4096], begin_of[64];
    log_of(name, i, log);
    snprintf(begin_of, sizeof begin_of, "concilio[%d] ", i);
    FILE* lines = fopen(log, "r");
    REQUIRE(lines != NULL);
    while (fgets(line, sizeof line, lines))
      times += strncmp(line, begin_of, strlen(begin_of)) == 0 && strstr(line, what);
    fclose(lines);
  }
  return times;
}

/* With a hint that nobody knows, of which one rank says so. */
static MPI_File open_file(MPI_Comm comm, const char* name) {
  char path[4096], log[4096], hint[128];
  MPI_File file;
  MPI_Info info;
  path_of(name, path);
  log_of(name, rank, log);
  snprintf(hint, sizeof hint, "no_hint_%s", name);
  MPI_Info_create(&info);
  MPI_Info_set(info, hint, "1");
  const int to = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600), before = dup(STDERR_FILENO);
  dup2(to, STDERR_FILENO);
  const int code = MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
  dup2(before, STDERR_FILENO);
  close(before);
  close(to);
  REQUIRE(code == MPI_SUCCESS);
  MPI_Info_free(&info);
  MPI_Barrier(comm);
  if (rank == 0) REQUIRE(said(name, hint) == 1);
  return file;
}

/* The default that an earlier epoch has set does not hold any more. */
static void check_errors(MPI_Comm comm) {
  char text[MPI_MAX_ERROR_STRING], path[4096];
  int length, class_of;
  MPI_File none;
  MPI_Errhandler handler;
  path_of("no-such-file", path);
  errors = 0;
  REQUIRE(MPI_File_open(comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &none) != MPI_SUCCESS);
  REQUIRE(errors == 0);
  REQUIRE(MPI_File_create_errhandler(count_error, &handler) == MPI_SUCCESS);
  REQUIRE(MPI_File_set_errhandler(MPI_FILE_NULL, handler) == MPI_SUCCESS);
  const int code = MPI_File_open(comm, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &none);
  REQUIRE(code != MPI_SUCCESS && errors == 1);
  REQUIRE(MPI_Error_class(code, &class_of) == MPI_SUCCESS && class_of == MPI_ERR_NO_SUCH_FILE);
  REQUIRE(MPI_Error_string(code, text, &length) == MPI_SUCCESS && strstr(text, path));
  MPI_Errhandler_free(&handler);
}

/* What every epoch, and no other part of MPI, does once. */
static void begin_epoch(MPI_Comm comm) {
  check_errors(comm);
  REQUIRE(MPI_Register_datarep("sessions", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, NULL) ==
          MPI_SUCCESS);
}

static void check(const int* found) {
  for (int i = 0; i < own_count; i++) REQUIRE(found[i] == rank * own_count + i);
}

/* Calls of every kind. */
static void write_and_read(MPI_File file) {
  static const char* const representations[] = {"native", "external32", "sessions"};
  int mine[own_count], found[own_count];
  MPI_Datatype tile, column;
  MPI_Request requests[2];
  MPI_Status status, statuses[2];
  MPI_Group group;
  MPI_Offset size;
  int members;
  for (int i = 0; i < own_count; i++) mine[i] = rank * own_count + i;
  MPI_Type_create_resized(MPI_INT, 0, ranks * (MPI_Aint)sizeof(int), &tile);
  MPI_Type_contiguous(1, tile, &column);
  MPI_Type_commit(&column);
  for (int i = 0; i < 3; i++) {
    REQUIRE(MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, column, representations[i],
                              MPI_INFO_NULL) == MPI_SUCCESS);
    REQUIRE(MPI_File_write_at_all(file, 0, mine, own_count, MPI_INT, &status) == MPI_SUCCESS);
    memset(found, 0, sizeof found);
    REQUIRE(MPI_File_read_at_all(file, 0, found, own_count, MPI_INT, &status) == MPI_SUCCESS);
    check(found);
    REQUIRE(MPI_File_iwrite_at_all(file, 0, mine, own_count, MPI_INT, &requests[0]) == MPI_SUCCESS);
    REQUIRE(MPI_File_iwrite_at(file, own_count, mine, own_count, MPI_INT, &requests[1]) == MPI_SUCCESS);
    REQUIRE(MPI_Waitall(2, requests, statuses) == MPI_SUCCESS);
    memset(found, 0, sizeof found);
    REQUIRE(MPI_File_iread_at_all(file, own_count, found, own_count, MPI_INT, &requests[0]) == MPI_SUCCESS);
    REQUIRE(MPI_Wait(&requests[0], &status) == MPI_SUCCESS);
    check(found);
    REQUIRE(MPI_File_write_all_begin(file, mine, own_count, MPI_INT) == MPI_SUCCESS);
    REQUIRE(MPI_File_write_all_end(file, mine, &status) == MPI_SUCCESS);
  }
  REQUIRE(MPI_File_sync(file) == MPI_SUCCESS);
  REQUIRE(MPI_File_set_atomicity(file, 1) == MPI_SUCCESS);
  REQUIRE(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL) == MPI_SUCCESS);
  REQUIRE(MPI_File_write_ordered(file, mine, own_count, MPI_INT, &status) == MPI_SUCCESS);
  REQUIRE(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == MPI_SUCCESS);
  memset(found, 0, sizeof found);
  REQUIRE(MPI_File_read_ordered(file, found, own_count, MPI_INT, &status) == MPI_SUCCESS);
  check(found);
  REQUIRE(MPI_File_seek_shared(file, 0, MPI_SEEK_SET) == MPI_SUCCESS);
  REQUIRE(MPI_File_write_shared(file, mine, own_count, MPI_INT, &status) == MPI_SUCCESS);
  REQUIRE(MPI_File_get_group(file, &group) == MPI_SUCCESS);
  MPI_Group_size(group, &members);
  REQUIRE(members == ranks);
  MPI_Group_free(&group);
  REQUIRE(MPI_File_set_size(file, 0) == MPI_SUCCESS);
  REQUIRE(MPI_File_write_at(file, rank * (MPI_Offset)own_count, mine, own_count, MPI_INT, &status) ==
          MPI_SUCCESS);
  REQUIRE(MPI_File_sync(file) == MPI_SUCCESS);
  REQUIRE(MPI_File_get_size(file, &size) == MPI_SUCCESS && size == (MPI_Offset)own_bytes * ranks);
  /* An error of the file's own. */
  REQUIRE(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  REQUIRE(MPI_File_seek(file, -1, MPI_SEEK_SET) != MPI_SUCCESS);
  MPI_Type_free(&column);
  MPI_Type_free(&tile);
}

static void use_file(MPI_Comm comm, const char* name) {
  char path[4096];
  MPI_File file;
  for (int i = 0; i < 2; i++) {
    char twice[64];
    snprintf(twice, sizeof twice, "%s-%d", name, i);
    file = open_file(comm, twice);
    write_and_read(file);
    REQUIRE(MPI_File_close(&file) == MPI_SUCCESS && file == MPI_FILE_NULL);
    path_of(twice, path);
    MPI_Barrier(comm);
    if (rank == 0) REQUIRE(MPI_File_delete(path, MPI_INFO_NULL) == MPI_SUCCESS);
  }
}

/* Its bytes are in it all the same. */
static void leave_open(MPI_Comm comm) {
  int mine[own_count];
  MPI_Info info;
  char path[4096];
  MPI_File file;
  for (int i = 0; i < own_count; i++) mine[i] = rank * own_count + i;
  MPI_Info_create(&info);
  MPI_Info_set(info, "concilio_realms", "persistent");
  MPI_Info_set(info, "concilio_method", "two_phase");
  MPI_Info_set(info, "romio_no_indep_rw", "true");
  MPI_Info_set(info, "concilio_write_behind", "1000000");
  path_of("left-open", path);
  REQUIRE(MPI_File_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file) == MPI_SUCCESS);
  MPI_Info_free(&info);
  for (int i = 0; i < 2; i++)
    REQUIRE(MPI_File_write_at_all(file, (MPI_Offset)own_bytes * rank, mine, own_bytes, MPI_BYTE,
                                  MPI_STATUS_IGNORE) == MPI_SUCCESS);
}

static void check_left_open(void) {
  char path[4096];
  int found;
  path_of("left-open", path);
  FILE* whole = fopen(path, "rb");
  REQUIRE(whole != NULL);
  for (int i = 0; i < own_count * ranks; i++)
    REQUIRE(fread(&found, sizeof found, 1, whole) == 1 && found == i);
  fclose(whole);
}

/* An error that ends all processes. */
static void die(MPI_Comm comm, const char* how) {
  MPI_File file = MPI_FILE_NULL;
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
  if (strcmp(how, "no_comm") == 0) MPI_File_delete("/no-such-folder/file", MPI_INFO_NULL);
  if (strcmp(how, "no_file") == 0)
    MPI_File_open(comm, "/no-such-folder/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
  file = open_file(comm, "dies");
#ifdef MPI_ERRORS_ABORT
  if (strcmp(how, "abort") == 0) MPI_File_set_errhandler(file, MPI_ERRORS_ABORT);
#endif
  MPI_File_seek(file, -1, MPI_SEEK_SET);
  fprintf(stderr, "sessions: lives on\n");
}

int main(int argc, char** argv) {
  const char *how = argc > 1 ? argv[1] : "", *single = "MPI_THREAD_SINGLE";
  MPI_Session session, second;
  MPI_Comm comm, other;
  if (strcmp(how, "only") == 0 || strcmp(how, "threads") == 0 || strcmp(how, "raised") == 0) {
    session = begin(strcmp(how, "threads") == 0 ? "MPI_THREAD_MULTIPLE" : single, "one", &comm);
    if (strcmp(how, "raised") == 0) REQUIRE(has_threads(session));
    begin_epoch(comm);
    use_file(comm, "file");
    end(&session, &comm);
  } else if (strcmp(how, "two") == 0) {
    session = begin(single, "one", &comm);
    second = begin(single, "two", &other);
    begin_epoch(comm);
    use_file(comm, "one");
    use_file(other, "two");
    end(&session, &comm);
    use_file(other, "two-alone");
    end(&second, &other);
  } else if (strcmp(how, "meanwhile") == 0) {
    session = begin(single, "one", &comm);
    second = begin(single, "two", &other);
    begin_epoch(comm);
    use_file(comm, "before");
    ends_meanwhile.session = &second;
    ends_meanwhile.comm = &other;
    use_file(comm, "meanwhile");
    REQUIRE(!ends_meanwhile.session);
    end(&session, &comm);
  } else if (strcmp(how, "around") == 0) {
    session = begin(single, "one", &comm);
    begin_epoch(comm);
    use_file(comm, "before");
    MPI_Init(&argc, &argv);
    use_file(MPI_COMM_WORLD, "world");
    use_file(comm, "session");
    MPI_File open = open_file(comm, "open");
    MPI_Finalize();
    write_and_read(open);
    REQUIRE(MPI_File_close(&open) == MPI_SUCCESS);
    use_file(comm, "after");
    end(&session, &comm);
  } else if (strcmp(how, "within") == 0) {
    MPI_Init(&argc, &argv);
    session = begin(single, "one", &comm);
    begin_epoch(comm);
    use_file(comm, "session");
    use_file(MPI_COMM_WORLD, "world");
    REQUIRE(library_threads() == 0);
    end(&session, &comm);
    use_file(MPI_COMM_WORLD, "after");
    MPI_Finalize();
  } else if (strcmp(how, "left_open") == 0) {
    session = begin(single, "one", &comm);
    leave_open(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (rank == 0) check_left_open();
  } else if (strcmp(how, "left_comm") == 0) {
    session = begin(single, "one", &comm);
    begin_epoch(comm);
    use_file(comm, "file");
    REQUIRE(MPI_Session_finalize(&session) == MPI_SUCCESS);
  } else if (strcmp(how, "again") == 0) {
    static const char* const names[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
      session = begin(single, names[i], &comm);
      begin_epoch(comm);
      use_file(comm, names[i]);
      end(&session, &comm);
    }
  } else if (strcmp(how, "init") == 0) {
    session = begin(single, "one", &comm);
    begin_epoch(comm);
    use_file(comm, "session");
    end(&session, &comm);
    MPI_Init(&argc, &argv);
    begin_epoch(MPI_COMM_WORLD);
    use_file(MPI_COMM_WORLD, "world");
    MPI_Finalize();
  } else if (strcmp(how, "after") == 0) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    begin_epoch(MPI_COMM_WORLD);
    use_file(MPI_COMM_WORLD, "world");
    MPI_Finalize();
    session = begin(single, "one", &comm);
    begin_epoch(comm);
    use_file(comm, "session");
    end(&session, &comm);
  } else {
    session = begin(single, "one", &comm);
    die(comm, how);
    end(&session, &comm);
  }
  if (rank == 0) printf("sessions, %s: right\n", how);
  return 0;
}
