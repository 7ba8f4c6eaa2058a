// Moves the blocks of all ranks of an I/O group between their memory and a dataset, through the root's
// bounded buffer and slab by slab. While the root moves one slab between buffer and file, the other ranks
// fill or empty the next.
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
  int64_t buffer_bytes;        // the buffer's limit
  // For reads: every slab fills its window. HDF5 1.10 has an error where a file that is being written does
  // not have its full length yet: if a read of several pieces finds bytes missing at the file's end, HDF5
  // clears them in memory as if the pieces had no gaps between them.
  bool whole_windows;
};

// Moves this rank's `block` from or to `data`, which is dense. `mine` is the error that this rank has found
// by itself. If any rank has one, nothing is moved. Collective over all ranks of the layout; afterwards every
// rank knows only its own group's outcome. `peak_bytes` becomes the size of the root's buffer if that was
// larger.
Status run(const Transfer& transfer, const Box& block, std::byte* data, const Status& mine,
           int64_t& peak_bytes);

}  // namespace concilio::scorpio
