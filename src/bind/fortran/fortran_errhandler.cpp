// The Fortran names of MPI_File_create_errhandler, the one Fortran routine that Concilio must provide. A
// Fortran error handler is called with an INTEGER handle, and a C one with an MPI_File, and only the routine
// that makes the handler knows which it is. All names, including those of the f08 binding, take the same
// arguments: a procedure, an INTEGER handle (alone in its derived type) and an INTEGER error, which f08
// programs may leave out.
#include "mpi/types/fortran.h"

#ifdef CONCILIO_MPI_HAS_FORTRAN_HANDLES

#include <exception>

#include "base/log.h"
#include "bind/mpi_library/fits.h"
#include "bind/mpi_library/next.h"
#include "mpiio/api.h"

namespace concilio::bind {
namespace {

using Create = void(mpiio::FortranErrorFunction* function, MPI_Fint* handler, MPI_Fint* error);

void create(mpiio::FortranErrorFunction* function, MPI_Fint* handler, MPI_Fint* error) noexcept {
  MPI_Fint outcome = MPI_ERR_OTHER;
  try {
    static const auto next = reinterpret_cast<Create*>(find_next("pmpi_file_create_errhandler_"));
    if (next) next(function, handler, &outcome);
    // If the MPI's Fortran routine calls the C function, ours has recorded a C handler meanwhile; this
    // corrects it.
    if (outcome == MPI_SUCCESS && fits()) mpiio::record_errhandler(PMPI_Errhandler_f2c(*handler), function);
  } catch (const std::exception& exception) {
    log(LogLevel::error, "MPI_File_create_errhandler: {}", exception.what());
    outcome = MPI_ERR_OTHER;
  }
  if (error) *error = outcome;
}

}  // namespace
}  // namespace concilio::bind

#ifdef __clang__  // some compilers append two underscores to a name
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

#define FORTRAN_NAME(name)                                                                            \
  extern "C" __attribute__((visibility("default"))) void name(                                        \
      concilio::mpiio::FortranErrorFunction* function, MPI_Fint* handler, MPI_Fint* error) noexcept { \
    concilio::bind::create(function, handler, error);                                                 \
  }

// The symbols that compilers make of the Fortran name, and the names behind the MPIs' mpi_f08 modules.
FORTRAN_NAME(mpi_file_create_errhandler)
FORTRAN_NAME(mpi_file_create_errhandler_)
FORTRAN_NAME(mpi_file_create_errhandler__)
FORTRAN_NAME(MPI_FILE_CREATE_ERRHANDLER)
FORTRAN_NAME(MPI_File_create_errhandler_f)
FORTRAN_NAME(MPI_File_create_errhandler_f08)
FORTRAN_NAME(mpi_file_create_errhandler_f08_)
FORTRAN_NAME(pmpi_file_create_errhandler)
FORTRAN_NAME(pmpi_file_create_errhandler_)
FORTRAN_NAME(pmpi_file_create_errhandler__)
FORTRAN_NAME(PMPI_FILE_CREATE_ERRHANDLER)
FORTRAN_NAME(PMPI_File_create_errhandler_f)
FORTRAN_NAME(PMPI_File_create_errhandler_f08)
FORTRAN_NAME(pmpi_file_create_errhandler_f08_)
FORTRAN_NAME(pmpir_file_create_errhandler_f08_)

#endif  // CONCILIO_MPI_HAS_FORTRAN_HANDLES
