// The user's realms: supplied through concilio.h as MPI datatypes and displacements, checked when they are
// given (plan/facts/user_realms.h). realms_of() takes them from the facts; here is what serves until they are
// given.
#include "plan/layout/realms.h"

namespace concilio {

Division divide_user(const Region& region, Hosts& hosts) {
  return divide_even(region, hosts);
}

}  // namespace concilio
