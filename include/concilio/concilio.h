/*
 * Concilio's C interface. More comes with later versions; what is here stays.
 *
 * The functions are defined by the library that takes MPI-IO over: the one that `concilio run` preloads, or
 * that the program is linked with (libconcilio-openmpi, libconcilio-mpich; before the MPI library). They are
 * declared weak, so a program that uses them links and runs without Concilio too; a function's address is
 * NULL then:
 *
 *   if (concilio_version) printf("with Concilio %s\n", concilio_version());
 *
 * No function here throws, aborts or changes errno.
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

/* The version of the library that is loaded, "MAJOR.MINOR.PATCH". Static; not to be freed. */
CONCILIO_WEAK const char* concilio_version(void);

#ifdef __cplusplus
}
#endif

#endif
