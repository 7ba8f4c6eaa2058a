/*
 * Concilio's C interface to open files: what was done and why, memory, the method to take, and
 * realms: which bytes go through which aggregator.
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
 * "sieve", "two_phase" or "mapped"; NULL before the first. The reason, one sentence, is cut to `reason_bytes`
 * with its final null character. Either may be NULL: not wanted.
 */
CONCILIO_WEAK int concilio_file_last_call(MPI_File file, const char** method, char* reason,
                                          size_t reason_bytes);

/* A method that a call could have taken. */
typedef struct {
  const char* method;
  int legal;                /* 0: the call could not have taken it */
  int chosen;               /* 1: the call took it */
  double predicted_seconds; /* below 0 where it is not legal */
  double measured_seconds;  /* of earlier calls of the same pattern; below 0 where none took it */
} concilio_candidate;

/*
 * The methods that this rank's last read or write of data could have taken, for index 0, 1, ...
 * CONCILIO_ERR_ARG: NULL, or an index behind the last; a call of one stretch of bytes, which needs no choice,
 * has none. Measured are collective calls, by their slowest rank.
 */
CONCILIO_WEAK int concilio_file_last_candidate(MPI_File file, int index, concilio_candidate* candidate);

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
 * Realms: the parts of the file that each go through one aggregator in collective reads and writes by
 * two_phase, from the next call on. Realm i owns the bytes of types[i], tiled by its extent without end, from
 * byte displacements[i] of the file on. All extents must be the same (MPI_Type_create_resized), and together
 * the realms must own every byte of the file once. There may be as many as ranks can aggregate. The types
 * may be freed after the call. Concilio chooses which rank aggregates which realm. count 0: realms of
 * Concilio's choice again.
 *
 * Collective over the ranks that opened the file, with the same arguments on all; all return the same.
 * CONCILIO_ERR_ARG: a negative count, NULL, or a type that is none; CONCILIO_ERR_NOT_SAME: the ranks gave
 * different ones; CONCILIO_ERR_REALMS: they are no realms; CONCILIO_ERR_FIXED: a hint asks for other realms
 * (concilio_realms, romio_cb_pfr, romio_cb_fr_types). concilio_file_error_message says more. Where it fails,
 * nothing changes.
 */
CONCILIO_WEAK int concilio_file_set_realms(MPI_File file, int count, const MPI_Datatype types[],
                                           const MPI_Offset displacements[]);

/*
 * What was wrong when concilio_file_set_method or concilio_file_set_realms last failed on this rank: one
 * sentence that names the culprit, such as "realms 1 and 3 both own byte 4096"; empty where none failed. Cut
 * to `text_bytes` with its final null character.
 */
CONCILIO_WEAK int concilio_file_error_message(MPI_File file, char* text, size_t text_bytes);

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
