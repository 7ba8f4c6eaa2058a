#include "bind/mpi_library/built_for.h"

// It is exported, so that no linker drops it.
extern "C" __attribute__((visibility("default"))) const char concilio_built_for[] =
    CONCILIO_BUILT_FOR_MARK CONCILIO_BUILT_FOR;
