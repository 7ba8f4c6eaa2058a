#include "probe/measure/place.h"

#include "base/settings/config.h"
#include "base/settings/profile_path.h"
#include "store/devices/throttle_costs.h"
#include "store/place/mount.h"

namespace concilio::probe {

Result<std::string> place_of_profile(const std::string& host, const std::string& folder,
                                     const std::string& throttle) {
  const std::string settings = user_config_folder();
  if (settings.empty())
    return Error{ErrorKind::no_such_file, 0,
                 "neither XDG_CONFIG_HOME nor HOME names a folder for the profile; give --output FILE"};
  const auto mount = store::mount_of(folder);
  if (!mount) return mount.error();
  return profile_path(settings, host, mount->point, store::throttle_identity(throttle));
}

}  // namespace concilio::probe
