/*
 * Concilio's C interface to open files: what was done and why, memory, and the method to take.
 * concilio/concilio.h says what holds for all functions: they are weak, and their address is NULL without
 * Concilio.
 *
 * `file` is what MPI_File_open gave. A handle that is not an open file of Concilio gives CONCILIO_ERR_FILE;
 * no other harm is done, and what pointers point to is left as it was.
 */
#ifndef CONCILIO_FILE_H
#define CONCILIO_FILE_H

#include <concilio/concilio.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A counter of this rank for this file, since it was opened: the names are those of concilio_counter_name and
 * of reports. CONCILIO_ERR_ARG: there is no such counter.
 */
CONCILIO_WEAK int concilio_file_counter(MPI_File file, const char* name, int64_t* value);

/*
 * The method that this rank's last read or write of data took, and why. *method: "independent", "list",
 * "sieve" or "two_phase"; NULL before the first. The reason, one sentence, is cut to `reason_bytes` with its
 * final null character. Either may be NULL: not wanted.
 */
CONCILIO_WEAK int concilio_file_last_call(MPI_File file, const char** method, char* reason,
                                          size_t reason_bytes);

/*
 * The internal memory of this rank for this file, in bytes: its limit, what is in use now, and the most so
 * far. Each may be NULL: not wanted.
 */
CONCILIO_WEAK int concilio_file_memory(MPI_File file, int64_t* limit_bytes, int64_t* current_bytes,
                                       int64_t* high_water_bytes);

/*
 * Makes later reads and writes of all ranks take a method where it is legal, as the hint concilio_method
 * does. NULL or "auto": the cheapest for each call again. Collective over the ranks that opened the file; all
 * return the same. CONCILIO_ERR_ARG: a rank gave no method; CONCILIO_ERR_NOT_SAME: they gave different ones;
 * CONCILIO_ERR_FIXED: the user has set CONCILIO_METHOD or the hint from outside, which stays.
 */
CONCILIO_WEAK int concilio_file_set_method(MPI_File file, const char* method);

/*
 * The file that an integer handle of Fortran (MPI_File_c2f, mpi4py's py2f) stands for; MPI_FILE_NULL where it
 * is not Concilio's. For callers without C's MPI_File_f2c: Fortran by ISO_C_BINDING, Python by ctypes. (An
 * MPI_Fint is an int in every MPI that Concilio serves; the MPI 5 standard's own ABI has no such type, but
 * MPI_File_toint.)
 */
CONCILIO_WEAK MPI_File concilio_file_f2c(int file);

#ifdef __cplusplus
}
#endif

#endif
