// Finds the profile that `concilio probe` has written.
#pragma once

#include <memory>
#include <string>

#include "base/settings/config.h"
#include "plan/facts/profile.h"

namespace concilio::mpiio {

// The profile for an existing file, chosen by CONCILIO_PROFILE. Null if there is none, or if it cannot be
// used; the latter is said once. A process reads every profile once. `device` is the file's, or 0 if it is
// not known.
std::shared_ptr<const plan::Profile> find_profile(const Config& config, const std::string& path,
                                                  uint64_t device = 0);

}  // namespace concilio::mpiio
