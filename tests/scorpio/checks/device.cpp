// Cells in the memory of a GPU, of which tests/gpu has a stand-in: the CPU cannot touch them.
#include <cstring>

#include "checks.h"
#include "gpu/memory.h"

using namespace scorpio_checks;

namespace {

constexpr int64_t columns = 300;

template <typename Number>
std::vector<uint8_t> bytes_of(const std::vector<Number>& numbers) {
  std::vector<uint8_t> bytes(numbers.size() * sizeof(Number));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

std::vector<double> numbers_of(int rank, size_t count) {
  std::vector<double> numbers(count);
  for (size_t i = 0; i < count; ++i) numbers[i] = rank * 1e6 + static_cast<double>(i);
  return numbers;
}

// Every rank has three rows, and reads those of the next one.
struct Rows {
  int64_t global[2] = {3 * context.ranks, columns}, local[2] = {3, columns}, start[2] = {3 * context.rank, 0};
  int next = (context.rank + 1) % context.ranks;
  int64_t start_of_next[2] = {3 * next, 0};
  std::vector<uint8_t> mine = bytes_of(numbers_of(context.rank, 3 * columns));
  std::vector<uint8_t> of_next = bytes_of(numbers_of(next, 3 * columns));
};

SITUATION(Device, Blocks) {
  const Rows rows;
  File file("device");
  const GpuMemory out(rows.mine), in(rows.mine.size());
  OK(scorpio_write_dataset_block_64(out.data(), SCORPIO_DOUBLE, 2, rows.global, rows.local, rows.start, file,
                                    "d", file.group()));
  OK(scorpio_read_dataset_block_64(in.data(), SCORPIO_DOUBLE, 2, rows.global, rows.local, rows.start_of_next,
                                   file, "d", file.group()));
  EXPECT(in.get() == rows.of_next);
  // Only some ranks have theirs on a GPU.
  std::vector<uint8_t> host = rows.mine;
  void* const mixed = context.rank % 2 == 0 ? host.data() : out.data();
  OK(scorpio_write_dataset_block_64(mixed, SCORPIO_DOUBLE, 2, rows.global, rows.local, rows.start, file,
                                    "mixed", file.group()));
  OK(scorpio_read_dataset_64(context.rank % 2 == 0 ? in.data() : host.data(), SCORPIO_DOUBLE, 2, rows.global,
                             rows.local, file, "mixed", file.group(), SCORPIO_UNIFORM_CONTIGUOUS_READ));
  EXPECT((context.rank % 2 == 0 ? in.get() : host) == rows.mine);
}

// By each rank for itself, where the file is open for reading only.
SITUATION(Device, OwnReads) {
  const Rows rows;
  {
    File file("own");
    OK(scorpio_write_dataset_block_64(rows.mine.data(), SCORPIO_DOUBLE, 2, rows.global, rows.local,
                                      rows.start, file, "d", file.group()));
  }
  File file("own", SCORPIO_FILE_READONLY);
  const GpuMemory in(rows.mine.size());
  OK(scorpio_read_dataset_block_64(in.data(), SCORPIO_DOUBLE, 2, rows.global, rows.local, rows.start_of_next,
                                   file, "d", file.group()));
  EXPECT(in.get() == rows.of_next);
}

SITUATION(Device, Maps) {
  const Rows rows;
  File file("device");
  std::vector<int64_t> own, of_next;
  for (int64_t i = 0; i < 3; ++i) {
    own.push_back(i * context.ranks + context.rank);
    of_next.push_back(i * context.ranks + rows.next);
  }
  const GpuMemory out(rows.mine), in(rows.mine.size());
  OK(scorpio_write_dataset_map(out.data(), SCORPIO_DOUBLE, 2, rows.global, 3, own.data(), file, "d",
                               file.group()));
  OK(scorpio_read_dataset_map(in.data(), SCORPIO_DOUBLE, 2, rows.global, 3, of_next.data(), file, "d",
                              file.group()));
  EXPECT(in.get() == rows.of_next);
  const int64_t elements[] = {3 * context.ranks};
  const GpuMemory few(bytes_of(numbers_of(context.rank, 3))), back(24);
  OK(scorpio_write_dataset_map(few.data(), SCORPIO_DOUBLE, 1, elements, 3, own.data(), file, "e",
                               file.group()));
  OK(scorpio_read_dataset_map(back.data(), SCORPIO_DOUBLE, 1, elements, 3, own.data(), file, "e",
                              file.group()));
  EXPECT(back.get() == few.get());
}

// An error of one rank's driver reaches all ranks, in the driver's words.
SITUATION(Device, Failures) {
  const Rows rows;
  File file("device");
  const GpuMemory out(rows.mine), in(rows.mine.size());
  const auto write = [&] {
    return scorpio_write_dataset_block_64(out.data(), SCORPIO_DOUBLE, 2, rows.global, rows.local, rows.start,
                                          file, "d", file.group());
  };
  OK(write());
  const int last = context.ranks - 1;
  if (context.rank == last) cuda().call("gpu_fail_copy", 1);
  ALL_FAIL(write(), "CUDA cannot copy from the device");
  if (context.rank == last) cuda().call("gpu_fail_copy", 2);
  ALL_FAIL(scorpio_read_dataset_block_64(in.data(), SCORPIO_DOUBLE, 2, rows.global, rows.local, rows.start,
                                         file, "d", file.group()),
           "CUDA cannot copy to the device");
  OK(write());
  file.works("again");
}

}  // namespace
