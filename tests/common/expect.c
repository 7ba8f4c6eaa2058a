#include "common/expect.h"

#include <stdarg.h>
#include <string.h>

enum { most_printed = 20 };

int noted_failures;

static char who[200];
static const char* (*last_reason)(void);

void expecting(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(who, sizeof who, format, arguments);
  va_end(arguments);
}

void expecting_with_reason(const char* (*reason)(void)) {
  last_reason = reason;
}

void note_failure(const char* file, int line, const char* what) {
  if (++noted_failures > most_printed) return;
  char place[600] = "";
  if (file) snprintf(place, sizeof place, "%s:%d: ", file, line);
  const char* reason = last_reason ? last_reason() : "";
  const int has_reason = reason && *reason;
  printf("%s%s%s%s%s%s%s\n", place, who, *who ? ": " : "", what, has_reason ? " (" : "",
         has_reason ? reason : "", has_reason ? ")" : "");
  fflush(stdout);
}
