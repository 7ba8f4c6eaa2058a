#include "store/throttle.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/config.h"
#include "store/observed.h"
#include "store/ring.h"

namespace concilio {

namespace {

class Throttle : public StoreObserver {
 public:
  explicit Throttle(const ThrottleCosts& costs) : costs_(costs) {}

  Status before(const StoreEvent& event) override {
    const double cost_ns = cost(event);
    if (cost_ns > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::nano>(cost_ns));
    return {};
  }

  bool lets_map() const override { return false; }

 private:
  // Floating-point: bytes times 10^9 does not fit 64 bits.
  double cost(const StoreEvent& event) const {
    switch (event.operation) {
      case StoreOperation::open:
      case StoreOperation::remove:
        return static_cast<double>(costs_.open_ns);
      case StoreOperation::lock:
      case StoreOperation::unlock:
        return static_cast<double>(costs_.lock_ns);
      case StoreOperation::read:
      case StoreOperation::write: {
        // Requests at once wait side by side.
        const auto together = static_cast<double>(std::clamp<int64_t>(event.at_once, 1, ring_depth));
        const double latency_ns =
            static_cast<double>(event.requests) * static_cast<double>(costs_.request_ns) / together;
        if (costs_.bytes_per_second <= 0) return latency_ns;
        return latency_ns +
               static_cast<double>(event.bytes) * 1e9 / static_cast<double>(costs_.bytes_per_second);
      }
      default:
        return static_cast<double>(costs_.request_ns);
    }
  }

  const ThrottleCosts costs_;
};

}  // namespace

Result<ThrottleCosts> parse_throttle(std::string_view text) {
  ThrottleCosts costs;
  while (!text.empty()) {
    const size_t end = text.find(';');
    const std::string part(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    if (part.empty()) continue;
    const size_t equals = part.find('=');
    const std::string name = part.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : part.substr(equals + 1);
    auto refuse = [&](const char* wanted) {
      return Error{ErrorKind::argument, 0, fmt::format("'{}' is no cost of storage; give {}", part, wanted)};
    };
    if (name == "bandwidth") {
      auto bytes = parse_bytes(value);
      if (!bytes || *bytes <= 0) return refuse("bandwidth=BYTES, a second, such as 100M");
      costs.bytes_per_second = *bytes;
      continue;
    }
    int64_t* cost = name == "open"      ? &costs.open_ns
                    : name == "request" ? &costs.request_ns
                    : name == "lock"    ? &costs.lock_ns
                                        : nullptr;
    if (!cost) return refuse("open=MS, request=MS, lock=MS or bandwidth=BYTES");
    char* rest = nullptr;
    const double milliseconds = std::strtod(value.c_str(), &rest);
    if (value.empty() || *rest != '\0' || !(milliseconds >= 0 && milliseconds <= 1e9)) {
      return refuse("milliseconds, such as 0.1");
    }
    *cost = static_cast<int64_t>(milliseconds * 1e6);
  }
  return costs;
}

std::unique_ptr<Store> make_throttle_store(std::unique_ptr<Store> inner, const ThrottleCosts& costs) {
  return make_observed_store(std::move(inner), std::make_shared<Throttle>(costs));
}

}  // namespace concilio
