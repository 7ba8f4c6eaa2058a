#include "bind/cxx_errhandler.h"

#include <exception>

#include "base/log.h"
#include "bind/mpi_library/fits.h"
#include "bind/mpi_library/next.h"
#include "mpiio/api.h"

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION < 5

namespace concilio::bind {
namespace {

// A file of Open MPI's own that has the handler. Open MPI calls handlers of files that it knows alone.
class FileWithHandler {
 public:
  explicit FileWithHandler(MPI_Errhandler handler) {
    const int opened =
        CONCILIO_NEXT(MPI_File_open)(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file_);
    if (opened != MPI_SUCCESS) return;
    CONCILIO_NEXT(MPI_File_set_errhandler)(file_, MPI_ERRORS_RETURN);  // so that a refusal is returned
    accepted_ = CONCILIO_NEXT(MPI_File_set_errhandler)(file_, handler) == MPI_SUCCESS;
  }
  FileWithHandler(const FileWithHandler&) = delete;
  ~FileWithHandler() {
    if (file_ != MPI_FILE_NULL) CONCILIO_NEXT(MPI_File_close)(&file_);
  }
  bool accepted() const { return accepted_; }
  MPI_File file() const { return file_; }

 private:
  MPI_File file_ = MPI_FILE_NULL;
  bool accepted_ = false;
};

// MPI::ERRORS_THROW_EXCEPTIONS throws. A handler that a program made gets another file than its own.
void call_by_mpi(int, int*, int* code, void (*function)()) {
  const FileWithHandler with(reinterpret_cast<MPI_Errhandler>(function));
  if (with.accepted()) CONCILIO_NEXT(MPI_File_call_errhandler)(with.file(), *code);
}

}  // namespace

void adopt_cxx_errhandler(MPI_Errhandler handler) {
  if (!fits() || !FileWithHandler(handler).accepted()) return;
  mpiio::record_errhandler(handler, reinterpret_cast<void (*)()>(handler), call_by_mpi);
}

}  // namespace concilio::bind

#else

void concilio::bind::adopt_cxx_errhandler(MPI_Errhandler) {}

#endif

#ifdef MPIR_ERRORS_THROW_EXCEPTIONS

// MPICH's C++ bindings make their handlers by MPI_File_create_errhandler and then tell MPICH, by this
// function, how to call them.
extern "C" __attribute__((visibility("default"))) void MPII_Errhandler_set_cxx(MPI_Errhandler handler,
                                                                               void (*caller)()) noexcept {
  using namespace concilio;
  try {
    static const auto next =
        reinterpret_cast<void (*)(MPI_Errhandler, void (*)())>(bind::find_next("MPII_Errhandler_set_cxx"));
    if (next) next(handler, caller);
    if (bind::fits()) mpiio::record_cxx_caller(handler, reinterpret_cast<mpiio::CxxErrorCaller*>(caller));
  } catch (const std::exception& exception) {
    log(LogLevel::error, "MPII_Errhandler_set_cxx: {}", exception.what());
  }
}

#endif
