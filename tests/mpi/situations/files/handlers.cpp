// What a program's error handlers may do: choose the code that a call returns, throw an exception, or leave
// the call by longjmp.
#include <unistd.h>

#include <csetjmp>
#include <fstream>
#include <stdexcept>

#include "situations/situation.h"

using namespace situations;

namespace {

enum class Way { none, change, throw_error, throw_number, jump };
Way way = Way::none;
int calls = 0;
MPI_File seen_file;
std::jmp_buf back;

void handle(MPI_File* file, int* code, ...) {
  ++calls;
  seen_file = *file;
  switch (way) {
    case Way::none:
      return;
    case Way::change:
      *code = MPI_ERR_QUOTA;
      return;
    case Way::throw_error:
      throw std::runtime_error("the program's own");
    case Way::throw_number:
      throw 4711;
    case Way::jump:
      std::longjmp(back, 1);
  }
}

// While this object lives, newly opened files and failing calls of MPI_File_open use this handler.
class Handled {
 public:
  Handled() {
    OK(MPI_File_create_errhandler(handle, &handler_));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, handler_));
    calls = 0;
  }
  ~Handled() {
    way = Way::none;
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    OK(MPI_Errhandler_free(&handler_));
  }

 private:
  MPI_Errhandler handler_;
};

// Calls that fail, each in a different part of the library.
struct Failing {
  const char* name;
  int (*call)(MPI_File file);
};

uint8_t byte = 1;
MPI_Request request = MPI_REQUEST_NULL;
MPI_Status status;

MPI_File to_close = MPI_FILE_NULL;
// A file with MPI_MODE_DELETE_ON_CLOSE, whose name another file has taken before it is closed.
void prepare_close() {
  const std::string path = context.fresh_file("handler-close");
  OK(MPI_File_open(MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                   MPI_INFO_NULL, &to_close));
  barrier();
  if (context.rank == 0) {
    unlink(path.c_str());
    std::ofstream{path};
  }
  barrier();
}

const Failing failing[] = {
    {"seek", [](MPI_File file) { return MPI_File_seek(file, -1, MPI_SEEK_SET); }},
    {"write_at", [](MPI_File file) { return MPI_File_write_at(file, -1, &byte, 1, MPI_BYTE, &status); }},
    {"write_at_all",
     [](MPI_File file) { return MPI_File_write_at_all(file, -1, &byte, 1, MPI_BYTE, &status); }},
    {"iwrite_at", [](MPI_File file) { return MPI_File_iwrite_at(file, -1, &byte, 1, MPI_BYTE, &request); }},
    {"wait",
     [](MPI_File file) {
       OK(MPI_File_iwrite_at_all(file, -1, &byte, 1, MPI_BYTE, &request));
       return MPI_Wait(&request, &status);
     }},
    {"split",
     [](MPI_File file) {
       OK(MPI_File_write_at_all_begin(file, -1, &byte, 1, MPI_BYTE));
       return MPI_File_write_at_all_end(file, &byte, &status);
     }},
    {"set_size", [](MPI_File file) { return MPI_File_set_size(file, -1); }},
    {"set_view",
     [](MPI_File file) { return MPI_File_set_view(file, -1, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL); }},
    {"open",
     [](MPI_File) {
       MPI_File none;
       return MPI_File_open(MPI_COMM_WORLD, (context.folder + "/handler-none").c_str(), MPI_MODE_RDONLY,
                            MPI_INFO_NULL, &none);
     }},
    {"delete",
     [](MPI_File) { return MPI_File_delete((context.folder + "/handler-none").c_str(), MPI_INFO_NULL); }},
    {"close", [](MPI_File) { return MPI_File_close(&to_close); }},
};

// A call, and how it returned: with a code, or with 4711 from a catch or a jump.
int call_and_come_back(const Failing& one, MPI_File file) {
  if (setjmp(back) != 0) return 4711;
  try {
    return one.call(file);
  } catch (const std::runtime_error& error) {
    EXPECT(std::string(error.what()) == "the program's own");
    return 4711;
  } catch (int number) {
    EXPECT_EQUAL(4711, number);
    return 4711;
  }
}

// Makes all calls, and checks after each that the library still works.
void each_fails(Way how, int expected) {
  const Handled handled;
  const std::string path = context.fresh_file("handler-ways");
  File file(path);
  for (const Failing& one : failing) {
    if (one.name == std::string("close")) prepare_close();
    way = how;
    calls = 0;
    const int found = call_and_come_back(one, file);
    way = Way::none;
    if (found != expected || calls != 1) {
      note_failure(__FILE__, __LINE__,
                   std::string(one.name) + ": " + std::to_string(calls) + " calls of the handler, and " +
                       std::to_string(found) + " in place of " + std::to_string(expected));
    }
    const bool knows_file = one.name != std::string("open") && one.name != std::string("delete") &&
                            one.name != std::string("close");
    EXPECT((seen_file == static_cast<MPI_File>(file)) == knows_file);
    EXPECT(to_close == MPI_FILE_NULL);
    // The library must not hold anything that these calls wait for.
    OK(MPI_File_write_at_all(file, context.rank, &byte, 1, MPI_BYTE, &status));
    OK(MPI_File_iwrite_at(file, context.rank, &byte, 1, MPI_BYTE, &request));
    OK(MPI_Wait(&request, &status));
    OK(MPI_File_write_at_all_begin(file, context.rank, &byte, 1, MPI_BYTE));
    OK(MPI_File_write_at_all_end(file, &byte, &status));
    OK(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_sync(file));
  }
}

