#include "store/wrappers/trace.h"

#include "store/wrappers/observed.h"

namespace concilio::store {

namespace {

class Tracer : public StoreObserver {
 public:
  explicit Tracer(TraceSink sink) : sink_(std::move(sink)) {}
  void after(const StoreEvent& event, bool succeeded) override { sink_(event, succeeded); }

 private:
  const TraceSink sink_;
};

}  // namespace

std::unique_ptr<Store> make_trace_store(std::unique_ptr<Store> inner, TraceSink sink) {
  return make_observed_store(std::move(inner), std::make_shared<Tracer>(std::move(sink)));
}

}  // namespace concilio::store
