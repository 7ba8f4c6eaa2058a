// The memory of a root that moves 64 MiB for its group through a buffer of 1 MiB, as the system counts it,
// including shared pages. The data of the group would take 64 MiB.
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "checks.h"

using namespace scorpio_checks;

namespace {

constexpr int64_t mebibyte = 1 << 20;
constexpr int64_t buffer_bytes = mebibyte;
// Memory that HDF5 and the MPI use besides the buffer, for any amount of data.
constexpr int64_t room_bytes = 4 * mebibyte;
constexpr int64_t total_bytes = 64 * mebibyte;

int64_t status_bytes(const char* field) {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  int64_t kibibytes = -1;
  while (file && std::fgets(line, sizeof line, file)) {
    if (std::strncmp(line, field, std::strlen(field)) == 0)
      kibibytes = std::atoll(line + std::strlen(field) + 1);
  }
  if (file) std::fclose(file);
  return kibibytes * 1024;
}

// The greatest growth of this process's memory during `work`; -1 if it cannot be measured.
int64_t growth_during(const std::function<void()>& work) {
  std::FILE* file = std::fopen("/proc/self/clear_refs", "w");
  const bool reset = file && std::fputs("5", file) >= 0;
  if (file && std::fclose(file) != 0) return -1;
  const int64_t before = status_bytes("VmRSS");
  MPI_Barrier(MPI_COMM_WORLD);
  work();
  return reset ? std::max<int64_t>(0, status_bytes("VmHWM") - before) : -1;
}

// The memory of this process without what malloc keeps for later.
int64_t bytes_in_use() {
  return status_bytes("VmRSS") - static_cast<int64_t>(mallinfo2().fordblks);
}

struct Shape {
  std::vector<int64_t> global, local, start;
};

// The columns of a matrix that belong to the ranks, so that a root must sort cells.
Shape columns(int64_t bytes) {
  const int64_t width = 512;
  const int64_t rows = bytes / 8 / width / context.ranks;
  return {{rows, width * context.ranks}, {rows, width}, {0, width * context.rank}};
}

void expect_bounded(const char* what, int64_t growth, iogroup_t* group, int64_t own_bytes = 0) {
  EXPECT(growth >= 0);  // otherwise the system does not report the peak
  if (growth > buffer_bytes + room_bytes + own_bytes)
    note_failure(__FILE__, __LINE__, std::string(what) + " took " + std::to_string(growth) + " bytes more");
  const int64_t peak = scorpio_peak_buffer_bytes(group);
  if (peak > buffer_bytes)
    note_failure(__FILE__, __LINE__, std::string(what) + ": buffers of " + std::to_string(peak));
  EXPECT((peak > 0) == (group->localrank == 0));
  if (group->localrank == 0) {
    std::printf("%s: root %d took %.2f MiB more, of it buffers %.2f MiB\n", what, context.rank,
                static_cast<double>(growth) / mebibyte, static_cast<double>(peak) / mebibyte);
  }
}

void move_blocks(const scorpio_creation_t* creation) {
  Group group(1);
  OK(scorpio_set_buffer_bytes(buffer_bytes, group));
  const int handle = scorpio_open_file(path_of("h5").c_str(), group, SCORPIO_FILE_CREATE);
  OK(handle);
  OK(scorpio_set_creation(creation, handle, group));
  const Shape large = columns(total_bytes), small = columns(4 * mebibyte);
  std::vector<double> data(static_cast<size_t>(large.local[0] * large.local[1]));
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<double>(i * 7 + static_cast<size_t>(context.rank));
  const std::vector<double> kept = data;
  const auto write = [&](const Shape& shape, const char* name) {
    OK(scorpio_write_dataset_block_64(data.data(), SCORPIO_DOUBLE, 2, shape.global.data(), shape.local.data(),
                                      shape.start.data(), handle, name, group));
  };
  const auto read = [&](const Shape& shape, const char* name) {
    OK(scorpio_read_dataset_block_64(data.data(), SCORPIO_DOUBLE, 2, shape.global.data(), shape.local.data(),
                                     shape.start.data(), handle, name, group));
  };
  write(small, "small");
  read(small, "small");
  expect_bounded("write", growth_during([&] { write(large, "large"); }), group);
  std::fill(data.begin(), data.end(), 0);
  expect_bounded("read", growth_during([&] { read(large, "large"); }), group);
  EXPECT(data == kept);
  OK(scorpio_close_file(handle, group));
}

}  // namespace

SITUATION(Memory, Blocks) {
  move_blocks(nullptr);
}

