#include "base/copy_bytes.h"

#include <algorithm>
#include <array>

#include "base/waiting.h"

namespace concilio {
namespace {

#if defined(__x86_64__)
constexpr size_t measured_bytes = 4096;

// Nanoseconds that a copy takes whose target lies so many bytes ahead of its source, within a page.
int64_t copy_ns(size_t ahead) {
  alignas(4096) std::array<std::byte, 2 * measured_bytes> from{}, to;
  int64_t least_ns = INT64_MAX;
  for (int i = 0; i < 4; ++i) {
    void* target = to.data() + ahead;
    const void* source = from.data();
    size_t bytes = measured_bytes;
    const int64_t begin_ns = now_ns();
    asm volatile("rep movsb" : "+D"(target), "+S"(source), "+c"(bytes)::"memory");
    least_ns = std::min(least_ns, now_ns() - begin_ns);
  }
  return least_ns;
}

// Where it is slow, it is ten times as slow.
bool measure() {
  return copy_ns(16) > 3 * std::max<int64_t>(copy_ns(64), 1);
}
#else
bool measure() {
  return false;
}
#endif

}  // namespace

bool has_slow_distances() {
  static const bool slow = measure();
  return slow;
}

}  // namespace concilio
