#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace concilio::scorpio {

// Returns the error for an argument that cannot be accepted.
inline Error refusal(std::string why) {
  return {ErrorKind::argument, 0, std::move(why)};
}

}  // namespace concilio::scorpio
