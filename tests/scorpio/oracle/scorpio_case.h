// A random case of the oracle: groups, a file, datasets, and operations on them. It follows from a seed
// alone, so every rank makes the same case.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "division.h"

namespace scorpio_oracle {

struct GroupChoice {
  int number = 0, preferred_size = 0;
  int64_t buffer_bytes = 0;
};

struct Dataset {
  std::string group, name;  // "/a/b" and "c" of "/a/b/c"; the root group is ""
  datatype_t type = SCORPIO_INTEGER;
  Extents dims;
  Extents chunk;  // empty if not given
  int deflate = 0, shuffle = 0;
  bool sets_creation = false;
  std::string dimension_names;

  std::string path() const { return group + "/" + name; }
  bool is_chunked() const { return !chunk.empty() || deflate > 0; }
};

struct Attribute {
  std::string object, name;
  datatype_t type = SCORPIO_INTEGER;
  std::vector<int> dims;  // none: the call for the whole dataset
  Bytes bytes;
  std::vector<std::string> strings;
};

// What one rank does wrong, so that the call must fail on all ranks.
enum class Wrong { nothing, ndims, global_dims, type, name, outside, negative };

enum class OpKind {
  write,
  read,
  open_group,
  write_attribute,
  read_attributes,
  write_strings,
  read_strings,
  queries
};

struct Op {
  OpKind kind = OpKind::queries;
  size_t dataset = 0;
  Division division;
  bool wide = false;       // calls the _64 variant
  bool by_second = false;  // uses the phase's second group
  uint64_t stream = 0;     // number of the contents that are written
  std::string group;       // for open_group: the name; "" closes the group
  Attribute attribute;
  std::vector<std::string> strings;
  Wrong wrong = Wrong::nothing;
  int wrong_rank = 0;
};

// A phase opens the file, carries out ops, and closes it.
struct Phase {
  file_mode_t mode = SCORPIO_FILE_CREATE;
  size_t group = 0, second_group = 0;  // if it differs from the first, it also opens the file, for reading
  std::vector<Op> ops;
};

struct Case {
  uint64_t seed = 0;
  bool backwards = false;  // whether the communicator has the ranks in reverse order
  std::vector<GroupChoice> groups;
  std::vector<Dataset> datasets;
  std::vector<Phase> phases;
};

Case make_case(uint64_t seed, int ranks);

int64_t bytes_of(datatype_t type);
const char* name_of(Wrong wrong);
const char* name_of(OpKind kind);
std::string describe(const GroupChoice& choice);
std::string describe(const Dataset& dataset);
std::string describe(const Case& whole, const Op& op, int rank);

}  // namespace scorpio_oracle
