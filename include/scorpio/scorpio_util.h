/* Messages of programs that use SCORPIO's own log. This library itself logs nothing: scorpio_last_error tells
 * what failed. */
#ifndef SCORPIO_UTIL_H
#define SCORPIO_UTIL_H

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  SCORPIO_ERROR = 1,
  SCORPIO_WARNING = 2,
  SCORPIO_INFO = 3,
  SCORPIO_VERBOSE = 4
} scorpio_loglevel_t;

#define MAXSTR 512

/* The place in the program that the next message names. */
typedef struct {
  char function[MAXSTR];
  char file[MAXSTR];
  int line;
  int rank;
} scorpio_debuginfo_t;

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The highest level that is printed. It is 0 at first, so nothing is printed. */
extern int scorpio_debug;
extern scorpio_debuginfo_t scorpio_debuginfo;

/* Local. Sets the rank that messages begin with; scorpio_IOgroup_init sets it to the rank in its
 * communicator. */
void scorpio_debuglog_init(int rank);
/* Local. Prints to stderr like printf, if messages of that level are printed. */
void scorpio_printmsg(scorpio_loglevel_t scorpio_loglevel, const char* format, ...);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

/* PRINT_MSG((SCORPIO_INFO, "%d cells", cells)); prints in programs compiled with SCORPIO_DEBUG defined, and
 * does nothing in others. */
#if defined(SCORPIO_DEBUG)
#define PRINT_MSG(x)                                                                                      \
  do {                                                                                                    \
    snprintf(scorpio_debuginfo.function, sizeof scorpio_debuginfo.function, "%s", (const char*)__func__); \
    snprintf(scorpio_debuginfo.file, sizeof scorpio_debuginfo.file, "%s", __FILE__);                      \
    scorpio_debuginfo.line = __LINE__;                                                                    \
    scorpio_printmsg x;                                                                                   \
  } while (0)
#else
#define PRINT_MSG(x)
#endif

#ifdef __cplusplus
}
#endif

#endif
