// Errors of the program: every rank gets the right class and message, and none hangs.
#include <sys/stat.h>
#include <unistd.h>

#include "situations/situation.h"

using namespace situations;

namespace {

int open_code(const std::string& path, int amode, MPI_Comm comm = MPI_COMM_WORLD) {
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(comm, path.c_str(), amode, MPI_INFO_NULL, &file);
  EXPECT((code == MPI_SUCCESS) == (file != MPI_FILE_NULL));
  if (file != MPI_FILE_NULL) MPI_File_close(&file);
  return code;
}

// The message must name the file.
void expect_named(int code, const std::string& name) {
  if (!context.own) EXPECT(message_of(code).find(name) != std::string::npos);
}

struct Seen {
  int calls = 0;
  int code = MPI_SUCCESS;
  MPI_File file = MPI_FILE_NULL;
};
Seen seen;

// Variadic, because MPI's type for such functions is.
void note(MPI_File* file, int* code, ...) {
  ++seen.calls;
  seen.code = *code;
  seen.file = *file;
}

}  // namespace

SITUATION(Open, MissingFile, everywhere) {
  const std::string path = context.fresh_file("missing");
  for (int amode : {MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_WRONLY}) {
    const int code = open_code(path, amode);
    FAILS(MPI_ERR_NO_SUCH_FILE, code);
    expect_named(code, "missing");
  }
  EXPECT(!exists(path));
}

// Programs for Open MPI compare codes with classes, since its own MPI-IO returns classes.
SITUATION(Open, ErrorsOfFilesAreClassesOnOpenMpi, everywhere) {
#ifdef OPEN_MPI
  const std::string path = context.fresh_file("classes");
  EXPECT_EQUAL(MPI_ERR_NO_SUCH_FILE, open_code(path, MPI_MODE_RDONLY));
  { File file(path); }
  EXPECT_EQUAL(MPI_ERR_FILE_EXISTS, open_code(path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR));
  if (context.rank == 0) {
    OK(MPI_File_delete(path.c_str(), MPI_INFO_NULL));
    const int code = MPI_File_delete(path.c_str(), MPI_INFO_NULL);
    EXPECT_EQUAL(MPI_ERR_NO_SUCH_FILE, code);
    if (!context.own) expect_named(code, "classes");
  }
#endif
}

SITUATION(Open, InAMissingFolder, everywhere) {
  const int code = open_code(context.folder + "/no/such/folder", MPI_MODE_CREATE | MPI_MODE_RDWR);
  FAILS(MPI_ERR_NO_SUCH_FILE, code);
  expect_named(code, "no/such/folder");
}

SITUATION(Open, Directory, not_own) {
  for (int amode :
       std::initializer_list<int>{MPI_MODE_RDONLY, MPI_MODE_RDWR, MPI_MODE_CREATE | MPI_MODE_RDWR}) {
    const int code = open_code(context.folder, amode);
    FAILS(MPI_ERR_BAD_FILE, code);
    expect_named(code, context.folder);
  }
}

SITUATION(Open, PathThroughAFile, not_own) {
  const std::string path = context.fresh_file("not-a-folder");
  make_file(path, values(1, 1));
  FAILS(MPI_ERR_BAD_FILE, open_code(path + "/below", MPI_MODE_CREATE | MPI_MODE_RDWR));
}

SITUATION(Open, NameTooLong, not_own) {
  FAILS(MPI_ERR_BAD_FILE,
        open_code(context.folder + "/" + std::string(300, 'x'), MPI_MODE_CREATE | MPI_MODE_RDWR));
}

SITUATION(Open, ExclusiveOfAnExistingFile, everywhere) {
  const std::string path = context.fresh_file("exclusive");
  const int amode = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR;
  OK(open_code(path, amode));  // one rank makes it, and the others must not take that for a conflict
  barrier();
  const int code = open_code(path, amode);
  FAILS(MPI_ERR_FILE_EXISTS, code);
  expect_named(code, "exclusive");
}

SITUATION(Open, ExclusiveThenEveryRankWrites, everywhere) {
  const std::string path = context.fresh_file("exclusive-write");
  const std::vector<uint8_t> mine = values(context.rank, 100);
  {
    File file(path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR);
    OK(MPI_File_write_at(file, context.rank * 100, mine.data(), 100, MPI_BYTE, MPI_STATUS_IGNORE));
  }
  barrier();
  EXPECT_EQUAL(100 * context.ranks, std::ssize(contents(path)));
}

SITUATION(Open, WithoutPermission, everywhere) {
  const std::string path = context.fresh_file("forbidden");
  make_file(path, values(1, 10));
  if (context.rank == 0) chmod(path.c_str(), 0);
  barrier();
  const bool root = geteuid() == 0;
  if (root && seteuid(65534) != 0) return;
  const int code = open_code(path, MPI_MODE_RDWR);
  if (root) EXPECT(seteuid(0) == 0);
  FAILS(MPI_ERR_ACCESS, code);
  expect_named(code, "forbidden");
}

