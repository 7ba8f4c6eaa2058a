#include "bind/fortran/fortran_datarep.h"

#include <dlfcn.h>

#include <exception>

#include "base/log.h"
#include "bind/mpi_library/next.h"
#include "mpi/types/fortran.h"

#ifdef CONCILIO_MPI_HAS_FORTRAN_HANDLES

namespace concilio::bind {
namespace {

using ConvertProcedure = void(void* user, MPI_Fint* type, MPI_Fint* items, void* file, MPI_Offset* position,
                              MPI_Aint* extra_state, MPI_Fint* error);
using ExtentProcedure = void(MPI_Fint* type, MPI_Aint* extent, MPI_Aint* extra_state, MPI_Fint* error);

// The arguments of the Fortran routine, for as long as it runs.
struct Registration {
  ConvertProcedure *read, *write;
  ExtentProcedure* extent;
  const MPI_Aint* extra_state;
};
thread_local const Registration* current = nullptr;

void adapt(mpi::UserConversion& conversion, ConvertProcedure* procedure) {
  // The procedure of the mpi_f08 module, as gfortran names it. The other MPI_CONVERSION_FN_NULL has become
  // C's before this is called.
  static const void* null = dlsym(RTLD_DEFAULT, "__mpi_f08_callbacks_MOD_mpi_conversion_fn_null");
  if (null && reinterpret_cast<const void*>(procedure) == null) conversion = {};
  if (!conversion.call) return;
  conversion.call = [procedure](void* user, MPI_Datatype type, MPI_Count items, void* file,
                                MPI_Offset position, void* extra) {
    MPI_Fint handle = PMPI_Type_c2f(type), count = static_cast<MPI_Fint>(items), error = MPI_SUCCESS;
    procedure(user, &handle, &count, file, &position, static_cast<MPI_Aint*>(extra), &error);
    return static_cast<int>(error);
  };
}

}  // namespace

void adapt_to_fortran(mpi::UserRepresentation& wanted) {
  if (!current) return;
  adapt(wanted.read, current->read);
  adapt(wanted.write, current->write);
  wanted.extent = [procedure = current->extent](MPI_Datatype type, MPI_Aint* bytes, void* extra) {
    MPI_Fint handle = PMPI_Type_c2f(type), error = MPI_SUCCESS;
    procedure(&handle, bytes, static_cast<MPI_Aint*>(extra), &error);
    return static_cast<int>(error);
  };
  // The value is copied, since the program's variable may be gone when the procedures are called. It is never
  // freed, since representations last for ever.
  wanted.extra_state = new MPI_Aint(*current->extra_state);
}

// Compilers pass the length of the name as the last argument.
using Register = void(const char* name, ConvertProcedure* read, ConvertProcedure* write,
                      ExtentProcedure* extent, MPI_Aint* extra_state, MPI_Fint* error, size_t name_length);

namespace {

// Passes the call on to the MPI's own routine, which makes a C string of the name and calls our
// MPI_Register_datarep.
void register_datarep(const char* routine, const Registration& registration, const char* name,
                      size_t name_length, MPI_Fint* error) noexcept {
  MPI_Fint outcome = MPI_ERR_OTHER;
  try {
    auto next = reinterpret_cast<Register*>(find_next(routine));
    current = &registration;
    if (next) {
      next(name, registration.read, registration.write, registration.extent,
           const_cast<MPI_Aint*>(registration.extra_state), &outcome, name_length);
    }
  } catch (const std::exception& exception) {
    log(LogLevel::error, "MPI_Register_datarep: {}", exception.what());
  }
  current = nullptr;
  if (error) *error = outcome;
}

}  // namespace

}  // namespace concilio::bind

#ifdef __clang__  // some compilers append two underscores to a name
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

#define FORTRAN_NAME(routine)                                                                                \
  extern "C" __attribute__((visibility("default"))) void routine(                                            \
      const char* name, concilio::bind::ConvertProcedure* read, concilio::bind::ConvertProcedure* write,     \
      concilio::bind::ExtentProcedure* extent, MPI_Aint* extra_state, MPI_Fint* error, size_t name_length) { \
    concilio::bind::register_datarep(#routine, {read, write, extent, extra_state}, name, name_length,        \
                                     error);                                                                 \
  }

// The symbols that compilers make of the Fortran name, and the names behind the MPIs' mpi_f08 modules.
FORTRAN_NAME(mpi_register_datarep)
FORTRAN_NAME(mpi_register_datarep_)
FORTRAN_NAME(mpi_register_datarep__)
FORTRAN_NAME(MPI_REGISTER_DATAREP)
FORTRAN_NAME(mpi_register_datarep_f08_)
FORTRAN_NAME(pmpi_register_datarep)
FORTRAN_NAME(pmpi_register_datarep_)
FORTRAN_NAME(pmpi_register_datarep__)
FORTRAN_NAME(PMPI_REGISTER_DATAREP)
FORTRAN_NAME(pmpi_register_datarep_f08_)
FORTRAN_NAME(pmpir_register_datarep_f08_)

#else

namespace concilio::bind {
void adapt_to_fortran(mpi::UserRepresentation&) {}
}  // namespace concilio::bind

#endif
