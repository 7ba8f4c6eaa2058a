#include "plan/facts/method.h"

namespace concilio {

const char* method_name(Method method) {
  switch (method) {
    case Method::independent:
      return "independent";
    case Method::list:
      return "list";
    case Method::sieve:
      return "sieve";
    case Method::two_phase:
      return "two_phase";
    case Method::mapped:
      return "mapped";
  }
  return "unknown";
}

}  // namespace concilio
