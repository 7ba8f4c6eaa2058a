// Where the profile of a storage is kept, so that the library finds it by itself.
#pragma once

#include <string>

#include "base/result.h"

namespace concilio::probe {

// The path of the profile for programs on `host` with files in `folder` under this CONCILIO_THROTTLE. Returns
// an error of kind no_such_file if the user has no folder for settings.
Result<std::string> place_of_profile(const std::string& host, const std::string& folder,
                                     const std::string& throttle);

}  // namespace concilio::probe