#ifdef OPEN_MPI
// The handler of a communicator, which MPI itself calls.
void throw_from_communicator(MPI_Comm*, int*, ...) {
  throw std::runtime_error("the program's own");
}
#endif

}  // namespace

SITUATION(Handlers, DecideWhatTheCallReturns, not_own) {
  each_fails(Way::change, MPI_ERR_QUOTA);
}

SITUATION(Handlers, ThrowAnError, not_own) {
  each_fails(Way::throw_error, 4711);
}

SITUATION(Handlers, ThrowANumber, not_own) {
  each_fails(Way::throw_number, 4711);
}

SITUATION(Handlers, JumpOutOfTheCall, not_own) {
  each_fails(Way::jump, 4711);
}

SITUATION(Handlers, OfSeveralRequestsEachDecidesForItsOwn, not_own) {
  const Handled handled;
  File file(context.fresh_file("handler-several"));
  MPI_Request requests[3];
  MPI_Status statuses[3];
  for (const int bad : {1, 2}) {
    OK(MPI_File_iwrite_at_all(file, context.rank, &byte, 1, MPI_BYTE, &requests[0]));
    OK(MPI_File_iwrite_at_all(file, -1, &byte, 1, MPI_BYTE, &requests[1]));
    OK(MPI_File_iwrite_at_all(file, bad == 2 ? -1 : 0, &byte, 1, MPI_BYTE, &requests[2]));
    way = Way::change;
    calls = 0;
    EXPECT_EQUAL(MPI_ERR_IN_STATUS, MPI_Waitall(3, requests, statuses));
    way = Way::none;
    EXPECT_EQUAL(bad, calls);
    EXPECT_EQUAL(MPI_SUCCESS, statuses[0].MPI_ERROR);
    EXPECT_EQUAL(MPI_ERR_QUOTA, statuses[1].MPI_ERROR);
    EXPECT_EQUAL(bad == 2 ? MPI_ERR_QUOTA : MPI_SUCCESS, statuses[2].MPI_ERROR);
  }
  // A program that calls the handler itself gets its result.
  way = Way::change;
  OK(MPI_File_call_errhandler(file, MPI_ERR_IO));
  OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO));
}

SITUATION(Handlers, ThatTheProgramCallsAreCalledForEveryCode, not_own) {
  const Handled handled;
  File file(context.fresh_file("handler-called"));
  OK(MPI_File_call_errhandler(file, MPI_SUCCESS));
  OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_SUCCESS));
  EXPECT_EQUAL(2, calls);
}

// Predefined handlers are freed as often as they were got, from files and from communicators. MPICH ends the
// program then, as it does not count those that files give out.
SITUATION(Handlers, ThatArePredefinedMayBeFreed, not_own) {
  File file(context.fresh_file("handler-predefined"));
  for (int i = 0; i < 100; ++i) {
    MPI_Errhandler of_file, of_comm;
    OK(MPI_File_get_errhandler(file, &of_file));
    OK(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_comm));
    for (MPI_Errhandler* each : {i % 2 ? &of_file : &of_comm, i % 2 ? &of_comm : &of_file}) {
      OK(MPI_Errhandler_free(each));
      EXPECT(*each == MPI_ERRHANDLER_NULL);
    }
  }
  FAILS(MPI_ERR_ARG, MPI_File_seek(file, -1, MPI_SEEK_SET));
}

// While requests of Concilio are pending, the wait functions are Concilio's. MPICH holds a lock of its own
// when it calls handlers.
#ifdef OPEN_MPI
SITUATION(Handlers, ThatMpiItselfCallsMayThrow, not_own) {
  MPI_Errhandler handler;
  MPI_Request files;
  MPI_Comm_create_errhandler(throw_from_communicator, &handler);
  {
    File file(context.fresh_file("handler-of-mpi"));
    OK(MPI_File_iwrite_at(file, context.rank, &byte, 1, MPI_BYTE, &files));
    bool thrown = false;
    for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, handler);
    try {
      MPI_Waitall(-1, &files, MPI_STATUSES_IGNORE);
    } catch (const std::runtime_error&) {
      thrown = true;
    }
    for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    EXPECT(thrown);
    OK(MPI_Wait(&files, MPI_STATUS_IGNORE));
  }
  MPI_Errhandler_free(&handler);
}
#endif
