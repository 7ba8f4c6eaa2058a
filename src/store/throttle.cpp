#include "store/throttle.h"

#include <chrono>
#include <thread>

#include "store/observed.h"

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
        const double latency_ns =
            static_cast<double>(event.requests) * static_cast<double>(costs_.request_ns);
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

std::unique_ptr<Store> make_throttle_store(std::unique_ptr<Store> inner, const ThrottleCosts& costs) {
  return make_observed_store(std::move(inner), std::make_shared<Throttle>(costs));
}

}  // namespace concilio
