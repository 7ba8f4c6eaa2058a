// Where a profile of `concilio probe` lies, unless it was given another place.
#pragma once

#include <string>
#include <string_view>

namespace concilio {

// Returns FOLDER/concilio/profiles/HOST.
std::string profiles_folder(const std::string& config_folder, std::string_view host);

// Returns that folder/MOUNT.json, with @THROTTLE behind MOUNT where `throttle` is not empty. Slashes and
// other unusual characters of the names are written as %XX, and the end of a very long name is replaced
// by its hash. `throttle` is what throttle_identity in store/devices/throttle_costs.h returns.
std::string profile_path(const std::string& config_folder, std::string_view host, std::string_view mount,
                         std::string_view throttle);

}  // namespace concilio
