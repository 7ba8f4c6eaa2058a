// Finding what `concilio probe` has measured.
#pragma once

#include <memory>
#include <string>

#include "base/settings/config.h"
#include "plan/facts/profile.h"

namespace concilio::mpiio {

// The profile for a file that exists, by CONCILIO_PROFILE; null where there is none or it is of no use, which
// is said once. A process reads every profile once.
std::shared_ptr<const Profile> find_profile(const Config& config, const std::string& path);

}  // namespace concilio::mpiio
