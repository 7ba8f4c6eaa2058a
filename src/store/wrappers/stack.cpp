#include "store/wrappers/stack.h"

#include "store/posix/posix.h"
#include "store/wrappers/fault.h"
#include "store/wrappers/observed.h"
#include "store/wrappers/throttle.h"

namespace concilio::store {

namespace {

// Fails every open, since the environment has a value that cannot be understood.
class OpensFail : public StoreObserver {
 public:
  OpensFail(const char* variable, Error error) : variable_(variable), error_(std::move(error)) {}
  Status before(const StoreEvent& event) override {
    if (event.operation != StoreOperation::open) return {};
    return Error{error_.kind, error_.system_errno,
                 failure_text(event) + ": " + variable_ + ": " + error_.message};
  }

 private:
  const std::string variable_;
  const Error error_;
};

std::unique_ptr<Store> make_failing_store(const char* variable, const Error& error) {
  return make_observed_store(make_posix_store(), std::make_shared<OpensFail>(variable, error));
}

}  // namespace

std::unique_ptr<Store> make_store(const Config& config, int rank) {
  StrikeSink struck;
  const Result<FaultPlan> plan = read_faults(config.text(Key::fault), struck);
  if (!plan) return make_failing_store("CONCILIO_FAULT", plan.error());
  const Result<ThrottleCosts> costs = parse_throttle(config.text(Key::throttle));
  if (!costs) return make_failing_store("CONCILIO_THROTTLE", costs.error());
  std::unique_ptr<Store> store;
  if (plan->empty()) {
    store = make_posix_store();
  } else {
    const FaultPlan faults = faults_of_rank(*plan, rank);
    store = make_fault_store(make_posix_store(make_fault_hook(faults, struck)), faults, struck);
  }
  if (config.text(Key::throttle).empty()) return store;
  return make_throttle_store(std::move(store), *costs);
}

}  // namespace concilio::store
