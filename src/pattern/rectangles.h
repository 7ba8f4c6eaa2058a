// A copy as what it consists of, for memory that only somebody else can copy.
#pragma once

#include "base/function_ref.h"
#include "base/result.h"
#include "pattern/copy.h"

namespace concilio::pattern {

// `count` pieces of `length` bytes. Piece i lies at first + i * first_stride on the first side, and likewise
// on the second. If there is one, the strides mean nothing.
struct Rectangle {
  std::byte *first, *second;
  int64_t first_stride, second_stride;
  int64_t length, count;
  int64_t bytes() const { return length * count; }
};

// Calls use() for rectangles that together are `bytes` bytes of stream, in order, until it fails. They are as
// large as the two descriptions allow.
Status for_each_rectangle(const Side& first, const Side& second, int64_t bytes,
                          FunctionRef<Status(const Rectangle&)> use);

}  // namespace concilio::pattern
