#include "scorpio_case.h"

#include <algorithm>

namespace scorpio_oracle {
namespace {

using tests::Random;

// All types except strings.
const datatype_t plain_types[] = {SCORPIO_INTEGER, SCORPIO_DOUBLE, SCORPIO_FLOAT,
                                  SCORPIO_LONG,    SCORPIO_CHAR,   SCORPIO_BYTE};

datatype_t random_type(Random& random) {
  return plain_types[random.between(0, 5)];
}

GroupChoice random_group(Random& random, int ranks) {
  GroupChoice choice;
  const int64_t kind = random.between(0, 9);
  if (kind >= 1 && kind <= 5) choice.number = static_cast<int>(random.between(1, ranks));
  if (kind >= 5) choice.preferred_size = static_cast<int>(random.between(1, ranks + 1));
  choice.buffer_bytes = random.chance(50) ? random.pick<int64_t>({4096, 4096, 5000, 8192, 1 << 14})
                                          : random.pick<int64_t>({1 << 16, 1 << 18, 1 << 20, 0});
  return choice;
}

Extents random_dims(Random& random, int ranks) {
  Extents dims(static_cast<size_t>(random.between(1, 4)), 1);
  int64_t budget = random.chance(12) ? random.between(20000, 300000) : random.between(1, 4000);
  for (int64_t& dim : dims) {
    dim = random.magnitude(std::max<int64_t>(1, budget / (random.chance(50) ? 1 : 7)));
    if (dim == 0 && random.chance(90)) dim = 1;
    budget = std::max<int64_t>(1, budget / std::max<int64_t>(1, dim));
  }
  if (random.chance(60)) random.shuffle(dims);
  if (random.chance(40)) dims[0] = (dims[0] + ranks - 1) / ranks * ranks;
  return dims;
}

std::string random_name(Random& random, size_t index) {
  std::string name = random.pick<const char*>({"x", "Cell Ids", "pressure.1", "T[K]", "a-b"});
  if (random.chance(8)) name += std::string(200, 'n');
  return name + std::to_string(index);
}

Dataset random_dataset(Random& random, size_t index, int ranks, bool netcdf) {
  Dataset dataset;
  dataset.group = random.pick<const char*>({"", "/g", "/g/deep/er", "/Time 1.0 s", "/h/i"});
  dataset.name = random_name(random, index);
  dataset.type = random_type(random);
  dataset.dims = random_dims(random, ranks);
  dataset.sets_creation = random.chance(50);
  if (!dataset.sets_creation) return dataset;
  if (random.chance(60)) {
    int64_t chunks = 1;
    for (int64_t dim : dataset.dims) {
      // The number of chunks stays below some thousands.
      const int64_t least = std::max<int64_t>(1, dim * chunks / 60);
      dataset.chunk.push_back(
          random.between(std::min(least, std::max<int64_t>(1, dim)), std::max<int64_t>(1, dim)));
      chunks *= (dim + dataset.chunk.back() - 1) / dataset.chunk.back();
    }
  }
  if (random.chance(50)) dataset.deflate = static_cast<int>(random.between(1, 9));
  if (random.chance(40)) dataset.shuffle = 1;
  if (netcdf && random.chance(60)) {
    for (size_t d = 0; d < dataset.dims.size(); ++d) {
      dataset.dimension_names +=
          (d ? "," : "") + std::string("d") + std::to_string(index) + "_" + std::to_string(d);
    }
  }
  return dataset;
}

std::string random_text(Random& random) {
  std::string text;
  for (int64_t i = random.magnitude(60); i > 0; --i) text += static_cast<char>(random.between(' ', '~'));
  return text;
}

Attribute random_attribute(Random& random, const std::vector<std::string>& objects, uint64_t stream) {
  Attribute attribute;
  attribute.object = objects[static_cast<size_t>(random.between(0, std::ssize(objects) - 1))];
  attribute.name = random.pick<const char*>({"units", "n", "Time (s)"});
  attribute.type = random.chance(30) ? SCORPIO_STRING : random_type(random);
  if (random.chance(50)) {
    for (int64_t i = random.between(1, 3); i > 0; --i) {
      attribute.dims.push_back(static_cast<int>(random.between(1, 5)));
    }
  }
  int64_t count = 1;
  for (int dim : attribute.dims) count *= dim;
  if (attribute.type == SCORPIO_STRING) {
    for (int64_t i = 0; i < count; ++i) attribute.strings.push_back(random_text(random));
  } else {
    attribute.bytes = random_bytes(stream, count * bytes_of(attribute.type));
  }
  return attribute;
}

// Makes the ops of one case, and remembers what is in the file at each point.
class OpMaker {
 public:
  OpMaker(Random& random, const Case& whole, int ranks)
      : random_(random), whole_(whole), ranks_(ranks), written_(whole.datasets.size()) {}

