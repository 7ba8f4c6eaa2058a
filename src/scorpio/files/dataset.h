// Datasets of a file: made or opened by the roots, moved by all.
#pragma once

#include <scorpio.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/cells/box.h"
#include "scorpio/cells/elements.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {

// What one call asks of a dataset.
struct Request {
  bool write;
  Element element;
  std::string name;
  std::vector<int64_t> extents;  // of the dataset; empty, of reads: those it has
  bool in_open_group = false;    // a relative name begins there
  bool first_rows = false;       // of reads: the dataset may have more rows
};

// A dataset that is open on the roots.
class Dataset {
 public:
  // Opens it; for a write makes it, with groups on its path, if it is not there. An error if its extents are
  // not those of the request. Collective.
  static Result<Dataset> open(File& file, const Request& request);
  Status close();  // each root for itself

  hid_t id() const { return id_; }           // on roots
  hid_t cell_type() const { return type_; }  // of elements in memory; on roots
  const std::string& path() const { return path_; }
  const std::vector<int64_t>& extents() const { return extents_; }
  const std::vector<int64_t>& chunk() const { return chunk_; }  // empty: not chunked

 private:
  explicit Dataset(File& file) : file_(&file) {}
  Status open_on_root(const Request& request);
  Status make(const Request& request);
  Status measure();
  Status take_type(const Element& element);
  Status share_extents();

  File* file_;
  Handle id_, type_;
  std::string path_;
  std::vector<int64_t> extents_, chunk_;
};

// What can be said against a block of a dataset with these extents, from or to `data`.
Status check_block(const Box& block, const std::vector<int64_t>& extents, const void* data);

// Each rank its block. Collective; the outcome is the same on all ranks.
Status move_blocks(Group& group, File& file, const Request& request, const Box& block, void* data);

// Where this rank's part lies, by the pattern. Collective; the outcome is the same on all ranks.
Result<Box> place(const File& file, iopattern_t pattern, const std::vector<int64_t>& extents,
                  const std::vector<int64_t>& local);

// "64 x 64 x 64".
std::string words_of(const std::vector<int64_t>& extents);

}  // namespace concilio::scorpio
