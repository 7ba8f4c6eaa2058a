/* What the tests in programs of their own expect, in C and in C++. (The unit tests use GoogleTest.)
 *
 * A program of MPI counts what is not so and goes on, so that its ranks stay together, and adds up the ranks'
 * failures at its end. */
#pragma once

#include <stdio.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How often this process found something not so. A program may set it back to 0 when it begins another part.
 */
extern int noted_failures;

/* Who expects from now on, which every failure is printed with: "rank 2", say. */
void expecting(const char* format, ...) __attribute__((format(printf, 1, 2)));
/* A function whose answer every failure is printed with: a library's message of its last error. */
void expecting_with_reason(const char* (*reason)(void));

/* Counts a failure and prints it, unless many have been printed: the rest of what went wrong often
 * goes wrong with it. Without a place if `file` is null. */
void note_failure(const char* file, int line, const char* what);

#ifdef __cplusplus
}

#include <string>

inline void note_failure(const char* file, int line, const std::string& what) {
  note_failure(file, line, what.c_str());
}
#endif

/* What must be so. If it is not, the program goes on. */
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) note_failure(__FILE__, __LINE__, "not so: " #condition); \
  } while (0)

/* What must be so for the program to go on. The process ends at once, without what exit would do: it may be
 * in there already. The launcher ends the other ranks. */
#define REQUIRE(condition)                                     \
  do {                                                         \
    if (!(condition)) {                                        \
      note_failure(__FILE__, __LINE__, "not so: " #condition); \
      fflush(NULL);                                            \
      _exit(1);                                                \
    }                                                          \
  } while (0)