  void new_phase() { group_open_ = false; }

  Op next(bool writable, bool has_second) {
    Op op;
    op.stream = random_.next();
    op.wide = random_.chance(50);
    op.dataset = static_cast<size_t>(random_.between(0, std::ssize(written_) - 1));
    const int64_t kind = random_.between(1, 100);
    if (kind <= 8) {
      open_group(op);
    } else if (kind <= 14) {
      op.kind = OpKind::queries;
    } else if (kind <= 22) {
      attribute(op, writable);
    } else if (kind <= 27) {
      strings(op, writable);
    } else {
      transfer(op, writable, has_second);
    }
    return op;
  }

  // Datasets that no op has written so far.
  void write_the_rest(std::vector<Op>& ops) {
    for (size_t i = 0; i < written_.size(); ++i) {
      if (written_[i]) continue;
      Op op;
      op.stream = random_.next();
      op.dataset = i;
      ops.push_back(write(op));
    }
  }

  Op read_of(size_t dataset, bool by_second) {
    Op op;
    op.kind = OpKind::read;
    op.dataset = dataset;
    op.wide = random_.chance(50);
    op.by_second = by_second;
    op.division = random_division(random_, whole_.datasets[dataset].dims, ranks_, false);
    return op;
  }

 private:
  const Op& write(Op& op) {
    op.kind = OpKind::write;
    op.division = random_division(random_, whole_.datasets[op.dataset].dims, ranks_, true);
    if (op.wrong == Wrong::nothing) written_[op.dataset] = true;
    return op;
  }

  void open_group(Op& op) {
    op.kind = OpKind::open_group;
    if (!group_open_) op.group = whole_.datasets[op.dataset].group;
    if (op.group.empty() && !group_open_) op.kind = OpKind::queries;
    if (op.kind == OpKind::open_group) group_open_ = !group_open_;
  }

  void attribute(Op& op, bool writable) {
    op.kind = writable && random_.chance(60) ? OpKind::write_attribute : OpKind::read_attributes;
    std::vector<std::string> objects = {"/"};
    for (size_t i = 0; i < written_.size(); ++i) {
      if (!written_[i]) continue;
      objects.push_back(whole_.datasets[i].path());
      if (!whole_.datasets[i].group.empty()) objects.push_back(whole_.datasets[i].group);
    }
    if (op.kind == OpKind::write_attribute) op.attribute = random_attribute(random_, objects, op.stream);
  }

  void strings(Op& op, bool writable) {
    op.kind = writable && !has_strings_ ? OpKind::write_strings : OpKind::read_strings;
    if (op.kind == OpKind::read_strings) return;
    has_strings_ = true;
    for (int64_t i = random_.between(1, 9); i > 0; --i) op.strings.push_back(random_text(random_));
  }

  void transfer(Op& op, bool writable, bool has_second) {
    if (random_.chance(8)) {
      const bool alone = ranks_ == 1;
      op.wrong = static_cast<Wrong>(alone ? random_.between(5, 6) : random_.between(1, 6));
      op.wrong_rank = static_cast<int>(random_.between(0, ranks_ - 1));
    }
    const bool there = written_[op.dataset];
    if (writable && (!there || random_.chance(50))) {
      write(op);
      return;
    }
    if (!there) {
      op.kind = OpKind::queries;
      return;
    }
    const Wrong wrong = op.wrong;
    const int wrong_rank = op.wrong_rank;
    op = read_of(op.dataset, has_second && random_.chance(50));
    op.wrong = wrong;
    op.wrong_rank = wrong_rank;
  }

