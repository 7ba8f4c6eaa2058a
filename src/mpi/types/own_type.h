// A handle of a datatype that stays valid when the program frees its own.
#pragma once

#include <mpi.h>
#include <utility>

#include "base/result.h"

namespace concilio::mpi {

class OwnType {
 public:
  OwnType() = default;  // MPI_BYTE
  // Datatypes that belong to MPI exist for ever; of others this has a duplicate.
  static Result<OwnType> of(MPI_Datatype type);
  // The same for a handle that the program will use.
  static Result<OwnType> committed(MPI_Datatype type);
  // A handle for functions of the program that are given its datatype, and may look for what it has put on
  // it.
  static Result<OwnType> with_attributes(MPI_Datatype type);
  OwnType(OwnType&& other) noexcept { swap(other); }
  OwnType& operator=(OwnType&& other) noexcept {
    swap(other);
    return *this;
  }
  ~OwnType();

  MPI_Datatype get() const { return type_; }
  // Hands the duplicate over to the caller.
  MPI_Datatype release();

 private:
  static Result<OwnType> made_by(int (*duplicate)(MPI_Datatype, MPI_Datatype*), MPI_Datatype type);
  void swap(OwnType& other) {
    std::swap(type_, other.type_);
    std::swap(duplicate_, other.duplicate_);
  }
  MPI_Datatype type_ = MPI_BYTE;
  bool duplicate_ = false;
};

}  // namespace concilio::mpi
