// The semantics of MPI-IO as plain functions. The generated entry points of `bind` call them for files that
// Concilio has opened. Every function returns an MPI error code, and leaves the file's error handler to be
// called with it. Counts are MPI_Count, so that the int and the large-count (_c) forms share one body.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace concilio::mpi {
struct UserRepresentation;
}

namespace concilio::mpiio {

class File;

// Concilio's file behind a handle; nullptr if the handle is MPI_FILE_NULL or belongs to the MPI's own MPI-IO.
File* find(MPI_File handle);
// Whether Concilio opens or deletes the file of this name (CONCILIO_DISABLE, CONCILIO_ONLY, prefixes like
// "ufs:").
bool takes_over(const char* path);
// Whether Concilio takes over any files at all.
bool takes_over_any();

// The entry points call these before and after the MPI's own MPI_Finalize or MPI_Session_finalize ends a part
// of MPI (mpi/epoch.h). Files may still be open when the last part ends, and callbacks of MPI_Finalize may
// still use and close them. before_end() writes what is held back, so that it is in the file when
// MPI_Finalize returns. after_end() closes the files that are still open, on this rank alone, and calls
// `forget` with each handle. Neither needs other ranks.
void before_end();
void after_end(void (*forget)(MPI_File));

int open(MPI_Comm comm, const char* path, int amode, MPI_Info info, MPI_File* handle);
// `forget` is called with the handle right before the handle becomes invalid. The file stays open if other
// ranks are in another call.
int close(MPI_File* handle, void (*forget)(MPI_File));
int remove(const char* path, MPI_Info info);

int set_view(File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* datarep, MPI_Info info);
int get_view(File& file, MPI_Offset* displacement, MPI_Datatype* etype, MPI_Datatype* filetype,
             char* datarep);
int get_size(File& file, MPI_Offset* size);
int set_size(File& file, MPI_Offset size);
int preallocate(File& file, MPI_Offset size);
int sync(File& file);
int get_amode(File& file, int* amode);
int get_group(File& file, MPI_Group* group);
int get_info(File& file, MPI_Info* info);
int set_info(File& file, MPI_Info info);
int seek(File& file, MPI_Offset offset, int whence);
int get_position(File& file, MPI_Offset* offset);
int get_byte_offset(File& file, MPI_Offset offset, MPI_Offset* displacement);
int get_type_extent(File& file, MPI_Datatype type, MPI_Count* extent);
// Registers a representation for views that are set later, on any file.
int register_datarep(const mpi::UserRepresentation& wanted);
int set_atomicity(File& file, int flag);
int get_atomicity(File& file, int* flag);
// The answer of a function that was given no place for its result: MPI_ERR_ARG.
int refuse_null(File& file, const char* function);

// One body serves read and write, all file pointers, independent and collective calls, and blocking,
// nonblocking and split calls.
enum class Direction { read, write };
// `ordered` is the shared pointer, used in rank order.
enum class Pointer { individual, explicit_offset, shared, ordered };
struct Call {
  Direction direction;
  Pointer pointer;
  bool collective;
  const char* name;  // name of the MPI function, for messages
};
struct Data {
  MPI_Offset offset;  // in etypes; only for explicit_offset
  void* buffer;       // only reads write to it
  MPI_Count count;
  MPI_Datatype type;
};
int transfer(File& file, const Call& call, const Data& data, MPI_Status* status);
// Starts a nonblocking operation. If the program has MPI_THREAD_MULTIPLE, the operation proceeds by itself,
// on one of Concilio's threads. Otherwise a collective operation is carried out when the program waits for it
// (deferred.h), and an independent one is complete when this function returns. A start waits for no other
// rank, except where this rank cannot start the call, and takes part at once to tell the others
// (docs/reliability.md).
int start(File& file, const Call& call, const Data& data, MPI_Request* request);
// Split collectives. A file has at most one between its begin and its end.
int begin(File& file, const Call& call, const Data& data);
int end(File& file, const Call& call, MPI_Status* status);

int seek_shared(File& file, MPI_Offset offset, int whence);
int get_position_shared(File& file, MPI_Offset* offset);

// Error handlers (errhandler.cpp). A file's handler is a predefined one or one made by
// MPI_File_create_errhandler. The latter are recorded when they are made, because MPI does not tell which
// function a handle stands for.
void record_errhandler(MPI_Errhandler handler, MPI_File_errhandler_function* function);
// A Fortran procedure, which receives its INTEGER handle and code by reference. An INTEGER is an int in every
// MPI that is supported; the MPI standard's ABI has no name for it.
using FortranErrorFunction = void(int* handle, int* code);
void record_errhandler(MPI_Errhandler handler, FortranErrorFunction* function);
// A function of the MPI's C++ bindings, whose parameters only the bindings know. They come with a function
// that calls it: `what` is 1 for a file, `handle` points to the MPI_File.
using CxxErrorCaller = void(int what, int* handle, int* code, void (*function)());
void record_errhandler(MPI_Errhandler handler, void (*function)(), CxxErrorCaller* caller);
// The handler was recorded with a C function, which is a C++ function in truth. Does nothing for handlers not
// recorded.
void record_cxx_caller(MPI_Errhandler handler, CxxErrorCaller* caller);
// Whether the handle is one that was recorded.
bool is_file_errhandler(MPI_Errhandler handler);
// A user's function may throw, or leave the program's call by longjmp. Therefore it is called only when
// nothing else of that call is left to do; until then it is due. An entry point asks at its begin how many
// functions are due, and at its very end calls those that have become due since. Each function receives the
// code of its error. The code that it leaves there is what the program's call returns, in place of `code`.
size_t handlers_due();
int call_due_handlers(size_t due_before, int code);
int set_errhandler(File& file, MPI_Errhandler handler);
int get_errhandler(File& file, MPI_Errhandler* handler);
// Whether a program may free the handler without MPI's knowledge: it is a file's own, which are never freed,
// or a predefined one that a file of Concilio's has given out.
bool take_back_errhandler(MPI_Errhandler handler);
int call_errhandler(File& file, int code);
// The handler of MPI_FILE_NULL: files opened later start with it, and open and delete call it.
int set_default_errhandler(MPI_Errhandler handler);
int call_default_errhandler(int code);

}  // namespace concilio::mpiio
