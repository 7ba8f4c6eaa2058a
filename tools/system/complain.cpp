#include "system/complain.h"

#include <fmt/format.h>

namespace concilio::tools {

void complain(const std::string& message) {
  fmt::print(stderr, "concilio: {}\n", message);
}

}  // namespace concilio::tools
