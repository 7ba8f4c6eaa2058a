// How busy others keep this machine, which makes what is measured on it differ from run to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace concilio::tools {

// The time of all cores together since the machine started, in the kernel's ticks.
struct CoreTimes {
  int64_t worked = 0, idle = 0;  // `worked`: also for other virtual machines, on cores that this one lacked
};
// From the text of /proc/stat.
std::optional<CoreTimes> core_times(std::string_view stat);
// How many of the machine's cores were busy in between.
double busy_cores(const CoreTimes& before, const CoreTimes& after, int cores);

// Looks on for a tenth of a second, in which this process does nothing. Where the machine has work, says on
// stderr that times of `command` will differ more. Other nodes are not looked at.
void tell_of_other_work(const std::string& command);

}  // namespace concilio::tools
