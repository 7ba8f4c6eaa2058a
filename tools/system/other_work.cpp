#include "system/other_work.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <sstream>
#include <thread>

#include "base/system/read_file.h"
#include "system/complain.h"

namespace concilio::tools {

namespace {

std::optional<CoreTimes> core_times_now() {
  const auto text = read_all("/proc/stat");
  return text ? core_times(*text) : std::nullopt;
}

}  // namespace

std::optional<CoreTimes> core_times(std::string_view stat) {
  std::istringstream line{std::string(stat.substr(0, stat.find('\n')))};
  std::string name;
  // user, nice, system, idle, waiting for I/O, interrupts of two kinds, stolen
  std::array<int64_t, 8> ticks{};
  line >> name;
  for (int64_t& one : ticks) line >> one;
  if (!line || name != "cpu") return std::nullopt;
  return CoreTimes{ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7], ticks[3] + ticks[4]};
}

double busy_cores(const CoreTimes& before, const CoreTimes& after, int cores) {
  const auto worked = static_cast<double>(after.worked - before.worked);
  const auto all = worked + static_cast<double>(after.idle - before.idle);
  return all > 0 ? worked / all * cores : 0;
}

void tell_of_other_work(const std::string& command) {
  constexpr double told_cores = 0.3;
  const auto before = core_times_now();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const auto after = core_times_now();
  if (!before || !after) return;
  const int cores = static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  if (const double busy = busy_cores(*before, *after, cores); busy > told_cores) {
    complain(
        fmt::format("{}: other programs use {:.1f} of this machine's {} cores, so times will differ more",
                    command, busy, cores));
  }
}

}  // namespace concilio::tools
