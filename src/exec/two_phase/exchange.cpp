#include "exec/two_phase/exchange.h"

namespace concilio::exec {

std::unique_ptr<Exchange> Exchange::make(const ExchangeContext& context) {
  return context.plan.exchange == plan::ExchangeStrategy::alltoallw ? make_alltoallw_exchange(context)
                                                                    : make_message_exchange(context);
}

}  // namespace concilio::exec
