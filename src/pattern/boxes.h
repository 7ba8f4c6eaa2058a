// A copy as what it consists of, for memory that only somebody else can copy.
#pragma once

#include "base/function_ref.h"
#include "base/result.h"
#include "pattern/copy.h"

namespace concilio::pattern {

// `planes` planes of `rows` pieces of `length` bytes. Where each begins on one side of the copy: piece i of
// plane p at address + p * plane_stride + i * row_stride. If there is one row or one plane, that stride means
// nothing.
struct Box {
  struct Side {
    std::byte* address;
    int64_t row_stride, plane_stride;
    std::byte* piece(int64_t plane, int64_t row) const {
      return address + plane * plane_stride + row * row_stride;
    }
  };
  Side first, second;
  int64_t length, rows, planes;
  int64_t bytes() const { return length * rows * planes; }
};

// Calls use() for boxes that together are `bytes` bytes of stream, in order, until it fails. A box takes in
// what follows as long as that is regular on both sides: a vector is one box, and so is a block of an array
// of three dimensions.
Status for_each_box(const Side& first, const Side& second, int64_t bytes,
                    FunctionRef<Status(const Box&)> use);

}  // namespace concilio::pattern
