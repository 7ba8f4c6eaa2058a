// Measures what it costs to map a file into memory, and to make its pages present.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "probe/measure/sampler.h"
#include "probe/measure/session.h"

// These exist since Linux 5.14. Older headers do not define them, and older kernels refuse them.
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

namespace concilio::probe {

namespace {

constexpr int64_t most_stretch_bytes = 8 << 20;
constexpr size_t line_bytes = 64;  // a cache line of the processor

enum class Way { nothing, read, write, populate_read, populate_write };

// Makes the pages present and touches all their cache lines: bringing the bytes into the cache is part of
// what a copy from or to the pages costs.
Status present(std::byte* data, size_t bytes, Way way) {
  if (way == Way::populate_read || way == Way::populate_write) {
    const int advice = way == Way::populate_read ? MADV_POPULATE_READ : MADV_POPULATE_WRITE;
    if (madvise(data, bytes, advice) != 0) return Error::from_errno(errno, "cannot populate a mapping");
  }
  volatile std::byte* lines = data;
  if (way == Way::read || way == Way::populate_read) {
    for (size_t at = 0; at < bytes; at += line_bytes) static_cast<void>(lines[at]);
  } else if (way != Way::nothing) {
    for (size_t at = 0; at < bytes; at += line_bytes) lines[at] = std::byte{2};
  }
  return {};
}

// The seconds it takes to map a stretch, make its pages present and unmap it. The stretches of the file are
// used in turn, so that their bytes are in no cache.
Result<double> seconds_of(int descriptor, Session& session, size_t bytes, Way way, double seconds) {
  const int64_t stretches = std::max<int64_t>(1, session.file_bytes / static_cast<int64_t>(bytes));
  int64_t stretch = 0;
  const auto map = [&, descriptor, bytes, way](int64_t count) -> Status {
    for (int64_t i = 0; i < count; ++i) {
      const auto offset = stretch++ % stretches * static_cast<int64_t>(bytes);
      void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
      if (data == MAP_FAILED) return Error::from_errno(errno, "cannot map a file");
      Status status = present(static_cast<std::byte*>(data), bytes, way);
      munmap(data, bytes);
      if (!status) return status;
    }
    return {};
  };
  const bool reads = way == Way::read || way == Way::populate_read;
  return seconds_of_one(seconds, map,
                        requests_at(stretches, reads ? Operation::read : Operation::write, session));
}

}  // namespace

// Storage that cannot be mapped is not a failure. Throttled storage is not mapped, because the throttle would
// not apply.
Status measure_mapping(Session& session) {
  if (session.throttled) return {};
  const int descriptor = open(session.data_path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return {};
  const int64_t page_bytes = sysconf(_SC_PAGESIZE);
  // Only whole pages, because every stretch must begin with a page.
  const int64_t all_bytes = std::max(page_bytes, session.file_bytes - session.file_bytes % page_bytes);
  const auto bytes = static_cast<size_t>(std::min(all_bytes, most_stretch_bytes));
  const double pages = static_cast<double>(bytes) / static_cast<double>(page_bytes);
  struct Row {
    Quantity quantity;
    Way way;
  };
  constexpr Row rows[] = {{Quantity::map_read_page, Way::read},
                          {Quantity::map_write_page, Way::write},
                          {Quantity::map_populate_read_page, Way::populate_read},
                          {Quantity::map_populate_write_page, Way::populate_write}};
  const double seconds = session.seconds / (1 + std::size(rows));
  const auto fixed = seconds_of(descriptor, session, bytes, Way::nothing, seconds);
  if (fixed) session.found[Quantity::map] = {{1, *fixed}};
  for (const Row& row : rows) {
    const auto all = fixed ? seconds_of(descriptor, session, bytes, row.way, seconds) : fixed;
    if (all) session.found[row.quantity] = {{1, std::max(*all - *fixed, 1e-9 * pages) / pages}};
  }
  close(descriptor);
  return {};
}

}  // namespace concilio::probe
