// The text of a probe's result for people: for stdout, and to show a stored profile again.
#pragma once

#include <string>

#include "plan/facts/profile.h"
#include "probe/derive/measurements.h"

namespace concilio::probe {

// The tables and curves as text.
std::string report_of(const plan::Profile& profile, const Measurements& found);

struct Stored {
  plan::Profile profile;
  Measurements found;
};
// Returns an error of kind `argument` if `text` is no profile, or one without measurements.
Result<Stored> stored_in(const std::string& text);

}  // namespace concilio::probe
