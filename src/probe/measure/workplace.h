// The temporary folder of a probe, which is removed however the probe ends.
#pragma once

#include <string>

#include "base/result.h"

namespace concilio::probe {

// Makes a new folder in `folder`, which must be one in which files can be made.
Result<std::string> make_workplace(const std::string& folder);
// Removes the folder and all files that a probe makes in it. A missing file is not a failure.
void remove_workplace(const std::string& workplace);
// From now on SIGINT, SIGTERM and SIGHUP also remove the folder, and then end the process as they would have.
void remove_on_signals(const std::string& workplace);

// Does both, so that no signal can arrive between the two and leave the folder behind.
Result<std::string> make_workplace_until_signal(const std::string& folder);

std::string data_file_of(const std::string& workplace);
std::string new_file_of(const std::string& workplace);

// Whether replace_file can be expected to succeed; leaves nothing behind.
Status check_place(const std::string& path);
// Makes `path` hold the whole `text`, or leaves it as it is. Missing folders are made.
Status replace_file(const std::string& path, const std::string& text);

}  // namespace concilio::probe
