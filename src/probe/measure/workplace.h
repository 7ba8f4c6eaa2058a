// The temporary folder of a probe, which vanishes however the probe ends.
#pragma once

#include <string>

#include "base/result.h"

namespace concilio::probe {

// A new folder in `folder`, which must be one that files can be made in.
Result<std::string> make_workplace(const std::string& folder);
// With all that a probe makes in it; that something is missing is no failure.
void remove_workplace(const std::string& workplace);
// From now on SIGINT, SIGTERM and SIGHUP remove it too, and end the process as they would have.
void remove_on_signals(const std::string& workplace);

// Both, with no moment between at which a signal would leave it behind.
Result<std::string> make_workplace_until_signal(const std::string& folder);

std::string data_file_of(const std::string& workplace);
std::string new_file_of(const std::string& workplace);

// Whether replace_file may be expected to work; nothing is left there.
Status check_place(const std::string& path);
// Makes `path` hold `text`, whole or not at all, and its folders where they are missing.
Status replace_file(const std::string& path, const std::string& text);

}  // namespace concilio::probe
