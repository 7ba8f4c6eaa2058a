/* Programs written for the original SCORPIO. Nothing here knows what only this library has, but
 * scorpio_last_error, to say why a test failed. */
#ifndef CALLERS_H
#define CALLERS_H

#include <scorpio.h>

#include "common/expect.h"

#ifdef __cplusplus
extern "C" {
#endif

extern int rank, ranks;
extern int group_size; /* that is being tried; 0: all ranks */

/* The path of a file in the test's folder, one for each group size. Valid until the fourth call from now. */
char* path_of(const char* name);
/* A group of the size being tried. What the callers leave unset is garbage, other on every rank. */
void make_group(iogroup_t* group);

/* Parts of the test. */
void test_division(void);
void test_strings(void);
void test_roots_alone(void);
void test_semantics(void);
void test_undeclared(void);
void test_log(void);
void test_late_ranks(void);
void test_older_names(void);

#ifdef __cplusplus
}
#endif

#endif
