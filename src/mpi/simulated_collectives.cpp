// The nonblocking collective calls that this library makes, as blocking ones, for the flavour for SMPI alone.
// SMPI 3.32 sends a message from every rank to every other in a nonblocking reduction, and with a datatype
// that is not predefined its result lacks the other ranks' values. Its blocking calls are right, and follow
// the algorithms of real MPIs. The library waits for each of these calls at once, or makes them in the same
// order on all ranks, so that blocking changes no result.
#include <mpi.h>

namespace concilio::mpi {
namespace {

int done(int code, MPI_Request* request) {
  *request = MPI_REQUEST_NULL;
  return code;
}

}  // namespace
}  // namespace concilio::mpi

using namespace concilio::mpi;

extern "C" {

int PMPI_Iallreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                    MPI_Request* request) {
  return done(PMPI_Allreduce(send, receive, count, type, op, comm), request);
}

int PMPI_Iallgather(const void* send, int send_count, MPI_Datatype send_type, void* receive,
                    int receive_count, MPI_Datatype receive_type, MPI_Comm comm, MPI_Request* request) {
  return done(PMPI_Allgather(send, send_count, send_type, receive, receive_count, receive_type, comm),
              request);
}

int PMPI_Iexscan(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                 MPI_Request* request) {
  return done(PMPI_Exscan(send, receive, count, type, op, comm), request);
}

int PMPI_Ibcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* request) {
  return done(PMPI_Bcast(buffer, count, type, root, comm), request);
}

}  // extern "C"
