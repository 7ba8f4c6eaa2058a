// The time line of modelled devices that all processes of this user and machine share, while any has it open:
// a page in a file, as a rule in /dev/shm.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "store/devices/throttle_costs.h"

namespace concilio {

class DeviceState {
 public:
  // Processes with the same costs get the same one. Where no file is to be had it is this process's own.
  static std::shared_ptr<DeviceState> open(const ThrottleCosts& costs);
  virtual ~DeviceState() = default;

  std::span<std::atomic<int64_t>> words() const { return words_; }
  virtual bool is_shared() const { return false; }

 protected:
  std::span<std::atomic<int64_t>> words_;
};

// The file that stands for these costs.
std::string device_state_path(const ThrottleCosts& costs);

}  // namespace concilio