SITUATION(Memory, CompressedBlocks) {
  const int64_t chunk[] = {64, 512};
  const scorpio_creation_t creation = {2, chunk, 1, 1, nullptr};
  move_blocks(&creation);
}

// All ranks get the same data, by one read of 64 MiB on the root.
SITUATION(Memory, EntireDataset) {
  Group group(1);
  OK(scorpio_set_buffer_bytes(buffer_bytes, group));
  const int handle = scorpio_open_file(path_of("h5").c_str(), group, SCORPIO_FILE_CREATE);
  OK(handle);
  const int64_t global[] = {total_bytes / 8 / context.ranks * context.ranks},
                local[] = {global[0] / context.ranks};
  std::vector<double> data(static_cast<size_t>(global[0]), context.rank + 1);
  OK(scorpio_write_dataset_64(data.data(), SCORPIO_DOUBLE, 1, global, local, handle, "d", group,
                              SCORPIO_UNIFORM_CONTIGUOUS_WRITE));
  const int64_t growth = growth_during([&] {
    OK(scorpio_read_dataset_64(data.data(), SCORPIO_DOUBLE, 1, global, global, handle, "d", group,
                               SCORPIO_EVERYONE_ENTIRE_DATASET_READ));
  });
  expect_bounded("read", growth, group);
  EXPECT(data.front() == 1 && data.back() == context.ranks);
  OK(scorpio_close_file(handle, group));
}

// The root's buffer for blocks is given back when rows are moved by a map, in another division.
SITUATION(Memory, BufferOfAnotherDivision) {
  constexpr int64_t large = 8 * mebibyte;
  Group all(1), each(context.ranks);
  OK(scorpio_set_buffer_bytes(large, all));
  const int blocks = scorpio_open_file(path_of("blocks").c_str(), all, SCORPIO_FILE_CREATE);
  const int rows = scorpio_open_file(path_of("rows").c_str(), each, SCORPIO_FILE_CREATE);
  OK(blocks);
  OK(rows);
  Shape shape = columns(32 * mebibyte);
  shape.global[1] += 512;  // contiguous slabs would need a smaller buffer
  const std::vector<double> data(static_cast<size_t>(shape.local[0] * shape.local[1]), 1);
  OK(scorpio_write_dataset_block_64(data.data(), SCORPIO_DOUBLE, 2, shape.global.data(), shape.local.data(),
                                    shape.start.data(), blocks, "d", all));
  const int64_t global[] = {context.ranks}, map[] = {context.rank};
  const int64_t before = bytes_in_use();
  OK(scorpio_write_dataset_map(data.data(), SCORPIO_DOUBLE, 1, global, 1, map, rows, "d", each));
  if (context.rank == 0) EXPECT(scorpio_peak_buffer_bytes(all) > large * 3 / 4);
  if (context.rank == 0) EXPECT(bytes_in_use() < before - large / 2);
  OK(scorpio_close_file(rows, each));
  OK(scorpio_close_file(blocks, all));
}

// Single elements that belong to the ranks by turns, selected by a map. There are as many bytes of indices as
// of data. A rank may sort its own indices, but the root does not hold those of the others.
SITUATION(Memory, Maps) {
  Group group(1);
  OK(scorpio_set_buffer_bytes(buffer_bytes, group));
  const int handle = scorpio_open_file(path_of("h5").c_str(), group, SCORPIO_FILE_CREATE);
  OK(handle);
  const int64_t count = 32 * mebibyte / 8 / context.ranks, global[] = {count * context.ranks};
  std::vector<int64_t> map(static_cast<size_t>(count));
  std::vector<double> data(map.size()), kept;
  for (size_t i = 0; i < map.size(); ++i) {
    map[i] = static_cast<int64_t>(i) * context.ranks + context.rank;
    data[i] = static_cast<double>(map[i]);
  }
  kept = data;
  const int64_t own_bytes = 16 * count;
  const auto write = [&](const char* name, int64_t n) {
    OK(scorpio_write_dataset_map(data.data(), SCORPIO_DOUBLE, 1, global, n, map.data(), handle, name, group));
  };
  write("small", 1000);
  expect_bounded("write", growth_during([&] { write("d", count); }), group, own_bytes);
  std::fill(data.begin(), data.end(), 0);
  const int64_t growth = growth_during([&] {
    OK(scorpio_read_dataset_map(data.data(), SCORPIO_DOUBLE, 1, global, count, map.data(), handle, "d",
                                group));
  });
  expect_bounded("read", growth, group, own_bytes);
  EXPECT(data == kept);
  OK(scorpio_close_file(handle, group));
}
