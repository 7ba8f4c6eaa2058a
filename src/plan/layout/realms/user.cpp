// The user's realms: given through concilio.h as MPI datatypes and displacements, and checked then
// (plan/facts/user_realms.h). realms_of() takes them from the facts; this file has what is used until they
// are given.
#include "plan/layout/realms.h"

namespace concilio::plan {

Division divide_user(const Region& region, Hosts& hosts) {
  return divide_even(region, hosts);
}

}  // namespace concilio::plan
