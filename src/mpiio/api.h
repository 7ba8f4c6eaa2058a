// The MPI-IO semantics as plain functions, which the generated entry points of `bind` call for files that are
// ours. Every function returns an MPI error code, and leaves the file's error handler to be called with it.
// Counts are MPI_Count, so that the int and the large-count (_c) forms share one body.
#pragma once

#include <mpi.h>

#include <cstddef>

namespace concilio {
struct UserRepresentation;
}

namespace concilio::mpiio {

class File;

// Our file behind a handle; nullptr: a handle of the MPI's own (or MPI_FILE_NULL).
File* find(MPI_File handle);
// Whether a file of this name is ours to open or delete (CONCILIO_DISABLE, CONCILIO_ONLY, "ufs:"-like
// prefixes).
bool takes_over(const char* path);
// Whether there are any files that we take over.
bool takes_over_any();

// The end of a part of MPI (mpi/epoch.h), before and after the MPI's own MPI_Finalize or
// MPI_Session_finalize. Files may be open when the last part ends, and callbacks of MPI_Finalize may still
// use and close them: what is held back is written before, so that who comes out of MPI_Finalize finds it in
// the file, and what is open after it is closed, on this rank alone; `forget` is called with each handle.
// Neither needs other ranks.
void before_end();
void after_end(void (*forget)(MPI_File));

int open(MPI_Comm comm, const char* path, int amode, MPI_Info info, MPI_File* handle);
// `forget` is called with the handle right before it means nothing any more. The file stays open where other
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
// For views set later, of any file.
int register_datarep(const UserRepresentation& wanted);
int set_atomicity(File& file, int flag);
int get_atomicity(File& file, int* flag);

// One body for read and write, whatever the pointer, independent and collective, blocking, nonblocking and
// split.
enum class Direction { read, write };
enum class Pointer {
  individual,
  explicit_offset,
  shared,
  ordered
};  // ordered: the shared one, in rank order
struct Call {
  Direction direction;
  Pointer pointer;
  bool collective;
  const char* name;  // of the MPI function, for messages
};
struct Data {
  MPI_Offset offset;  // in etypes, for explicit_offset
  void* buffer;       // written to only by reads
  MPI_Count count;
  MPI_Datatype type;
};
int transfer(File& file, const Call& call, const Data& data, MPI_Status* status);
// Nonblocking: goes on by itself where the program has MPI_THREAD_MULTIPLE. Else a collective one is carried
// out when the program waits for it (deferred.h), and others are done when this returns.
int start(File& file, const Call& call, const Data& data, MPI_Request* request);
// Split collectives: at most one at a time is between its begin and its end.
int begin(File& file, const Call& call, const Data& data);
int end(File& file, const Call& call, MPI_Status* status);

int seek_shared(File& file, MPI_Offset offset, int whence);
int get_position_shared(File& file, MPI_Offset* offset);

// Error handlers: errhandler.cpp. A handler is a predefined one or one made by MPI_File_create_errhandler,
// which is recorded when it is made, since only its maker knows the function behind the handle.
void record_errhandler(MPI_Errhandler handler, MPI_File_errhandler_function* function);
// A Fortran procedure: its INTEGER handle and code come by reference. An INTEGER is an int in every MPI here;
// the MPI standard's ABI has no name for it.
using FortranErrorFunction = void(int* handle, int* code);
void record_errhandler(MPI_Errhandler handler, FortranErrorFunction* function);
// Whether the handle is one of those.
bool is_file_errhandler(MPI_Errhandler handler);
// A user's function may throw, or longjmp out of the program's call: it is called when nothing else of that
// call is left. Until then it is due. The entry points ask how many are due when they begin, and at their
// very end call those that came since: the first called gets the code of the error, and what it leaves there
// is what the program's call returns, in place of `code`.
size_t handlers_due();
int call_due_handlers(size_t due_before, int code);
int set_errhandler(File& file, MPI_Errhandler handler);
int get_errhandler(File& file, MPI_Errhandler* handler);
int call_errhandler(File& file, int code);
// MPI_FILE_NULL's handler: the default of files opened later, and the one open and delete call.
int set_default_errhandler(MPI_Errhandler handler);
int call_default_errhandler(int code);

}  // namespace concilio::mpiio