SITUATION(Open, ReadOnlyThenWritten, not_own_openmpi) {
  const std::string path = context.fresh_file("read-only");
  make_file(path, values(1, 10));
  File file(path, MPI_MODE_RDONLY);
  uint8_t byte = 0;
  for (int code :
       {MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
        MPI_File_write_at(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
        MPI_File_write_all(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
        MPI_File_write_at_all(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_File_set_size(file, 5)}) {
    const int found = class_of(code);
    EXPECT(found == MPI_ERR_READ_ONLY || found == MPI_ERR_ACCESS || found == MPI_ERR_AMODE);
  }
  EXPECT_BYTES(values(1, 10), contents(path));
}

SITUATION(Open, WriteOnlyThenRead, not_own_openmpi) {
  const std::string path = context.fresh_file("write-only-read");
  File file(path, MPI_MODE_CREATE | MPI_MODE_WRONLY);
  uint8_t byte = 0;
  for (int code : {MPI_File_read(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
                   MPI_File_read_at(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
                   MPI_File_read_all(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE),
                   MPI_File_read_at_all(file, 0, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE)}) {
    const int found = class_of(code);
    EXPECT(found == MPI_ERR_ACCESS || found == MPI_ERR_AMODE);
  }
}

SITUATION(Open, ModesThatExcludeEachOther, not_own_openmpi) {
  const std::string path = context.fresh_file("modes");
  for (int amode : std::initializer_list<int>{
           0, MPI_MODE_CREATE, MPI_MODE_RDONLY | MPI_MODE_WRONLY, MPI_MODE_RDONLY | MPI_MODE_RDWR,
           MPI_MODE_WRONLY | MPI_MODE_RDWR, MPI_MODE_RDONLY | MPI_MODE_CREATE,
           MPI_MODE_RDONLY | MPI_MODE_EXCL, MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL | MPI_MODE_CREATE}) {
    FAILS(MPI_ERR_AMODE, open_code(path, amode));
  }
  EXPECT(!exists(path));
}

SITUATION(Open, ModesThatDifferBetweenRanks, not_own) {
  const std::string path = context.fresh_file("modes-differ");
  make_file(path, values(1, 10));
  const int amode = context.rank == 0 ? MPI_MODE_RDONLY : MPI_MODE_RDWR;
  const int code = open_code(path, amode);
  EXPECT((code == MPI_SUCCESS) == (context.ranks == 1));
  if (context.ranks > 1) {
    const int found = class_of(code);
    EXPECT(found == MPI_ERR_NOT_SAME || found == MPI_ERR_AMODE);
  }
}

// The handlers of communicators, which would end the program, are not called.
SITUATION(Open, CommunicatorThatHoldsNoGroupOrTwo, not_own) {
  const std::string path = context.fresh_file("communicator");
  MPI_File file;
  FAILS(MPI_ERR_COMM,
        MPI_File_open(MPI_COMM_NULL, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  EXPECT(file == MPI_FILE_NULL);
  if (context.ranks < 2) return;
  MPI_Comm part, between;
  MPI_Comm_split(MPI_COMM_WORLD, context.rank % 2, context.rank, &part);
  MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - context.rank % 2, 3, &between);
  FAILS(MPI_ERR_COMM,
        MPI_File_open(between, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file));
  EXPECT(!exists(path));
  MPI_Comm_free(&between);
  MPI_Comm_free(&part);
}

SITUATION(Delete, MissingFile, everywhere) {
  const std::string path = context.fresh_file("to-delete");
  const int code = MPI_File_delete(path.c_str(), MPI_INFO_NULL);
  FAILS(MPI_ERR_NO_SUCH_FILE, code);
  expect_named(code, "to-delete");
}

SITUATION(Delete, ExistingFile, everywhere) {
  const std::string path = context.fresh_file("deleted");
  make_file(path, values(1, 10));
  if (context.rank == 0) OK(MPI_File_delete(path.c_str(), MPI_INFO_NULL));
  barrier();
  EXPECT(!exists(path));
}

SITUATION(Arguments, NegativeCountAndOffset, not_own_openmpi) {
  const std::string path = context.fresh_file("arguments");
  File file(path);
  uint8_t byte = 0;
  EXPECT(MPI_File_write_at(file, 0, &byte, -1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  EXPECT(MPI_File_write_at(file, -1, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  EXPECT(MPI_File_read_at(file, -1, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  EXPECT(MPI_File_write_at(file, 0, &byte, 1, MPI_DATATYPE_NULL, MPI_STATUS_IGNORE) != MPI_SUCCESS);
}

SITUATION(Arguments, BadOnOneRankOfACollectiveCall, not_own) {
  const std::string path = context.fresh_file("bad-on-one");
  File file(path);
  uint8_t byte = 1;
  const MPI_Offset offset = context.rank == context.ranks - 1 ? -1 : context.rank;
  EXPECT(MPI_File_write_at_all(file, offset, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE) != MPI_SUCCESS);
  OK(MPI_File_write_at_all(file, context.rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
}

#if !defined(MPI_ABI_VERSION) || defined(MPICH_VERSION)  // MPICH 5.0 crashes with the standard's ABI
SITUATION(Arguments, NullFile, everywhere) {
  MPI_Offset offset = 0;
  EXPECT(MPI_File_get_size(MPI_FILE_NULL, &offset) != MPI_SUCCESS);
}
#endif

SITUATION(ErrorHandler, DefaultReturns, everywhere) {
  const std::string path = context.fresh_file("handler-default");
  File file(path);
  MPI_Errhandler handler;
  OK(MPI_File_get_errhandler(file, &handler));
  EXPECT(handler == MPI_ERRORS_RETURN);
  OK(MPI_File_get_errhandler(MPI_FILE_NULL, &handler));
  EXPECT(handler == MPI_ERRORS_RETURN);
}

SITUATION(ErrorHandler, UsersFunctionIsCalled, everywhere) {
  const std::string path = context.fresh_file("handler-user");
  File file(path);
  MPI_Errhandler handler, found;
  OK(MPI_File_create_errhandler(note, &handler));
  OK(MPI_File_set_errhandler(file, handler));
  OK(MPI_File_get_errhandler(file, &found));
  OK(MPI_File_set_errhandler(file, found));  // the same handler, perhaps under another handle
  MPI_Errhandler_free(&found);
  MPI_Errhandler_free(&handler);
  seen = Seen();
  const int code = MPI_File_seek(file, -1, MPI_SEEK_SET);
  EXPECT(code != MPI_SUCCESS);
  EXPECT_EQUAL(1, seen.calls);
  EXPECT_EQUAL(code, seen.code);
  EXPECT(seen.file == static_cast<MPI_File>(file));
  OK(MPI_File_set_errhandler(file, MPI_ERRORS_RETURN));
  EXPECT(MPI_File_seek(file, -1, MPI_SEEK_SET) != MPI_SUCCESS);
  EXPECT_EQUAL(1, seen.calls);
}

SITUATION(ErrorHandler, OfTheNullFileIsOpensAndTheDefault, not_own) {
  const std::string missing = context.fresh_file("handler-missing"),
                    path = context.fresh_file("handler-null");
  MPI_Errhandler handler;
  OK(MPI_File_create_errhandler(note, &handler));
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler));
  seen = Seen();
  EXPECT(open_code(missing, MPI_MODE_RDONLY) != MPI_SUCCESS);
  EXPECT_EQUAL(1, seen.calls);
  {
    File file(path);
    seen = Seen();
    EXPECT(MPI_File_seek(file, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    EXPECT_EQUAL(1, seen.calls);
  }
  OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
  MPI_Errhandler_free(&handler);
}

SITUATION(Errors, NoPlaceForAResult, not_own) {
  const std::string path = context.fresh_file("no-place");
  FAILS(MPI_ERR_ARG,
        MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, nullptr));
  EXPECT(!exists(path));
  File file(path);
  MPI_Offset offset = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  char name[MPI_MAX_DATAREP_STRING];
  FAILS(MPI_ERR_ARG, MPI_File_get_size(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_amode(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_group(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_info(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_position(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_position_shared(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_byte_offset(file, 0, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_type_extent(file, MPI_INT, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_atomicity(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_errhandler(file, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_get_view(file, nullptr, &type, &type, name));
  FAILS(MPI_ERR_ARG, MPI_File_get_view(file, &offset, nullptr, &type, name));
  FAILS(MPI_ERR_ARG, MPI_File_get_view(file, &offset, &type, nullptr, name));
  FAILS(MPI_ERR_ARG, MPI_File_get_view(file, &offset, &type, &type, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_iread_at(file, 0, name, 1, MPI_BYTE, nullptr));
  FAILS(MPI_ERR_ARG, MPI_File_iread_at_all(file, 0, name, 1, MPI_BYTE, nullptr));
}

// Without the file's error handler, that of MPI_COMM_WORLD would end the program.
SITUATION(Errors, ExtentOfNoDatatype, everywhere) {
  File file(context.fresh_file("no-datatype"));
  MPI_Aint extent = 0;
  FAILS(MPI_ERR_TYPE, MPI_File_get_type_extent(file, MPI_DATATYPE_NULL, &extent));
}
