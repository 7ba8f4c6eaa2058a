// Datasets of a file. The roots make or open them, and all ranks move their data.
#pragma once

#include <scorpio.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/cells/box.h"
#include "scorpio/cells/elements.h"
#include "scorpio/files/group.h"
#include "scorpio/files/own_reads.h"

namespace concilio::scorpio {

// What one call asks of a dataset.
struct Request {
  bool write;
  Element element;
  std::string name;
  std::vector<int64_t> extents;  // of the dataset; empty in reads: those it has
  bool in_open_group = false;    // a relative name begins at the open group
  bool first_rows = false;       // in reads: the dataset may have more rows
};

// A dataset that is open on the roots.
class Dataset {
 public:
  // Opens the dataset. For a write, makes it and the groups on its path if it is not there. Returns an error
  // if its extents are not those of the request. Collective.
  static Result<Dataset> open(File& file, const Request& request);
  Status close();  // each root for itself

  hid_t id() const { return id_; }           // on roots
  hid_t cell_type() const { return type_; }  // of elements in memory; on roots
  const std::string& path() const { return path_; }
  const std::vector<int64_t>& extents() const { return extents_; }
  const std::vector<int64_t>& chunk() const { return chunk_; }  // empty: not chunked
  const PlainDataset& plain() const { return plain_; }

 private:
  explicit Dataset(File& file) : file_(&file) {}
  Status open_on_root(const Request& request);
  Status make(const Request& request);
  Status measure();
  Status take_type(const Element& element);
  Status share_description();

  File* file_;
  Handle id_, type_;
  std::string path_;
  std::vector<int64_t> extents_, chunk_;
  PlainDataset plain_;
};

// Returns an error if the block does not fit a dataset with these extents, or if it needs `data` and there is
// none.
Status check_block(const Box& block, const std::vector<int64_t>& extents, const void* data);

// Moves each rank's block. Collective; the outcome is the same on all ranks.
Status move_blocks(Group& group, File& file, const Request& request, const Box& block, void* data);

// Returns the place of this rank's part, which follows from the pattern. Collective; the outcome is the same
// on all ranks.
Result<Box> place(const File& file, iopattern_t pattern, const std::vector<int64_t>& extents,
                  const std::vector<int64_t>& local);

// Returns the extents as text, for example "64 x 64 x 64".
std::string words_of(const std::vector<int64_t>& extents);

}  // namespace concilio::scorpio
