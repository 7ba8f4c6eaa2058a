// What hints and settings ask of a plan.
#pragma once

#include "base/settings/config.h"
#include "plan/facts/facts.h"
#include "plan/facts/profile.h"

namespace concilio::plan {

// The wishes that settings express.
Wishes wishes_of(const Config& config, Operation operation);
// The same, but only settings that are not at their default replace what `wishes` has.
void take_over_given(const Config& config, Operation operation, Wishes& wishes);
// Stripe sizes and counts given by settings replace those that the storage reports.
void take_over_stripes(const Config& config, StorageFacts& storage);
// Measured parameters of groups replace the settings' defaults. A setting that anybody has made
// stays.
void take_over_parameters(const Parameters& parameters, Config& config);
// The same in wishes that were made from other settings: only what `config` has at its default is replaced.
void take_over_parameters(const Parameters& parameters, const Config& config, Wishes& wishes);

}  // namespace concilio::plan
