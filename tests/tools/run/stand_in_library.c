// Stands in for the preloaded library. It says on stderr which program it was loaded into. In a program whose
// name begins with "program" it creates the file that CONCILIO_REPORT names, as the library does when MPI
// begins, and on rank 0 it writes one record to it at the end, as the library does for a closed file.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bind/mpi_library/built_for.h"

const char concilio_built_for[] = CONCILIO_BUILT_FOR_MARK CONCILIO_BUILT_FOR;

static const char* from_environment(const char* name) {
  const char* value = getenv(name);
  return value ? value : "";
}

static int is_program(void) {
  return strncmp(program_invocation_short_name, "program", 7) == 0;
}

__attribute__((constructor)) static void loaded(void) {
  fprintf(stderr, "stand-in %s loaded into %s: hints=%s limit=%s only=%s threads=%s\n", CONCILIO_MPI,
          program_invocation_short_name, from_environment("CONCILIO_HINTS"),
          from_environment("CONCILIO_MEMORY_LIMIT"), from_environment("CONCILIO_ONLY"),
          from_environment("CONCILIO_THREADS"));
  if (is_program() && *from_environment("CONCILIO_REPORT")) {
    FILE* file = fopen(from_environment("CONCILIO_REPORT"), "a");
    if (file) fclose(file);
  }
}

__attribute__((destructor)) static void unloaded(void) {
  const char* report = from_environment("CONCILIO_REPORT");
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = from_environment("PMI_RANK");
  if (!is_program() || *report == 0 || strcmp(rank, "0") != 0 || getenv("STAND_IN_CLOSES_NO_FILE")) return;
  FILE* file = fopen(report, "a");
  if (!file) return;
  fputs(
      "{\"file\":\"/data/result.h5\",\"ranks\":2,\"nodes\":1,\"mpi\":\"any\",\"open_seconds\":0.25,"
      "\"counters\":{\"collective_writes\":2,\"bytes_written\":2097152,\"method_two_phase\":2,\"storage_"
      "writes\":2,"
      "\"storage_bytes_written\":2097152},\"max\":{\"call_ns\":1500000000},\"peak_bytes_per_rank\":1048576,"
      "\"reasons\":[{\"operation\":\"write\",\"method\":\"two_phase\",\"collective\":true,"
      "\"reason\":\"pieces of 64 bytes\",\"calls\":2}],\"hints\":{\"cb_nodes\":\"1\"}}\n",
      file);
  fclose(file);
}
