// Calls on datatypes that SMPI 3.32 answers wrongly, for the flavour for SMPI alone. It tells of a struct as
// of an indexed type, which no other indexed type is like: that has no addresses. (A resized type is a struct
// there, with MPI-1's markers of bounds.) And it gives a subarray the extent of a single element, and forgets
// where one of a single dimension begins.
#include <mpi.h>

#include <array>

extern "C" {

int PMPI_Type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* types, int* combiner) {
  const int code = MPI_Type_get_envelope(type, integers, addresses, types, combiner);
  if (code == MPI_SUCCESS && *combiner == MPI_COMBINER_INDEXED && *addresses > 0)
    *combiner = MPI_COMBINER_STRUCT;
  return code;
}

// The program calls it, too.
int MPI_Type_create_subarray(int dimensions, const int* sizes, const int* subsizes, const int* starts,
                             int order, MPI_Datatype old, MPI_Datatype* made) {
  MPI_Aint lower = 0, bytes = 0, begin = 0;
  int code = PMPI_Type_get_extent(old, &lower, &bytes);
  MPI_Datatype inner = old;
  for (int i = 0; i < dimensions && code == MPI_SUCCESS; ++i) {
    const int d = order == MPI_ORDER_C ? dimensions - 1 - i : i;  // the fastest first
    MPI_Datatype rows;
    code = PMPI_Type_create_hvector(subsizes[d], 1, bytes, inner, &rows);
    if (inner != old) PMPI_Type_free(&inner);
    inner = rows;
    begin += starts[d] * bytes;
    bytes *= sizes[d];
  }
  if (code != MPI_SUCCESS) return code;
  const std::array lengths{1, 1, 1};
  const std::array<MPI_Aint, 3> places{0, begin, bytes};
  const std::array types{MPI_LB, inner, MPI_UB};
  code = PMPI_Type_create_struct(3, lengths.data(), places.data(), types.data(), made);
  if (inner != old) PMPI_Type_free(&inner);
  return code;
}

}  // extern "C"
