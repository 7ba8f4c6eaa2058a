#pragma once

#include <string>
#include <utility>

#include "base/result.h"

namespace concilio::scorpio {

// Of an argument that cannot be taken.
inline Error refusal(std::string why) {
  return {ErrorKind::argument, 0, std::move(why)};
}

}  // namespace concilio::scorpio
