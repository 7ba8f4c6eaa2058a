/*
 * Concilio's C interface to open files: what was done and why, the memory in use, the method to take, and the
 * realms, which decide which bytes go through which aggregator. As concilio/concilio.h says, all functions
 * are weak, and their address is NULL without Concilio.
 *
 * `file` is a handle from MPI_File_open. If it is not an open file of Concilio, a function returns
 * CONCILIO_ERR_FILE, does no harm, and leaves what its pointers point to as it was.
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
 * The value of one of this rank's counters for this file, counted since the file was opened. The names are
 * those of concilio_counter_name and of reports. Returns CONCILIO_ERR_ARG if there is no such counter.
 */
CONCILIO_WEAK int concilio_file_counter(MPI_File file, const char* name, int64_t* value);

/*
 * The method that this rank's last read or write of data took, and the reason. *method becomes "independent",
 * "list", "sieve", "two_phase" or "mapped", or NULL before the first such call. The reason is one sentence;
 * it is cut to `reason_bytes`, which include the final null character. Either pointer may be NULL if its
 * value is not wanted.
 */
CONCILIO_WEAK int concilio_file_last_call(MPI_File file, const char** method, char* reason,
                                          size_t reason_bytes);

/* A method that a call could have taken. */
typedef struct {
  const char* method;
  int legal;                /* 0: the call could not have taken it */
  int chosen;               /* 1: the call took it */
  double predicted_seconds; /* below 0 if the method is not legal */
  double measured_seconds;  /* of earlier calls of the same pattern; below 0 if none took the method */
} concilio_candidate;

/*
 * The methods that this rank's last read or write of data could have taken, for index 0, 1, ... Returns
 * CONCILIO_ERR_ARG if `candidate` is NULL, or if the index is behind the last method. A call of one
 * contiguous stretch of bytes needs no choice, and has no such methods. Collective calls are measured,
 * with the time of the slowest node, and independent calls that are predicted to take 200 us or more, with
 * the time of this rank.
 */
CONCILIO_WEAK int concilio_file_last_candidate(MPI_File file, int index, concilio_candidate* candidate);

/*
 * The internal memory of this rank for this file, in bytes: its limit, what is in use now, and the largest
 * amount that was in use so far. A pointer may be NULL if its value is not wanted.
 */
CONCILIO_WEAK int concilio_file_memory(MPI_File file, int64_t* limit_bytes, int64_t* current_bytes,
                                       int64_t* high_water_bytes);

/*
 * Makes later reads and writes of all ranks take this method if it is legal, like the hint concilio_method.
 * NULL or "auto" makes each call take the cheapest method again. Collective over the ranks that opened the
 * file; all ranks return the same value. Returns CONCILIO_ERR_ARG if a rank gave a name that is no method,
 * CONCILIO_ERR_NOT_SAME if the ranks gave different methods, and CONCILIO_ERR_FIXED if the user has set
 * CONCILIO_METHOD, or the hint from outside the program; the user's choice stays.
 */
CONCILIO_WEAK int concilio_file_set_method(MPI_File file, const char* method);

/*
 * Divides the file into realms. A realm is the file domain of one aggregator: from the next call on,
 * collective reads and writes by two_phase move the bytes of each realm through one aggregator. Realm i owns
 * the bytes of types[i], which is tiled by its extent without end, from byte displacements[i] of the file on.
 * All extents must be equal (MPI_Type_create_resized sets an extent), and together the realms must own every
 * byte of the file exactly once. There may be as many realms as ranks can aggregate. The types may be freed
 * after the call. Concilio chooses which rank aggregates which realm. If count is 0, Concilio chooses the
 * realms itself again.
 *
 * Collective over the ranks that opened the file, with the same arguments on all ranks; all ranks return the
 * same value. Returns CONCILIO_ERR_ARG if a rank gave a negative count, NULL, or an invalid type;
 * CONCILIO_ERR_NOT_SAME if the ranks gave different realms; CONCILIO_ERR_REALMS if these cannot be realms;
 * and CONCILIO_ERR_FIXED if a hint asks for other realms (concilio_realms, romio_cb_pfr, romio_cb_fr_types).
 * concilio_file_error_message says more. If the call fails, nothing changes.
 */
CONCILIO_WEAK int concilio_file_set_realms(MPI_File file, int count, const MPI_Datatype types[],
                                           const MPI_Offset displacements[]);

/*
 * What was wrong when concilio_file_set_method or concilio_file_set_realms last failed on this rank: one
 * sentence that names the cause, such as "realms 1 and 3 both own byte 4096". It is empty if neither has
 * failed, and is cut to `text_bytes`, which include the final null character.
 */
CONCILIO_WEAK int concilio_file_error_message(MPI_File file, char* text, size_t text_bytes);

/*
 * The file that an integer handle of Fortran (MPI_File_c2f, mpi4py's py2f) stands for; MPI_FILE_NULL if it is
 * not a file of Concilio. For callers that lack C's MPI_File_f2c: Fortran through ISO_C_BINDING, and Python
 * through ctypes. (An MPI_Fint is an int in every MPI that Concilio supports. The ABI of the MPI 5 standard
 * has MPI_File_toint instead of this type.)
 */
CONCILIO_WEAK MPI_File concilio_file_f2c(int file);

#ifdef __cplusplus
}
#endif

#endif
