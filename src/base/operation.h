// The direction of a transfer: from the file to memory, or from memory to the file.
#pragma once

#include <cstdint>

namespace concilio {

enum class Operation : int32_t { read, write };

}  // namespace concilio
