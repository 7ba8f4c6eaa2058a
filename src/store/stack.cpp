#include "store/stack.h"

#include "store/fault.h"
#include "store/observed.h"
#include "store/posix.h"

namespace concilio {

namespace {

class OpensFail : public StoreObserver {
 public:
  explicit OpensFail(Error error) : error_(std::move(error)) {}
  Status before(const StoreEvent& event) override {
    if (event.operation != StoreOperation::open) return {};
    return Error{error_.kind, error_.system_errno,
                 failure_text(event) + ": CONCILIO_FAULT: " + error_.message};
  }

 private:
  const Error error_;
};

}  // namespace

std::unique_ptr<Store> make_store(const Config& config, int rank) {
  const std::string& text = config.text(Key::fault);
  if (text.empty()) return make_posix_store();
  const Result<FaultPlan> plan = parse_faults(text);
  if (!plan) return make_observed_store(make_posix_store(), std::make_shared<OpensFail>(plan.error()));
  const FaultPlan faults = faults_of_rank(*plan, rank);
  return make_fault_store(make_posix_store(make_fault_hook(faults)), faults);
}

}  // namespace concilio
