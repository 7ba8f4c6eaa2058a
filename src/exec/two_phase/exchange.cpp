#include "exec/two_phase/exchange.h"

#include <fmt/format.h>

#include "base/exceptions.h"

namespace concilio {

std::unique_ptr<Exchange> Exchange::make(const ExchangeContext& context) {
  return context.plan.exchange == ExchangeStrategy::alltoallw ? make_alltoallw_exchange(context)
                                                              : make_message_exchange(context);
}

Status checked(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  PMPI_Error_string(code, text, &length);
  return error_with(ErrorKind::communication, 0,
                    [&] { return fmt::format("{} between nodes failed: {}", what, text); });
}

}  // namespace concilio
