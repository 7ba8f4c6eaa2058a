#include "store/wrappers/throttle.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>

#include "base/text/name_hash.h"
#include "base/waiting.h"
#include "store/devices/client_clock.h"
#include "store/devices/device_clock.h"
#include "store/devices/device_state.h"
#include "store/posix/ring.h"
#include "store/wrappers/observed.h"

namespace concilio::store {

namespace {

// Each thread is a client: it makes one operation after another, on whatever store.
struct Client {
  ClientClock clock;
  int64_t begin_ns = 0, done_ns = 0;  // of the transfers that are under way
  int64_t bytes = 0;                  // of those of them that are over
};
thread_local Client client;

void finish(int64_t done_ns) {
  if (!client.clock.end(done_ns, now_ns())) return;
  sleep_until_ns(done_ns);
  client.clock.woke(done_ns, now_ns());
}

class Throttle : public StoreObserver {
 public:
  explicit Throttle(const ThrottleCosts& costs) : costs_(costs) {
    if (!costs.are_shared()) return;
    state_ = DeviceState::open(costs);
    devices_ = std::make_unique<DeviceClock>(costs, state_->words());
  }

  Status before(const StoreEvent& event) override {
    if (is_of_devices(event)) {
      if (check_transfers(event.transfers)) use_devices(event);
      return {};
    }
    const double cost_ns =
        moves_data(event.operation) ? cost_of_transfers(event) : cost_of_call(event.operation);
    const int64_t begin_ns = client.clock.begin(now_ns());
    const int64_t served_ns =
        devices_ && is_of_names(event.operation) ? devices_->reserve_open(begin_ns) : begin_ns;
    const int64_t done_ns = served_ns + std::llround(std::min(cost_ns, 1e17));
    if (done_ns > begin_ns) finish(done_ns);
    return {};
  }

  // Waits only after the transfer, since the time that this took here has also passed in the model. The bytes
  // pass the network while the devices serve the request.
  void after(const StoreEvent& event, bool) override {
    if (!moves_data(event.operation)) return;
    client.bytes = event.bytes + (event.turn == 0 ? 0 : client.bytes);
    if (event.turn + 1 < event.at_once) return;
    take_time_of_storage_network(client.bytes, event.operation == StoreOperation::write);
    if (is_of_devices(event)) finish(client.done_ns);
  }

  void describe(StorageLayout& layout) override { model_layout(costs_, layout); }
  bool lets_map() const override { return false; }

 private:
  static bool moves_data(StoreOperation operation) {
    return operation == StoreOperation::read || operation == StoreOperation::write;
  }
  static bool is_of_names(StoreOperation operation) {
    return operation == StoreOperation::open || operation == StoreOperation::remove;
  }
  bool is_of_devices(const StoreEvent& event) const {
    return costs_.streams > 0 && moves_data(event.operation);
  }

  // Requests of one call are made one after another. Requests that are made at once all begin with the first.
  void use_devices(const StoreEvent& event) {
    if (event.turn == 0) client.begin_ns = client.done_ns = client.clock.begin(now_ns());
    int64_t done_ns = client.begin_ns;
    for_each_request(event, [&](const StoreEvent& request) {
      let_others_in_between(done_ns);
      done_ns = devices_->reserve({event.operation == StoreOperation::write, name_hash(event.path),
                                   request.offset, request.bytes, storage_client()},
                                  done_ns);
    });
    client.done_ns = std::max(client.done_ns, done_ns);
  }

  // A request is made when the one before it is done, so that those of other clients come in between.
  static void let_others_in_between(int64_t done_ns) {
    if (done_ns - now_ns() <= ClientClock::most_ahead_ns) return;
    sleep_until_ns(done_ns);
    client.clock.woke(done_ns, now_ns());
  }

  template <typename Call>
  static void for_each_request(const StoreEvent& event, Call call) {
    for (auto left = event.transfers; !left.empty();) {
      const auto request = first_request(left);
      left = left.subspan(request.size());
      const StoreEvent one = event_of(event.operation, event.path, request);
      if (one.requests > 0) call(one);
    }
  }

  // In floating point, since the costs of many requests may not fit 64 bits.
  double cost_of_call(StoreOperation operation) const {
    switch (operation) {
      case StoreOperation::open:
      case StoreOperation::remove:
        return static_cast<double>(costs_.open_ns);
      case StoreOperation::close:
        return 0;
      case StoreOperation::lock:
      case StoreOperation::unlock:
        return static_cast<double>(costs_.lock_ns);
      default:
        return static_cast<double>(costs_.request_ns);
    }
  }

  double cost_of_transfers(const StoreEvent& event) {
    const bool writes = event.operation == StoreOperation::write;
    const int64_t seek_ns = writes ? costs_.write_seek_ns : costs_.read_seek_ns;
    int64_t seeks = 0;
    if (seek_ns > 0) {
      for_each_request(event, [&](const StoreEvent& request) {
        seeks += last_end_.exchange(request.offset + request.bytes) != request.offset ? 1 : 0;
      });
    }
    const double latency_ns = static_cast<double>(event.requests) * static_cast<double>(costs_.request_ns) +
                              static_cast<double>(seeks) * static_cast<double>(seek_ns);
    // Requests that are made at once wait at the same time.
    const auto together = static_cast<double>(std::clamp<int64_t>(event.at_once, 1, ring_depth));
    return latency_ns / together + static_cast<double>(transfer_ns(event.bytes, costs_.bytes_per_second));
  }

  const ThrottleCosts costs_;
  std::shared_ptr<DeviceState> state_;
  std::unique_ptr<DeviceClock> devices_;  // set where clients share anything
  std::atomic<int64_t> last_end_ = -1;    // else, where the last request ended
};

}  // namespace

std::unique_ptr<Store> make_throttle_store(std::unique_ptr<Store> inner, const ThrottleCosts& costs) {
  return make_observed_store(std::move(inner), std::make_shared<Throttle>(costs));
}

}  // namespace concilio::store
