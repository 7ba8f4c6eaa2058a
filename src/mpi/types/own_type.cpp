#include "mpi/types/own_type.h"

#include "mpi/epoch.h"
#include "mpi/types/envelope.h"

namespace concilio::mpi {

Result<OwnType> OwnType::made_by(int (*duplicate)(MPI_Datatype, MPI_Datatype*), MPI_Datatype type) {
  OwnType own;
  own.type_ = type;
  if (is_permanent(type)) return own;
  if (duplicate(type, &own.type_) != MPI_SUCCESS)
    return Error{ErrorKind::datatype, 0, "MPI cannot duplicate the datatype"};
  own.duplicate_ = true;
  return own;
}

// MPI_Type_contiguous and not MPI_Type_dup, which would call the copy functions of the program's attributes.
Result<OwnType> OwnType::of(MPI_Datatype type) {
  return made_by([](MPI_Datatype from, MPI_Datatype* to) { return PMPI_Type_contiguous(1, from, to); }, type);
}

Result<OwnType> OwnType::with_attributes(MPI_Datatype type) {
  return made_by([](MPI_Datatype from, MPI_Datatype* to) { return PMPI_Type_dup(from, to); }, type);
}

Result<OwnType> OwnType::committed(MPI_Datatype type) {
  auto own = of(type);
  if (own && own->duplicate_ && PMPI_Type_commit(&own->type_) != MPI_SUCCESS)
    return Error{ErrorKind::datatype, 0, "MPI cannot commit the datatype"};
  return own;
}

MPI_Datatype OwnType::release() {
  duplicate_ = false;
  return type_;
}

OwnType::~OwnType() {
  if (duplicate_ && mpi_runs()) PMPI_Type_free(&type_);
}

}  // namespace concilio::mpi
