// The C interface of concilio.h.
#include "concilio/concilio.h"

const char* concilio_version(void) {
  return CONCILIO_VERSION;
}
