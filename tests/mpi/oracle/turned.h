// The data representation "turned", as a program registers one: every item's bytes in reverse, then a byte of
// filling.
#pragma once

#include <mpi.h>

#include "common/type_spec.h"

namespace oracle {

using namespace tests;

// What MPI_File_set_view calls a form.
const char* name_of(Form form);

void register_turned();

// Tells the conversion functions what a datatype means, which they are given again, or a duplicate of it.
// Must live as long as the call.
class TurnedType {
 public:
  TurnedType(const TypeSpec& spec, MPI_Datatype type);

 private:
  friend struct TurnedFunctions;
  std::vector<Piece> items_;
  int64_t extent_ = 0;
};

}  // namespace oracle
