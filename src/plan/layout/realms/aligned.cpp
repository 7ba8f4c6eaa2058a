// Aligned realms: even ones whose borders always lie at multiples of a unit, however few units there are
// (Coloma et al., "A New Flexible MPI Collective I/O Implementation", section 6.4). A page or a stripe that
// two aggregators share costs locks and the file system's cache coherence. The unit is the one asked for
// (romio_cb_fr_alignment), else the stripe, else the file system's block.
#include "plan/layout/realms.h"

namespace concilio::plan {

Division divide_aligned(const Region& region, Hosts&) {
  return in_equal_parts(region, unit_bytes(region.facts));
}

}  // namespace concilio::plan
