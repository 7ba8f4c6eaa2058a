/*
 * Concilio's C interface: the part that needs no MPI. The functions for an open file are in concilio/file.h,
 * which includes mpi.h. Later versions may add to this interface; what it has now stays.
 *
 * The functions are defined by the library that takes over MPI-IO: libconcilio-openmpi or libconcilio-mpich,
 * which `concilio run` preloads, or which the program is linked with before the MPI library. They are
 * declared weak, so a program that uses them also links and runs without Concilio. Then the address of each
 * function is NULL:
 *
 *   if (concilio_version) printf("with Concilio %s\n", concilio_version());
 *
 * No function here throws or aborts. Strings that a function returns are static, and must not be freed. Each
 * function has a manual page in section 3.
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

/* The return values of the functions that can fail. New versions may add values. */
enum {
  CONCILIO_SUCCESS = 0,
  CONCILIO_ERR_FILE = 1,     /* not an open file of Concilio: closed, null, or of the MPI's own MPI-IO */
  CONCILIO_ERR_ARG = 2,      /* an argument is NULL, or names something that does not exist */
  CONCILIO_ERR_NOT_SAME = 3, /* the ranks of a collective call gave different arguments */
  CONCILIO_ERR_FIXED = 4,    /* the user's environment, or a hint, decides against the program */
  CONCILIO_ERR_OTHER = 5,    /* any other error, such as lack of memory */
  CONCILIO_ERR_REALMS = 6    /* the realms do not own every byte exactly once, or are too many */
};

/* The version of the loaded library, "MAJOR.MINOR.PATCH". */
CONCILIO_WEAK const char* concilio_version(void);

/* The meaning of an error code, in a few words. */
CONCILIO_WEAK const char* concilio_error_text(int code);

/* The names of the counters of concilio_file_counter, for index 0, 1, ...; NULL behind the last one. */
CONCILIO_WEAK const char* concilio_counter_name(int index);

#ifdef __cplusplus
}
#endif

#endif
