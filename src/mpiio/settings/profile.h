// Finds the profile that `concilio probe` has written.
#pragma once

#include <memory>
#include <string>

#include "base/settings/config.h"
#include "plan/facts/profile.h"

namespace concilio::mpiio {

// The profile for an existing file, chosen by CONCILIO_PROFILE. Null if there is none, or if it cannot be
// used; the latter is said once. A process reads every profile once.
std::shared_ptr<const plan::Profile> find_profile(const Config& config, const std::string& path);

}  // namespace concilio::mpiio
