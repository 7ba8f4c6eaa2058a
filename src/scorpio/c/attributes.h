// The calls for attributes, as the interfaces of C and of Fortran make them.
#pragma once

#include <scorpio.h>

#include <string>

#include "base/result.h"

namespace concilio::scorpio {

// What a call says about the attribute that it writes or reads.
struct AttributeCall {
  const char* attr;
  const char* object;
  datatype_t type;
  int handle;
  iogroup_t* group;
  Status mine = {};  // the error that the caller has found by itself

  std::string words() const;
  Status check() const;
};

// What scorpio_write_attr writes or, if it is single, scorpio_write_simple_attr. Both return 0 or FAILURE,
// and so do those that read.
struct GivenValue {
  const void* data;
  bool single;
  int ndims = 0;
  const int* dims = nullptr;
};
int write_attribute(const AttributeCall& asked, const GivenValue& given) noexcept;

// Where scorpio_read_attr puts its results or, if it is single, scorpio_read_simple_attr. `has_room` is false
// if the caller has given a null pointer.
struct RoomForValue {
  void** data;
  int* ndims = nullptr;  // null if it is single
  int** dims = nullptr;
  bool single() const { return !ndims; }
};
int read_attribute(const AttributeCall& asked, const RoomForValue& room, bool has_room) noexcept;

}  // namespace concilio::scorpio
