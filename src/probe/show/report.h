// What a probe leaves for people: the text on stdout, and what a stored profile says again.
#pragma once

#include <string>

#include "plan/facts/profile.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

// Tables and curves.
std::string report_of(const Profile& profile, const Measurements& found);

struct Stored {
  Profile profile;
  Measurements found;
};
// Kind `argument` where it is no profile, or one without measurements.
Result<Stored> stored_in(const std::string& text);

}  // namespace concilio::probe
