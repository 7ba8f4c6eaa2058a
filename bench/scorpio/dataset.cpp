#include "scorpio/dataset.h"

#include <fmt/format.h>

#include <algorithm>

namespace concilio::bench::scorpio {

namespace {

template <typename T>
T value_of(const Dataset& dataset, int64_t index) {
  uint64_t mixed =
      (static_cast<uint64_t>(index) + 1) * 0x9E3779B97F4A7C15U + dataset.number * 0xC2B2AE3D27D4EB4FU;
  mixed ^= mixed >> 29;
  if constexpr (sizeof(T) == sizeof(int32_t)) return static_cast<T>(mixed & 0x7fffffffU);
  return static_cast<T>(mixed >> 11);  // a whole number that a double represents exactly
}

// Calls row(index of its first element, number of elements) for each row of the part, in the order of memory.
template <typename Row>
void for_each_row(const Extents& extents, const Part& part, Row row) {
  if (elements(part.extents) == 0) return;
  Extents place(part.extents.size(), 0);
  for (;;) {
    int64_t index = 0;
    for (size_t dimension = 0; dimension < extents.size(); ++dimension)
      index = index * extents[dimension] + part.starts[dimension] + place[dimension];
    row(index, part.extents.back());
    size_t dimension = place.size() - 1;
    for (;;) {
      if (dimension == 0) return;
      --dimension;
      if (++place[dimension] < part.extents[dimension]) break;
      place[dimension] = 0;
    }
  }
}

template <typename T>
void fill_as(const Dataset& dataset, const Extents& extents, const Part& part, T* data) {
  for_each_row(extents, part, [&](int64_t index, int64_t count) {
    for (int64_t i = 0; i < count; ++i) *data++ = value_of<T>(dataset, index + i);
  });
}

template <typename T>
std::string check_as(const Dataset& dataset, const Extents& extents, const Part& part, const T* data) {
  std::string failure;
  for_each_row(extents, part, [&](int64_t index, int64_t count) {
    for (int64_t i = 0; i < count && failure.empty(); ++i) {
      const T expected = value_of<T>(dataset, index + i);
      // Compares bytes, because a value that was never read may not be a number.
      if (!std::equal(reinterpret_cast<const unsigned char*>(&expected),
                      reinterpret_cast<const unsigned char*>(&expected + 1),
                      reinterpret_cast<const unsigned char*>(data + i)))
        failure =
            fmt::format("{}, element {}: expected {}, found {}", dataset.name, index + i, expected, data[i]);
    }
    data += count;
  });
  return failure;
}

}  // namespace

int64_t Workload::bytes() const {
  int64_t sum = 0;
  for (const Dataset& dataset : datasets) sum += elements(extents) * dataset.element_bytes();
  return sum;
}

int64_t Workload::part_bytes() const {
  int64_t most = 0;
  for (const Dataset& dataset : datasets)
    most = std::max(most, elements(part.extents) * dataset.element_bytes());
  return most;
}

Workload make_vectors(const Extents& grid, int rank, int ranks) {
  Workload workload;
  workload.grid = grid;
  workload.extents = {elements(grid)};
  workload.processes = {ranks};
  workload.part = slab_of(elements(grid), rank, ranks);
  workload.uniform = elements(grid) % ranks == 0;
  workload.datasets = {{"Materials/Cell Ids", Type::integer, 0}, {"Materials/Permeability", Type::real, 1}};
  return workload;
}

Workload make_blocks(const Extents& grid, const Extents& processes, int variables, int rank) {
  Workload workload;
  workload.blocks = true;
  workload.grid = workload.extents = grid;
  workload.processes = processes;
  workload.part = block_of(grid, processes, rank);
  for (int i = 0; i < variables; ++i)
    workload.datasets.push_back(
        {fmt::format("Time 1/Variable {}", i + 1), Type::real, static_cast<uint64_t>(i)});
  return workload;
}

void fill(const Dataset& dataset, const Extents& extents, const Part& part, void* data) {
  if (dataset.type == Type::integer) {
    fill_as(dataset, extents, part, static_cast<int32_t*>(data));
  } else {
    fill_as(dataset, extents, part, static_cast<double*>(data));
  }
}

std::string check(const Dataset& dataset, const Extents& extents, const Part& part, const void* data) {
  if (dataset.type == Type::integer)
    return check_as(dataset, extents, part, static_cast<const int32_t*>(data));
  return check_as(dataset, extents, part, static_cast<const double*>(data));
}

}  // namespace concilio::bench::scorpio
