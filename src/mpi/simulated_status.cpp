// What a status tells of a transfer, for the flavour for SMPI alone. SMPI 3.32 has the function of MPI in
// name only; its MPI_Get_count reads this field.
#include <mpi.h>

#include <algorithm>
#include <climits>

extern "C" int PMPI_Status_set_elements_x(MPI_Status* status, MPI_Datatype type, MPI_Count count) {
  int bytes = 0;
  const int code = PMPI_Type_size(type, &bytes);
  status->count = static_cast<int>(std::min<MPI_Count>(bytes * count, INT_MAX));
  return code;
}