  Random& random_;
  const Case& whole_;
  int ranks_;
  std::vector<bool> written_;
  bool group_open_ = false, has_strings_ = false;
};

}  // namespace

Case make_case(uint64_t seed, int ranks) {
  Random random(seed);
  Case whole;
  whole.seed = seed;
  whole.backwards = random.chance(15);
  for (int64_t i = random.between(1, 3); i > 0; --i) whole.groups.push_back(random_group(random, ranks));
  const bool netcdf = random.chance(25);
  for (int64_t i = random.between(1, 4), index = 0; index < i; ++index) {
    whole.datasets.push_back(random_dataset(random, static_cast<size_t>(index), ranks, netcdf));
  }
  const auto some_group = [&] {
    return static_cast<size_t>(random.between(0, std::ssize(whole.groups) - 1));
  };
  OpMaker maker(random, whole, ranks);

  Phase made;
  made.mode = netcdf ? SCORPIO_FILE_CREATE_NETCDF4 : SCORPIO_FILE_CREATE;
  made.group = made.second_group = some_group();
  for (int64_t i = random.between(1, 7); i > 0; --i) made.ops.push_back(maker.next(true, false));
  const bool changes = random.chance(60);
  if (!changes) maker.write_the_rest(made.ops);
  whole.phases.push_back(made);
  if (changes) {
    Phase changed;
    changed.mode = SCORPIO_FILE_READWRITE;
    changed.group = changed.second_group = some_group();
    maker.new_phase();
    for (int64_t i = random.between(1, 6); i > 0; --i) changed.ops.push_back(maker.next(true, false));
    maker.write_the_rest(changed.ops);
    whole.phases.push_back(changed);
  }
  Phase looked;
  looked.mode = SCORPIO_FILE_READONLY;
  looked.group = some_group();
  looked.second_group = some_group();
  const bool second = looked.group != looked.second_group;
  maker.new_phase();
  for (int64_t i = random.between(0, 3); i > 0; --i) looked.ops.push_back(maker.next(false, second));
  for (size_t i = 0; i < whole.datasets.size(); ++i) {
    looked.ops.push_back(maker.read_of(i, second && random.chance(50)));
  }
  for (OpKind kind : {OpKind::read_attributes, OpKind::read_strings, OpKind::queries}) {
    Op op;
    op.kind = kind;
    looked.ops.push_back(op);
  }
  whole.phases.push_back(looked);
  return whole;
}

int64_t bytes_of(datatype_t type) {
  switch (type) {
    case SCORPIO_INTEGER:
    case SCORPIO_FLOAT:
      return 4;
    case SCORPIO_DOUBLE:
    case SCORPIO_LONG:
      return 8;
    default:
      return 1;
  }
}

const char* name_of(Wrong wrong) {
  const char* const names[] = {"nothing", "ndims", "global dims", "type", "name", "outside", "negative"};
  return names[static_cast<size_t>(wrong)];
}

const char* name_of(OpKind kind) {
  const char* const names[] = {"write",           "read",          "open group",   "write attribute",
                               "read attributes", "write strings", "read strings", "queries"};
  return names[static_cast<size_t>(kind)];
}

std::string describe(const GroupChoice& choice) {
  return "numIOgroups " + std::to_string(choice.number) + ", preferredGroupSize " +
         std::to_string(choice.preferred_size) + ", buffer " + std::to_string(choice.buffer_bytes);
}

std::string describe(const Dataset& dataset) {
  const char* const types[] = {"integer", "double", "float", "long", "char", "byte", "string"};
  std::string text = dataset.path().substr(0, 60) + " " + text_of(dataset.dims) + " " + types[dataset.type];
  if (dataset.sets_creation) {
    text += ", chunk " + text_of(dataset.chunk) + ", deflate " + std::to_string(dataset.deflate) +
            ", shuffle " + std::to_string(dataset.shuffle) + ", names " + dataset.dimension_names;
  }
  return text;
}

std::string describe(const Case& whole, const Op& op, int rank) {
  std::string text = name_of(op.kind);
  if (op.kind == OpKind::open_group) return text + " \"" + op.group + "\"";
  if (op.kind == OpKind::write_attribute) return text + " " + op.attribute.object + ":" + op.attribute.name;
  if (op.kind != OpKind::read && op.kind != OpKind::write) return text;
  text += " dataset " + std::to_string(op.dataset) + " (" + describe(whole.datasets[op.dataset]) + "), " +
          name_of(op.division.call) + (op.wide ? ", 64" : "") + (op.by_second ? ", second group" : "");
  if (op.wrong != Wrong::nothing) {
    text += std::string(", rank ") + std::to_string(op.wrong_rank) + " wrong in " + name_of(op.wrong);
  }
  return text + ", rank " + std::to_string(rank) + ": " + describe(op.division, rank);
}

}  // namespace scorpio_oracle
