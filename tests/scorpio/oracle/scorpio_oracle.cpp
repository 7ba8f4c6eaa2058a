// The SCORPIO oracle runs random cases and compares them with a model in memory. Plain HDF5 must find in the
// file what was written, byte for byte, and SCORPIO must read it back through any other division among ranks
// and groups.
#include <mpi.h>
#include <scorpio.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "call_arguments.h"
#include "common/patient_barrier.h"
#include "plain_hdf5.h"
#include "scorpio_case.h"

namespace {

using namespace scorpio_oracle;

struct Options {
  uint64_t seed = 1;
  int64_t first = 0, cases = 100;
  bool describe = false;
  std::string program, folder;
};

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -world_rank_, &backwards_);
  }
  ~Runner() { MPI_Comm_free(&backwards_); }

  void run(int64_t index) {
    index_ = index;
    case_ = make_case(tests::mix(options_.seed, static_cast<uint64_t>(index)), ranks_);
    if (options_.describe) {
      if (world_rank_ == 0)
        std::printf("case %lld\n%s", static_cast<long long>(index), description().c_str());
      return;
    }
    comm_ = case_.backwards ? backwards_ : MPI_COMM_WORLD;
    MPI_Comm_rank(comm_, &rank_);
    path_ =
        options_.folder + "/scorpio." + std::to_string(options_.seed) + "." + std::to_string(index) + ".h5";
    if (rank_ == 0) note_progress();
    attributes_.clear();
    strings_.clear();
    models_.clear();
    defined_.clear();
    for (const Dataset& dataset : case_.datasets) {
      models_.emplace_back(dataset.dims, bytes_of(dataset.type));
      defined_.push_back(models_.back());
      // HDF5 clears new chunks, but the space of a contiguous dataset may hold older data.
      if (dataset.is_chunked()) defined_.back().bytes.assign(defined_.back().bytes.size(), 1);
    }
    written_.assign(case_.datasets.size(), false);
    has_scales_ = written_;
    make_groups();
    for (phase_ = 0; phase_ < case_.phases.size(); ++phase_) run_phase(case_.phases[phase_]);
    stage_ = "scorpio_IOgroup_cleanup";
    for (iogroup_t& group : groups_) check(scorpio_IOgroup_cleanup(&group));
    compare_file();
  }

  int world_rank() const { return world_rank_; }

 private:
  // --- Failures ---

  std::string reproduce() const {
    const char* prefix = std::getenv("CONCILIO_TEST_PREFIX");
    return std::string(prefix ? prefix : "mpirun -n " + std::to_string(ranks_)) + " " + options_.program +
           " --seed " + std::to_string(options_.seed) + " --case " + std::to_string(index_);
  }

  // The harness reads this if the program hangs.
  void note_progress() const {
    if (std::FILE* file = std::fopen((options_.folder + "/progress").c_str(), "w")) {
      std::fprintf(file, "%s\n", reproduce().c_str());
      std::fclose(file);
    }
  }

  std::string description() const {
    std::string text = case_.backwards ? "  ranks backwards\n" : "";
    for (const GroupChoice& choice : case_.groups) text += "  group: " + describe(choice) + "\n";
    for (const Dataset& dataset : case_.datasets) text += "  dataset: " + describe(dataset) + "\n";
    for (const Phase& phase : case_.phases) {
      text += "  mode " + std::to_string(phase.mode) + ", group " + std::to_string(phase.group) + " and " +
              std::to_string(phase.second_group) + "\n";
      for (const Op& op : phase.ops) {
        text += "    " + describe(case_, op, 0) + "\n";
        const bool moves = op.kind == OpKind::read || op.kind == OpKind::write;
        for (int rank = 1; moves && rank < ranks_; ++rank) {
          text += "      rank " + std::to_string(rank) + ": " + describe(op.division, rank) + "\n";
        }
      }
    }
    return text;
  }

  [[noreturn]] void fail(const std::string& what) {
    std::string text = "ORACLE FAILED: " + what + "\n  rank " + std::to_string(rank_) + " of " +
                       std::to_string(ranks_) + ", seed " + std::to_string(options_.seed) + ", case " +
                       std::to_string(index_) + ", phase " + std::to_string(phase_) + ", op " +
                       std::to_string(op_) + ", in " + stage_ + "\n";
    if (phase_ < case_.phases.size() && op_ < case_.phases[phase_].ops.size()) {
      text += "  this rank: " + describe(case_, case_.phases[phase_].ops[op_], rank_) + "\n";
    }
    text += description() + "again: " + reproduce() + "\n";
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }

  void check(int code) {
    if (code < 0) fail("returned " + std::to_string(code) + ": " + scorpio_last_error());
  }

  void expect(bool so, const std::string& what) {
    if (!so) fail(what);
  }

  // --- Groups ---

  void make_groups() {
    stage_ = "scorpio_IOgroup_init";
    groups_.assign(case_.groups.size(), iogroup_t{});
    for (size_t i = 0; i < groups_.size(); ++i) {
      const GroupChoice& choice = case_.groups[i];
      iogroup_conf_t conf = {choice.number, choice.preferred_size, comm_};
      check(scorpio_IOgroup_init(&conf, &groups_[i]));
      check(scorpio_set_relative_names(1, &groups_[i]));
      if (choice.buffer_bytes > 0) check(scorpio_set_buffer_bytes(choice.buffer_bytes, &groups_[i]));
      check_group(choice, groups_[i]);
    }
  }

  void check_group(const GroupChoice& choice, const iogroup_t& group) {
    expect(group.globalsize == ranks_ && group.globalrank == rank_, "globalsize or globalrank is wrong");
    expect(group.iogroupSize == group.localsize, "iogroupSize is not localsize");
    expect(group.localrank >= 0 && group.localrank < group.localsize, "localrank is not below localsize");
    expect((group.iocomm == MPI_COMM_NULL) == (group.localrank != 0), "iocomm is not of roots alone");
    int size;
    MPI_Comm_size(group.localcomm, &size);
    expect(size == group.localsize, "localsize is not localcomm's");
    int size_wanted = std::min(choice.preferred_size, ranks_);
    if (choice.number > 0) size_wanted = choice.number <= ranks_ ? ranks_ / choice.number : ranks_;
    if (size_wanted > 0) {
      expect(group.numIOgroups == (ranks_ + size_wanted - 1) / size_wanted,
             "not as many groups as that size makes");
      expect(group.preferredGroupSize == size_wanted, "preferredGroupSize is not the size of groups");
      expect((group.localrank == 0) == (group.globalrank % size_wanted == 0),
             "other roots than callers expect");
    }
    // Groups of consecutive ranks.
    int about[2] = {group.iogroupRank, group.localrank};
    std::vector<int> all(2 * static_cast<size_t>(ranks_));
    MPI_Allgather(about, 2, MPI_INT, all.data(), 2, MPI_INT, comm_);
    int number = -1, local = 0;
    for (size_t i = 0; i < static_cast<size_t>(ranks_); ++i) {
      if (all[2 * i] != number) {
        ++number;
        local = 0;
      }
      expect(all[2 * i] == number && all[2 * i + 1] == local++, "groups are no runs of consecutive ranks");
    }
    expect(number + 1 == group.numIOgroups, "there are fewer groups than numIOgroups");
  }

  // --- Phases ---

  void run_phase(const Phase& phase) {
    stage_ = "scorpio_open_file";
    op_ = 0;
    open_group_.clear();
    file_.group = &groups_[phase.group];
    file_.handle = scorpio_open_file(path_.c_str(), file_.group, phase.mode);
    check(file_.handle);
    second_ = file_;
    const bool has_second = phase.second_group != phase.group;
    if (has_second) {
      second_.group = &groups_[phase.second_group];
      second_.handle = scorpio_open_file(path_.c_str(), second_.group, SCORPIO_FILE_READONLY);
      check(second_.handle);
    }
    for (; op_ < phase.ops.size(); ++op_) run_op(phase.ops[op_]);
    stage_ = "scorpio_close_file";
    if (!open_group_.empty()) check(scorpio_close_dataset_group(group_id_, file_.handle, file_.group));
    check(scorpio_close_file(file_.handle, file_.group));
    if (has_second) check(scorpio_close_file(second_.handle, second_.group));
    for (const iogroup_t& group : groups_) check_peak(group);
  }

  void check_peak(const iogroup_t& group) {
    const int64_t given = case_.groups[static_cast<size_t>(&group - groups_.data())].buffer_bytes;
    const int64_t peak = scorpio_peak_buffer_bytes(&group);
    if (group.localrank != 0 && case_.groups[static_cast<size_t>(&group - groups_.data())].number > 0) {
      expect(peak == 0, "a rank that is no root has had buffers");
    }
    expect(peak <= (given > 0 ? given : 16 << 20),
           "a root has had buffers of " + std::to_string(peak) + " bytes");
  }

  void run_op(const Op& op) {
    stage_ = name_of(op.kind);
    switch (op.kind) {
      case OpKind::write:
        return write(op);
      case OpKind::read:
        return read(op);
      case OpKind::open_group:
        return open_group(op);
      case OpKind::queries:
        return query();
      case OpKind::write_attribute:
        return write_attribute(op.attribute);
      case OpKind::read_attributes:
        for (const auto& [key, attribute] : attributes_) read_attribute(attribute);
        return;
      case OpKind::write_strings:
        return write_strings(op);
      case OpKind::read_strings:
        return read_strings();
    }
  }

  // The name as the call gets it: from the root of the file, or from the open group.
  std::string name_of_dataset(const Op& op) {
    const std::string path = case_.datasets[op.dataset].path();
    if (op.stream % 3 == 0) return path;
    if (open_group_.empty() || op.by_second) return path.substr(1);
    const std::string prefix = open_group_ + "/";
    return path.compare(0, prefix.size(), prefix) == 0 ? path.substr(prefix.size()) : path;
  }

  // --- Datasets ---

  void set_creation(const Dataset& dataset) {
    scorpio_creation_t creation = {};
    creation.nchunk = static_cast<int>(dataset.chunk.size());
    creation.chunk = dataset.chunk.data();
    creation.deflate = dataset.deflate;
    creation.shuffle = dataset.shuffle;
    creation.dimension_names = dataset.dimension_names.empty() ? nullptr : dataset.dimension_names.c_str();
    check(scorpio_set_creation(dataset.sets_creation ? &creation : nullptr, file_.handle, file_.group));
  }

  Bytes data_of(const Op& op, int rank) const {
    const Array& model = models_[op.dataset];
    const auto index = static_cast<size_t>(rank);
    const int64_t count = op.division.call == Call::map
                              ? std::ssize(op.division.maps[index]) * model.row_bytes()
                              : op.division.blocks[index].elements() * model.element_bytes;
    return random_bytes(tests::mix(op.stream, static_cast<uint64_t>(rank)), count);
  }

  void write(const Op& op) {
    const Dataset& dataset = case_.datasets[op.dataset];
    if (!written_[op.dataset]) set_creation(dataset);
    const CallArguments arguments = arguments_for(dataset, op);
    const Bytes data = data_of(op, rank_);
    const Bytes before = data;
    const int code =
        call_write(arguments, op, arguments.nothing_local && op.stream % 2 ? nullptr : data.data(), file_);
    expect(data == before, "a write changed the caller's data");
    if (op.wrong != Wrong::nothing) {
      check_failure(code, op);
      if (!written_[op.dataset]) {
        const int there = scorpio_dataset_exists(dataset.path().c_str(), file_.handle, file_.group);
        expect(there == 0, "a write that failed made the dataset");
      }
      return;
    }
    check(code);
    for (int rank = 0; rank < ranks_; ++rank) {
      const Bytes values = data_of(op, rank);
      put(models_[op.dataset], op.division, rank, values);
      put(defined_[op.dataset], op.division, rank, Bytes(values.size(), 1));
    }
    if (!written_[op.dataset])
      has_scales_[op.dataset] = case_.phases[phase_].mode == SCORPIO_FILE_CREATE_NETCDF4;
    written_[op.dataset] = true;
  }

  static void put(Array& array, const Division& division, int rank, const Bytes& values) {
    const auto index = static_cast<size_t>(rank);
    if (division.call == Call::map) {
      array.set_rows(division.maps[index], values);
    } else {
      array.set_part(division.blocks[index], values);
    }
  }

  Bytes get(const Array& array, const Division& division) const {
    const auto index = static_cast<size_t>(rank_);
    return division.call == Call::map ? array.rows(division.maps[index]) : array.part(division.blocks[index]);
  }

  CallArguments arguments_for(const Dataset& dataset, const Op& op) {
    Op mine = op;
    if (op.wrong == Wrong::nothing) mine.wrong_rank = -1;
    return arguments_of(dataset, mine, name_of_dataset(op), rank_);
  }

  void check_failure(int code, const Op& op) {
    expect(code == FAILURE, std::string("returned ") + std::to_string(code) + " though a rank's " +
                                name_of(op.wrong) + " was wrong");
    const std::string message = scorpio_last_error();
    expect(message.find(path_) != std::string::npos, "the message names no file: " + message);
    expect(message.find(case_.datasets[op.dataset].name) != std::string::npos,
           "the message names no dataset: " + message);
  }

  void read(const Op& op) {
    constexpr int64_t guard = 64;
    const CallArguments arguments = arguments_for(case_.datasets[op.dataset], op);
    const Bytes expected = get(models_[op.dataset], op.division),
                defined = get(defined_[op.dataset], op.division);
    Bytes buffer = random_bytes(op.stream, std::ssize(expected) + 2 * guard);
    const Bytes before = buffer;
    uint8_t* data = arguments.nothing_local && op.stream % 2 ? nullptr : buffer.data() + guard;
    const int code = call_read(arguments, op, data, op.by_second ? second_ : file_);
    expect(std::equal(buffer.begin(), buffer.begin() + guard, before.begin()),
           "bytes before the block changed");
    expect(std::equal(buffer.end() - guard, buffer.end(), before.end() - guard),
           "bytes behind the block changed");
    if (op.wrong != Wrong::nothing) return check_failure(code, op);
    check(code);
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!defined[i] || expected[i] == data[i]) continue;
      fail("read: byte " + std::to_string(i) + " of " + std::to_string(expected.size()) + " (element " +
           std::to_string(static_cast<int64_t>(i) / models_[op.dataset].element_bytes) + "): expected " +
           std::to_string(expected[i]) + ", found " + std::to_string(data[i]));
    }
  }

  // --- Everything else ---

  void open_group(const Op& op) {
    if (op.group.empty()) {
      check(scorpio_close_dataset_group(group_id_, file_.handle, file_.group));
    } else {
      group_id_ = scorpio_create_dataset_group(op.group.c_str(), file_.handle, file_.group);
      if (group_id_ < 0) fail(std::string("create_dataset_group: ") + scorpio_last_error());
    }
    open_group_ = op.group;
  }

  void query() {
    for (size_t i = 0; i < case_.datasets.size(); ++i) {
      const Dataset& dataset = case_.datasets[i];
      const std::string path = dataset.path();
      const int there = scorpio_dataset_exists(path.c_str(), file_.handle, file_.group);
      expect(there == (written_[i] ? 1 : 0), path + ": dataset_exists says " + std::to_string(there));
      expect(scorpio_group_exists(path.c_str(), file_.handle, file_.group) == 0,
             path + ": is taken for a group");
      if (!written_[i]) continue;
      const char* group = dataset.group.empty() ? "/" : dataset.group.c_str();
      expect(scorpio_group_exists(group, file_.handle, file_.group) == 1,
             dataset.group + ": group_exists denies it");
      int ndims = -1, size = -1, dims[4] = {};
      int64_t size_64 = -1, dims_64[4] = {};
      check(scorpio_get_dataset_ndims(&ndims, file_.handle, path.c_str(), file_.group));
      expect(ndims == std::ssize(dataset.dims), path + ": ndims is " + std::to_string(ndims));
      check(scorpio_get_dataset_dims(dims, file_.handle, path.c_str(), file_.group));
      check(scorpio_get_dataset_dims_64(dims_64, file_.handle, path.c_str(), file_.group));
      check(scorpio_get_dataset_size(&size, file_.handle, path.c_str(), file_.group));
      check(scorpio_get_dataset_size_64(&size_64, file_.handle, path.c_str(), file_.group));
      expect(std::equal(dataset.dims.begin(), dataset.dims.end(), dims), path + ": dims are wrong");
      expect(std::equal(dataset.dims.begin(), dataset.dims.end(), dims_64), path + ": dims_64 are wrong");
      expect(size == elements_of(dataset.dims) && size_64 == size, path + ": the size is wrong");
    }
    expect(scorpio_dataset_exists("/no/such/thing", file_.handle, file_.group) == 0,
           "a missing dataset exists");
    expect(scorpio_group_exists("no such group", file_.handle, file_.group) == 0, "a missing group exists");
  }

  void write_attribute(const Attribute& attribute) {
    std::vector<const char*> pointers;
    for (const std::string& text : attribute.strings) pointers.push_back(text.c_str());
    const void* data = attribute.bytes.data();
    const int ndims = static_cast<int>(attribute.dims.size());
    const char *name = attribute.name.c_str(), *object = attribute.object.c_str();
    if (attribute.type == SCORPIO_STRING)
      data = ndims == 0 ? static_cast<const void*>(pointers[0]) : pointers.data();
    check(ndims == 0
              ? scorpio_write_simple_attr(name, data, attribute.type, file_.handle, object, file_.group)
              : scorpio_write_attr(name, data, attribute.type, ndims, attribute.dims.data(), file_.handle,
                                   object, file_.group));
    attributes_[attribute.object + ":" + attribute.name] = attribute;
    read_attribute(attribute);
  }

  void read_attribute(const Attribute& attribute) {
    const char *name = attribute.name.c_str(), *object = attribute.object.c_str();
    void* data = nullptr;
    if (attribute.dims.empty()) {
      check(scorpio_read_simple_attr(name, &data, attribute.type, file_.handle, object, file_.group));
    } else {
      int ndims = -1, *dims = nullptr;
      check(scorpio_read_attr(name, &data, attribute.type, &ndims, &dims, file_.handle, object, file_.group));
      expect(ndims == std::ssize(attribute.dims) && std::equal(dims, dims + ndims, attribute.dims.begin()),
             attribute.object + ":" + attribute.name + ": its dims are wrong");
      std::free(dims);
    }
    bool same = true;
    if (attribute.type != SCORPIO_STRING) {
      same = std::memcmp(data, attribute.bytes.data(), attribute.bytes.size()) == 0;
    } else if (attribute.dims.empty()) {
      same = attribute.strings[0] == static_cast<const char*>(data);
    } else {
      for (size_t i = 0; i < attribute.strings.size(); ++i) {
        same = same && attribute.strings[i] == static_cast<char**>(data)[i];
      }
    }
    expect(same, attribute.object + ":" + attribute.name + ": its value is wrong");
    std::free(data);
  }

  void write_strings(const Op& op) {
    std::vector<char*> pointers;
    for (const std::string& text : op.strings) pointers.push_back(const_cast<char*>(text.c_str()));
    check(scorpio_write_str_array(pointers.data(), static_cast<int>(pointers.size()), file_.handle,
                                  "/names/of", file_.group));
    strings_ = op.strings;
  }

  void read_strings() {
    if (strings_.empty()) return;
    char** strings = nullptr;
    int n = -1;
    check(scorpio_read_str_array(&strings, &n, file_.handle, "/names/of", file_.group));
    expect(n == std::ssize(strings_), "read_str_array finds " + std::to_string(n) + " strings");
    for (size_t i = 0; i < strings_.size(); ++i) {
      expect(strings_[i] == strings[i],
             "string " + std::to_string(i) + " is \"" + strings[i] + "\", not \"" + strings_[i] + "\"");
      std::free(strings[i]);
    }
    std::free(strings);
  }

  void compare_file() {
    stage_ = "comparing with plain HDF5";
    if (rank_ == 0) {
      for (size_t i = 0; i < models_.size(); ++i) {
        const std::string wrong =
            compare_plainly(path_, case_.datasets[i], {models_[i], defined_[i].bytes, has_scales_[i]});
        if (!wrong.empty()) fail(case_.datasets[i].path() + " " + wrong);
      }
      unlink(path_.c_str());
    }
    patient_barrier(comm_);
  }

  const Options& options_;
  int world_rank_ = 0, rank_ = 0, ranks_ = 1;
  MPI_Comm backwards_ = MPI_COMM_NULL, comm_ = MPI_COMM_NULL;
  int64_t index_ = 0;
  size_t phase_ = 0, op_ = 0;
  std::string stage_, path_;
  Case case_;
  std::vector<iogroup_t> groups_;
  // The bytes that the datasets must contain, and which of them are defined: 0 for a byte that may have any
  // value.
  std::vector<Array> models_, defined_;
  std::vector<bool> written_, has_scales_;
  std::map<std::string, Attribute> attributes_;
  std::vector<std::string> strings_;
  OpenFile file_, second_;
  std::string open_group_;
  int64_t group_id_ = -1;
};

bool parse(int argc, char** argv, Options& options) {
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  options.folder = folder ? folder : "/tmp";
  options.program = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--describe") {
      options.describe = true;
      continue;
    }
    if (++i == argc) return false;
    if (word == "--seed") {
      options.seed = std::strtoull(argv[i], nullptr, 0);
    } else if (word == "--cases") {
      options.cases = std::atoll(argv[i]);
    } else if (word == "--case") {
      options.first = std::atoll(argv[i]);
      options.cases = 1;
    } else if (word == "--dir") {
      options.folder = argv[i];
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs("scorpio_oracle [--seed S] [--cases K] [--case I] [--describe] [--dir FOLDER]\n", stderr);
    return 2;
  }
  MPI_Init(&argc, &argv);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  {
    const auto start = std::chrono::steady_clock::now();
    Runner runner(options);
    for (int64_t i = options.first; i < options.first + options.cases; ++i) runner.run(i);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (runner.world_rank() == 0) {
      std::printf("scorpio_oracle: %lld cases passed in %.1f s\n", static_cast<long long>(options.cases),
                  taken.count());
    }
  }
  MPI_Finalize();
  return 0;
}
