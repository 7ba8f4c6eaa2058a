/*
 * What a program does with files after its main, in functions given to atexit and in destructors.
 *
 *   at_exit closes      closes a file there, and ends MPI
 *   at_exit opens       opens its first file there
 *   at_exit finalizes   ends MPI there
 *   at_exit destructor  all of it in a function that runs after those of atexit
 *
 * With --report it has CONCILIO_REPORT set, and looks at the report.
 */
#include "at_exit.h"

static int at_destruction;

static void closes(void) {
  write_and_read();
  close_file();
  use_file("late");
  finish();
}

static void opens(void) {
  use_file("late");
  finish();
}

static void finalizes(void) {
  finish();
}

__attribute__((destructor)) static void destructor(void) {
  if (!at_destruction) return;
  closes();
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  /* Before anything else, so that what others registered runs earlier. */
  if (strcmp(how, "closes") == 0) {
    REQUIRE(atexit(closes) == 0);
  } else if (strcmp(how, "opens") == 0) {
    REQUIRE(atexit(opens) == 0);
  } else if (strcmp(how, "finalizes") == 0) {
    REQUIRE(atexit(finalizes) == 0);
  } else if (strcmp(how, "destructor") == 0) {
    at_destruction = 1;
  } else {
    fprintf(stderr, "at_exit: closes, opens, finalizes or destructor?\n");
    return 2;
  }
  start(&argc, &argv);
  if (strcmp(how, "opens") != 0) use_file("early");
  if (strcmp(how, "closes") == 0 || strcmp(how, "destructor") == 0) open_file("open");
  return 0;
}
