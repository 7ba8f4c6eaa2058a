// What is behind an iogroup_t: its settings, layouts and open files.
#pragma once

#include <scorpio.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/hdf5_support.h"
#include "scorpio/ranks/layout.h"

namespace concilio::scorpio {

// scorpio_creation_t, copied.
struct Creation {
  std::vector<int64_t> chunk;
  int deflate = 0;
  bool shuffle = false;
  std::vector<std::string> dimension_names;
};

// A group of the file that scorpio_create_dataset_group opened.
struct OpenGroup {
  std::string path;  // absolute
  int64_t id;        // as told to the program: of the root's identifier
  hid_t handle;      // -1 on ranks that are no roots
};

struct File {
  std::string name;
  LayoutRef layout;
  hid_t id = -1;  // on roots
  bool writable = false;
  bool made = false;  // by this opening
  bool netcdf = false;
  Creation creation;
  std::vector<OpenGroup> groups;  // in the order of opening
  bool in_group = false;          // names begin at the last of these, where they may
  bool relative_names = false;    // of scorpio_set_relative_names
  std::string xmf;                // the .xmf as it was written last, on global rank 0
  iofile_t shown{};               // for the program

  bool is_root() const { return layout->is_root(); }
  // Absolute, without repeated or trailing slashes. A relative name begins at the file's root, or, in calls
  // that look at that, at the group opened last.
  std::string path_of(const std::string& name, bool in_open_group = false) const;
};

struct Group {
  MPI_Comm comm = MPI_COMM_NULL;  // the layouts' duplicate of the caller's
  int number = 0;                 // among those of the communicator
  int group_size = 0;             // 0: chosen for each file
  LayoutRef layout;               // of the file opened last, or for writing
  int64_t buffer_bytes = 0;
  int64_t expected_bytes = 0;
  bool share_memory = true;
  bool relative_names = false;  // of files to open
  int64_t peak_bytes = 0;
  std::vector<std::unique_ptr<File>> files;  // by handle, none of which is used again; null if closed
  std::vector<iofile_t*> shown;

  // The open file of a handle, or an error that says there is none.
  Result<File*> file(int handle);
};

// All of these are collective, unless they say other things; their errors are the same on all ranks.
// Sets conf.preferredGroupSize to what numIOgroups makes of it, if that is given.
Result<std::unique_ptr<Group>> make_group(iogroup_conf_t& conf);
// The bounds and means that the environment gives: what group.buffer_bytes and share_memory are at first.
Status take_settings(Group& group);
Status end_group(Group& group);  // with the files that are still open
Result<int> open_file(Group& group, const std::string& name, file_mode_t mode);  // the handle
Status close_file(Group& group, int handle);  // on roots, collective over them
void forget_file(Group& group, int handle);   // local
// What of it the program sees.
void show(const Group& group, iogroup_t& shown);

// Runs `work` on the roots; all ranks get the same outcome. Collective.
template <typename Work>
Status at_roots(const File& file, Work work);
// The same, called by roots alone.
template <typename Work>
Status among_roots(const File& file, Work work);

}  // namespace concilio::scorpio

#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {

template <typename Work>
Status at_roots(const File& file, Work work) {
  Status mine;
  if (file.is_root()) mine = caught(work);
  return agree(file.layout->global, mine);
}

template <typename Work>
Status among_roots(const File& file, Work work) {
  return agree(file.layout->io, caught(work));
}

}  // namespace concilio::scorpio
