// A node with little shared memory, as containers have: small_shared_memory.sh makes /dev/shm small. The
// roots may have larger buffers than that, and must continue with smaller ones.
#include "checks.h"

using namespace scorpio_checks;

SITUATION(SharedMemory, Small) {
  Group group(2);
  // Columns, which are scattered in the file, so that slabs are large.
  const int64_t rows = 4096, columns = 512, global[] = {rows, columns * context.ranks},
                local[] = {rows, columns}, start[] = {0, columns * context.rank};
  std::vector<double> data(static_cast<size_t>(rows * columns)), found(data.size());
  for (size_t i = 0; i < data.size(); ++i) data[i] = context.rank * 1e7 + static_cast<double>(i);
  OK(scorpio_set_buffer_bytes(64 << 20, group));
  const std::string path = path_of("small.h5");
  const int handle = scorpio_open_file(path.c_str(), group, SCORPIO_FILE_CREATE);
  OK(handle);
  for (const char* name : {"first", "second"}) {
    OK(scorpio_write_dataset_block_64(data.data(), SCORPIO_DOUBLE, 2, global, local, start, handle, name,
                                      group));
    OK(scorpio_read_dataset_block_64(found.data(), SCORPIO_DOUBLE, 2, global, local, start, handle, name,
                                     group));
    EXPECT(found == data);
  }
  OK(scorpio_close_file(handle, group));
}
