// What a plan is asked for by hints and settings.
#pragma once

#include "base/settings/config.h"
#include "plan/facts/facts.h"
#include "plan/facts/profile.h"

namespace concilio {

// The wishes that settings express.
Wishes wishes_of(const Config& config, Operation operation);
// The same, but only what is not left at its default takes the place of what `wishes` has.
void take_over_given(const Config& config, Operation operation, Wishes& wishes);
// Stripes that settings give take the place of those the storage tells of.
void take_over_stripes(const Config& config, StorageFacts& storage);
// What was measured of groups and memory in place of the table's defaults. A setting that anybody has made
// stays.
void take_over_parameters(const Parameters& parameters, Config& config);

}  // namespace concilio
