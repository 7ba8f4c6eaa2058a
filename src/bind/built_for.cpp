#include "bind/built_for.h"

// Shown by the library, so that no linker drops it.
extern "C" __attribute__((visibility("default"))) const char concilio_built_for[] =
    CONCILIO_BUILT_FOR_MARK CONCILIO_BUILT_FOR;
