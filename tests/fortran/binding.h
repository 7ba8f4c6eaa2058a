! What the three bindings call the same thing. Built with one of BINDING_MPIFH, BINDING_MPI and BINDING_F08.
#ifdef BINDING_F08
#define HANDLE(sort) type(sort)
#define STATUS(name) type(MPI_Status) :: name
#define STATUSES(name, count) type(MPI_Status) :: name(count)
#define INTEGER_OF(handle) handle%MPI_VAL
#else
#define HANDLE(sort) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUSES(name, count) integer :: name(MPI_STATUS_SIZE, count)
#define INTEGER_OF(handle) handle
#endif
