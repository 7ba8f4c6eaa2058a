/*
 * Concilio's C interface: what needs no MPI. What concerns an open file is in concilio/file.h, which includes
 * mpi.h. More comes with later versions; what is here stays.
 *
 * The functions are defined by the library that takes MPI-IO over: the one that `concilio run` preloads, or
 * that the program is linked with (libconcilio-openmpi, libconcilio-mpich; before the MPI library). They are
 * declared weak, so a program that uses them links and runs without Concilio too; a function's address is
 * NULL then:
 *
 *   if (concilio_version) printf("with Concilio %s\n", concilio_version());
 *
 * No function here throws or aborts. Strings that a function returns are static and not to be freed.
 * Each function has a manual page in section 3.
 */
#ifndef CONCILIO_CONCILIO_H
#define CONCILIO_CONCILIO_H

#if defined(__GNUC__)
#define CONCILIO_WEAK __attribute__((weak, visibility("default")))
#else
#error "concilio.h needs weak symbols as GCC and Clang have them"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the functions that can fail return. New versions may add values. */
enum {
  CONCILIO_SUCCESS = 0,
  CONCILIO_ERR_FILE = 1,     /* not an open file of Concilio: closed, null, or of the MPI's own MPI-IO */
  CONCILIO_ERR_ARG = 2,      /* an argument is NULL, or names nothing that there is */
  CONCILIO_ERR_NOT_SAME = 3, /* the ranks of a collective call gave different arguments */
  CONCILIO_ERR_FIXED = 4,    /* the user's environment, or a hint, settles it against the program */
  CONCILIO_ERR_OTHER = 5,    /* anything else, such as no memory */
  CONCILIO_ERR_REALMS = 6    /* the realms given do not own every byte once, or are too many */
};

/* The version of the library that is loaded, "MAJOR.MINOR.PATCH". */
CONCILIO_WEAK const char* concilio_version(void);

/* What an error code says, in a few words. */
CONCILIO_WEAK const char* concilio_error_text(int code);

/* The name of a counter of concilio_file_counter, for index 0, 1, ...; NULL behind the last. */
CONCILIO_WEAK const char* concilio_counter_name(int index);

#ifdef __cplusplus
}
#endif

#endif
