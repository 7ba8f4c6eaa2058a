// The time line of modelled devices, which all processes of this user on this machine share while any of them
// has it open. It is a small file, usually in /dev/shm.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "store/devices/throttle_costs.h"

namespace concilio::store {

class DeviceState {
 public:
  // Processes with the same costs get the same time line. If the file cannot be used, the process gets one of
  // its own.
  static std::shared_ptr<DeviceState> open(const ThrottleCosts& costs);
  virtual ~DeviceState() = default;

  std::span<std::atomic<int64_t>> words() const { return words_; }
  virtual bool is_shared() const { return false; }

 protected:
  std::span<std::atomic<int64_t>> words_;
};

// The path of the file for these costs.
std::string device_state_path(const ThrottleCosts& costs);

}  // namespace concilio::store
