// The data representation "turned", which a program registers: the bytes of every item in reverse order,
// followed by one byte of filling.
#pragma once

#include <mpi.h>

#include "common/type_spec.h"

namespace oracle {

using namespace tests;

// The name of a form for MPI_File_set_view.
const char* name_of(Form form);

void register_turned();

// Tells the conversion functions the meaning of a datatype. They are later called with it or with a
// duplicate. The object must live as long as the call.
class TurnedType {
 public:
  TurnedType(const TypeSpec& spec, MPI_Datatype type);

 private:
  friend struct TurnedFunctions;
  std::vector<Piece> items_;
  int64_t extent_ = 0;
};

}  // namespace oracle
