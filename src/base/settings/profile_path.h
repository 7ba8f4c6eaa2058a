// Where a profile lies that nobody gave another place.
#pragma once

#include <string>
#include <string_view>

namespace concilio {

// FOLDER/concilio/profiles/HOST/MOUNT.json, with @THROTTLE behind MOUNT where there is one. Slashes and other
// unusual characters of mount and throttle are written as %XX, and a very long throttle as a hash of it.
// `throttle` is store/devices/throttle_costs.h's throttle_identity.
std::string profile_path(const std::string& config_folder, std::string_view host, std::string_view mount,
                         std::string_view throttle);

}  // namespace concilio
