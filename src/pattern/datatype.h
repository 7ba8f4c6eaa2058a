// Builders for every MPI type constructor, without MPI. Each makes a nest and the bounds that MPI's rules
// give it (MPI 4.1, chapter 5, Datatypes). Arguments have the units of the constructors: elements for
// `contiguous`, `vector` and `indexed`, bytes for the h-forms. All builders fail with kind `count` on
// overflow, and with kind `datatype` on arguments that MPI forbids (negative counts, a subarray outside its
// array, ...).
#pragma once

#include <cstdint>
#include <span>

#include "pattern/nest.h"
#include "pattern/numbers.h"

namespace concilio::pattern {

struct DataType {
  NestRef nest = Nest::empty();
  int64_t lower_bound = 0;  // may differ from nest->lower()
  int64_t extent = 0;       // distance between consecutive elements; may be negative or smaller than the nest
  // Whether the bounds were set explicitly (as by MPI_Type_create_resized) rather than computed. If some
  // parts of a struct have set bounds, only these count.
  bool lower_marker = false, upper_marker = false;

  int64_t size() const { return nest->size(); }
};

enum class ArrayOrder { c, fortran };
enum class Distribution { none, block, cyclic };
inline constexpr int64_t default_distribution_argument = -1;  // MPI_DISTRIBUTE_DFLT_DARG

DataType type_bytes(int64_t size);  // a named type without holes
// A named type of these blocks of bytes (pair types have holes), with this extent.
Result<DataType> type_named(std::span<const int64_t> offsets, std::span<const int64_t> lengths,
                            int64_t extent);
Result<DataType> type_contiguous(int64_t count, const DataType& old);
Result<DataType> type_vector(int64_t count, int64_t block_length, int64_t stride, const DataType& old);
Result<DataType> type_hvector(int64_t count, int64_t block_length, int64_t stride_bytes, const DataType& old);
Result<DataType> type_indexed(const Numbers& block_lengths, const Numbers& displacements,
                              const DataType& old);
Result<DataType> type_hindexed(const Numbers& block_lengths, const Numbers& displacements_bytes,
                               const DataType& old);
Result<DataType> type_indexed_block(int64_t block_length, const Numbers& displacements, const DataType& old);
Result<DataType> type_hindexed_block(int64_t block_length, const Numbers& displacements_bytes,
                                     const DataType& old);
Result<DataType> type_struct(const Numbers& block_lengths, const Numbers& displacements_bytes,
                             std::span<const DataType> types);
Result<DataType> type_subarray(std::span<const int64_t> sizes, std::span<const int64_t> subsizes,
                               std::span<const int64_t> starts, ArrayOrder order, const DataType& old);
Result<DataType> type_darray(int64_t size_ranks, int64_t rank, std::span<const int64_t> sizes,
                             std::span<const Distribution> distributions, std::span<const int64_t> arguments,
                             std::span<const int64_t> process_sizes, ArrayOrder order, const DataType& old);
Result<DataType> type_resized(const DataType& old, int64_t lower_bound, int64_t extent);

}  // namespace concilio::pattern
