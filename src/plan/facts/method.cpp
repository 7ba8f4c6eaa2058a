#include "plan/facts/method.h"

#include <array>

namespace concilio::plan {
namespace {

enum class Ranks { alone, together };
enum class Writes { plainly, rewriting };

struct Row {
  const char* name;
  Ranks ranks;
  Writes writes;
  const char* summary;
  Counter counter;
};

constexpr std::array<Row, method_count> rows = {{
#define METHOD(name, ranks, writes, summary) \
  {#name, Ranks::ranks, Writes::writes, summary, Counter::method_##name},
#include "base/methods.def"
}};

}  // namespace

const char* method_name(Method method) {
  return rows[static_cast<size_t>(method)].name;
}

const char* method_summary(Method method) {
  return rows[static_cast<size_t>(method)].summary;
}

bool method_is_together(Method method) {
  return rows[static_cast<size_t>(method)].ranks == Ranks::together;
}

bool method_rewrites(Method method) {
  return rows[static_cast<size_t>(method)].writes == Writes::rewriting;
}

Counter method_counter(Method method) {
  return rows[static_cast<size_t>(method)].counter;
}

}  // namespace concilio::plan
