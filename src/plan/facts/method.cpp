#include "plan/facts/method.h"

#include <array>

namespace concilio {
namespace {

struct Row {
  const char *name, *summary;
  Counter counter;
};

constexpr std::array<Row, method_count> rows = {{
#define METHOD(name, ranks, summary) {#name, summary, Counter::method_##name},
#include "base/methods.def"
}};

}  // namespace

const char* method_name(Method method) {
  return rows[static_cast<size_t>(method)].name;
}

const char* method_summary(Method method) {
  return rows[static_cast<size_t>(method)].summary;
}

Counter method_counter(Method method) {
  return rows[static_cast<size_t>(method)].counter;
}

}  // namespace concilio
