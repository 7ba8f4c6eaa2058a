// Blocks of all ranks of an I/O group between their memory and a dataset, through the root's bounded buffer,
// slab by slab: while the root moves one slab between buffer and file, the others fill or empty the next.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "scorpio/cells/box.h"
#include "scorpio/ranks/layout.h"

namespace concilio::scorpio {

struct Transfer {
  Layout& layout;
  bool write;
  hid_t dataset;  // on roots
  hid_t type;     // of elements in memory
  int64_t cell_bytes;
  std::vector<int64_t> extents;
  std::vector<int64_t> chunk;  // extents of a chunk; empty: not chunked
  int64_t buffer_bytes;        // at most
  // Reads: a slab's window is read wholly. HDF5 1.10 errs where a file that is being written has not yet its
  // full length: what a read of several pieces finds missing at the end it clears in memory as if the pieces
  // had no gaps.
  bool whole_windows;
};

// Moves this rank's `block` from or to `data`, which is dense. `mine` is what this rank has against that; if
// one has anything, nothing is moved. Collective over all ranks of the layout; every rank knows only its own
// group's outcome afterwards. `peak_bytes` becomes the root's buffer if that was larger.
Status run(const Transfer& transfer, const Box& block, std::byte* data, const Status& mine,
           int64_t& peak_bytes);

}  // namespace concilio::scorpio
