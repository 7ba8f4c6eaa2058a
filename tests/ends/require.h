/* What must be so while a process ends, when exit is of no use any more. Needs `rank`, this process's. */
#pragma once

#include <stdio.h>
#include <unistd.h>

#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      fprintf(stderr, "rank %d: line %d: not so: %s\n", rank, __LINE__, #condition); \
      fflush(stderr);                                                                \
      _exit(1);                                                                      \
    }                                                                                \
  } while (0)
