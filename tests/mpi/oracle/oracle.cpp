// The byte-map oracle makes random cases of plain MPI-IO calls. The file and the buffers must equal what one
// naive process would make of them. It runs on the MPI's own MPI-IO as well as on a library preloaded into
// it.
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "calls.h"
#include "common/mpi_type.h"
#include "common/patient_barrier.h"
#include "common/random.h"
#include "common/type_generator.h"
#include "file_model.h"
#include "gpu/memory.h"
#include "oracle_case.h"
#include "random_realms.h"
#include "turned.h"
#include "user_buffer.h"

namespace {

using namespace oracle;

struct Options {
  uint64_t seed = 1;
  int64_t first = 0;
  int64_t cases = 100;
  int64_t only = -1;
  double minutes = 0;  // continue with more cases for this time
  bool own = false;
  bool describe = false;
  bool types = false;
  bool threads = false;
  bool realms = false;
  bool device = false, cufile = false;
  CaseOptions kinds;
  std::string program, folder;
};

// A buffer that may be in the memory of a GPU.
class Buffer : public UserBuffer {
 public:
  using UserBuffer::UserBuffer;
  // From now on MPI gets a buffer in the memory of a GPU, until it is copied back. It begins `shift` bytes
  // behind the beginning of a page.
  void move_to_device(int64_t shift) {
    shift_ = shift;
    std::vector<uint8_t> all(static_cast<size_t>(shift), 0);
    all.insert(all.end(), bytes().begin(), bytes().end());
    device_.emplace(all);
  }
  void fetch() {
    if (!device_) return;
    const std::vector<uint8_t> all = device_->get();
    bytes().assign(all.begin() + shift_, all.end());
  }
  uint8_t* origin() { return device_ ? device_->data() + shift_ - low() : UserBuffer::origin(); }

 private:
  std::optional<GpuMemory> device_;
  int64_t shift_ = 0;
};

// Where in a page a buffer must begin so that its first byte of data lies there as in a page of the file.
int64_t shift_as_in_file(const Access& access, const Buffer& buffer) {
  constexpr int64_t page = 4096;
  if (access.file.empty() || access.buffer.empty()) return 0;
  const int64_t shift = access.file[0].offset - (access.buffer[0].offset - buffer.low());
  return (shift % page + page) % page;
}

class Runner {
 public:
  explicit Runner(const Options& options) : options_(options) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
  }

  void run(int64_t index) {
    index_ = index;
    op_ = 0;
    stage_ = "start";
    case_ = make_case(mix(options_.seed, static_cast<uint64_t>(index)), ranks_, options_.kinds);
    if (options_.own && own_fails()) {
      ++left_out_;
      return;
    }
    if (options_.describe) {
      if (rank_ == 0) std::printf("case %lld\n%s", static_cast<long long>(index), describe(case_).c_str());
      return;
    }
    if (options_.types) return compare_types();
    verifier_ = static_cast<int>(index % ranks_);
    path_ = options_.folder + "/oracle." + std::to_string(options_.seed) + "." + std::to_string(index);
    if (rank_ == 0) note_progress();
    make_file();
    opens_.clear();
    for (const Opening& opening : case_.openings) {
      opens_.push_back({&opening, make_comm(MPI_COMM_WORLD, opening.openers)});
      open(opens_.back());
    }
    for (op_ = 0; op_ < case_.ops.size(); ++op_) {
      if (options_.realms) give_realms();
      run_op(case_.ops[op_]);
    }
    for (Opened& opened : opens_) close(opened);
    for (Opened& opened : opens_) free_comm(MPI_COMM_WORLD, &opened.comm);
    stage_ = "after close";
    patient_barrier(MPI_COMM_WORLD);
    if (rank_ == verifier_) {
      verify_file();
      unlink(path_.c_str());
    }
  }

  // All ranks get the same answer, because rank 0's clock decides.
  bool over(std::chrono::steady_clock::time_point end) const {
    int over = std::chrono::steady_clock::now() >= end;
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over != 0;
  }

  int rank() const { return rank_; }
  int64_t left_out() const { return left_out_; }

 private:
  // A nonblocking write, and the objects that must live until it is complete.
  struct UnderWay {
    MPI_Request request;
    Buffer buffer;
    std::vector<uint8_t> before;
    int64_t bytes;
  };

  // What this rank keeps of one open.
  struct Opened {
    const Opening* opening;
    MPI_Comm comm;
    MPI_File file = MPI_FILE_NULL;
    View view{};
    int64_t position = 0;
    std::optional<UnderWay> under_way{};
  };

  std::string reproduce() const {
    const char* prefix = std::getenv("CONCILIO_TEST_PREFIX");
    return std::string(prefix ? prefix : "mpirun -n " + std::to_string(ranks_)) + " " + options_.program +
           " --seed " + std::to_string(options_.seed) + " --only-case " + std::to_string(index_) +
           (options_.own ? " --mpi-own" : "") + (options_.types ? " --types" : "") +
           (options_.threads ? " --threads" : "") + (options_.realms ? " --user-realms" : "") +
           (options_.kinds.collective_only ? " --collective" : "") +
           (options_.kinds.by_turns ? " --by-turns" : "") +
           (options_.kinds.most_opens > 1 ? " --opens " + std::to_string(options_.kinds.most_opens) : "") +
           (options_.kinds.form == Form::memory ? ""
                                                : std::string(" --datarep ") + name_of(options_.kinds.form));
  }

  // Types that the MPIs' own MPI-IO handles wrongly in any call: views with a lower bound, memory types that
  // descend or begin below their origin, and in ROMIO pair types. Without them the results are right often
  // enough to be compared.
  bool own_fails() const {
    for (const Op& op : case_.ops) {
      for (const View& view : op.views) {
        if (has_pair(view.filetype) || view.flat.lower != 0) return true;
      }
      for (const Access& access : op.accesses) {
        const Flat flat = flatten(access.memory);
        if (has_pair(access.memory) || flat.lower != 0 || flat.first_byte() != 0) return true;
        if (!ascending(access.buffer)) return true;
      }
    }
    return false;
  }
  static bool has_pair(const TypeSpec& type) {
    if (type.kind == Kind::basic) return basic_types()[type.basic].parts[1].length > 0;
    return std::any_of(type.children.begin(), type.children.end(), has_pair);
  }

  // The launcher's script reads this if the program hangs.
  void note_progress() const {
    if (std::FILE* file = std::fopen((options_.folder + "/progress").c_str(), "w")) {
      std::fprintf(file, "%s\n", reproduce().c_str());
      std::fclose(file);
    }
  }

  [[noreturn]] void fail(const std::string& what) {
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(version, &length);
    std::string text = "ORACLE FAILED: " + what + "\n  " + std::string(version).substr(0, 60) + ", rank " +
                       std::to_string(rank_) + " of " + std::to_string(ranks_) + ", seed " +
                       std::to_string(options_.seed) + ", case " + std::to_string(index_) + ", op " +
                       std::to_string(op_) + ", in " + stage_ + ", file " + path_ + "\n";
    if (op_ < case_.ops.size()) text += "  this rank: " + describe(case_, op_, rank_) + "\n";
    text += describe(case_) + "again: " + reproduce() + "\n";
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::_Exit(1);
  }

  void check(int code) {
    if (code == MPI_SUCCESS) return;
    char message[MPI_MAX_ERROR_STRING];
    int length, error_class;
    MPI_Error_string(code, message, &length);
    MPI_Error_class(code, &error_class);
    fail("error class " + std::to_string(error_class) + ": " + message);
  }

  void expect_equal(const char* what, int64_t expected, int64_t found) {
    if (expected != found) {
      fail(std::string(what) + ": expected " + std::to_string(expected) + ", found " + std::to_string(found));
    }
  }

  // The contents of the file before the case.
  void make_file() {
    const uint64_t stream = mix(case_.seed, 1);
    model_.reset(case_.initial_bytes, stream);
    if (rank_ == verifier_) {
      std::vector<uint8_t> bytes(static_cast<size_t>(case_.initial_bytes));
      for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = model_[static_cast<int64_t>(i)];
      unlink(path_.c_str());
      const bool wanted = !bytes.empty() || !(case_.amode & MPI_MODE_CREATE);
      const int file = wanted ? ::open(path_.c_str(), O_CREAT | O_WRONLY, 0644) : -1;
      if (wanted && (file < 0 || pwrite(file, bytes.data(), bytes.size(), 0) != std::ssize(bytes))) {
        fail("cannot make the file to begin with");
      }
      if (file >= 0) ::close(file);
    }
    patient_barrier(MPI_COMM_WORLD);
  }

  void open(Opened& opened) {
    stage_ = "MPI_File_open";
    check(open_file(opened.comm, path_, case_.amode, *opened.opening, &opened.file));
    View whole;
    whole.etype = whole.filetype = basic("BYTE");
    whole.flat = flatten(whole.filetype);
    opened.view = whole;
    opened.position = 0;
  }

  void close(Opened& opened) {
    finish(opened);
    stage_ = "MPI_File_close";
    check(MPI_File_close(&opened.file));
  }

  // Waits for the nonblocking calls.
  void finish(Opened& opened) {
    if (!opened.under_way) return;
    stage_ = "MPI_Wait of an earlier write";
    MPI_Status status;
    check(MPI_Wait(&opened.under_way->request, &status));
    check_status(status, opened.under_way->bytes);
    opened.under_way->buffer.fetch();
    if (opened.under_way->buffer.bytes() != opened.under_way->before)
      fail("a write changed the caller's buffer");
    opened.under_way.reset();
  }

  void run_op(const Op& op) {
    at_ = &opens_[static_cast<size_t>(op.open)];
    finish(*at_);
    switch (op.kind) {
      case OpKind::set_view:
        for (size_t i = 0; i < opens_.size(); ++i) {
          finish(opens_[i]);
          set_view(opens_[i], op.views[i * static_cast<size_t>(ranks_) + static_cast<size_t>(rank_)]);
        }
        break;
      case OpKind::set_size:
        stage_ = "MPI_File_set_size";
        check(MPI_File_set_size(at_->file, op.size));
        model_.resize(op.size);
        break;
      case OpKind::preallocate:
        stage_ = "MPI_File_preallocate";
        check(MPI_File_preallocate(at_->file, op.size));
        model_.grow(op.size);
        break;
      case OpKind::reopen: {
        const View view = at_->view;
        close(*at_);
        open(*at_);
        set_view(*at_, view);
        break;
      }
      default:
        transfer(op);
    }
    if (op.settle_after) {
      settle();
    } else if (options_.own && opens_.size() > 1) {
      patient_barrier(MPI_COMM_WORLD);
    }
  }

  // Sets realms before the first operation, and sometimes others later.
  void give_realms() {
    Random random(mix(case_.seed, op_ + 2000));
    if (op_ > 0 && !random.chance(25)) return;
    stage_ = "concilio_file_set_realms";
    const std::string wrong = give_random_realms(opens_.front().file, ranks_, random);
    if (!wrong.empty()) fail(wrong);
  }

  void set_view(Opened& opened, const View& view) {
    stage_ = "MPI_File_set_view";
    MPI_Datatype etype = build(view.etype), filetype = build(view.filetype);
    if (view.form == Form::memory) check_type(filetype, view.flat);
    check(MPI_File_set_view(opened.file, view.displacement, etype, filetype, name_of(view.form),
                            MPI_INFO_NULL));
    stage_ = "MPI_File_get_type_extent";
    MPI_Aint extent;
    check(MPI_File_get_type_extent(opened.file, filetype, &extent));
    expect_equal("extent of the filetype in the file", view.flat.extent(), extent);
    free_type(&etype);
    free_type(&filetype);
    opened.view = view;
    opened.position = 0;
  }

  // If the MPI does not understand the description as the oracle does, the generator is wrong, not the
  // MPI-IO.
  void check_type(MPI_Datatype type, const Flat& flat) {
    MPI_Aint lower, extent;
    int size;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_size(type, &size);
    expect_equal("size of the datatype", flat.size, size);
    expect_equal("lower bound of the datatype", flat.lower, lower);
    expect_equal("extent of the datatype", flat.extent(), extent);
  }

  // Compares the generator with the MPI: the bounds of each type, and the bytes that MPI_Pack finds.
  void compare_types() {
    stage_ = "comparing datatypes";
    for (op_ = 0; op_ < case_.ops.size(); ++op_) {
      const Op& op = case_.ops[op_];
      for (auto party = static_cast<size_t>(rank_); party < op.views.size();
           party += static_cast<size_t>(ranks_)) {
        const View& view = op.views[party];
        compare_type(view.filetype, 1, view.flat.pieces);
      }
      if (!op.accesses.empty()) {
        const Access& access = op.accesses[static_cast<size_t>(rank_)];
        compare_type(access.memory, access.count, access.buffer);
      }
    }
  }

  void compare_type(const TypeSpec& spec, int count, const std::vector<Piece>& pieces) {
    MPI_Datatype type = build(spec);
    check_type(type, flatten(spec));
    Access access;
    access.buffer = pieces;
#ifdef OPEN_MPI
    // Open MPI 4.1 packs some descending types wrongly. MPI-IO uses only their bounds from it.
    if (!ascending(pieces)) return free_type(&type);
#endif
    Buffer buffer(access, case_.seed);
    std::vector<uint8_t> expected;
    for (const Piece& piece : pieces) {
      for (int64_t i = 0; i < piece.length; ++i) expected.push_back(buffer.at(piece.offset + i));
    }
    std::vector<uint8_t> found(expected.size() + 64);
    int end = 0;
    if (!pieces.empty()) {
      check(MPI_Pack(buffer.origin(), count, type, found.data(), static_cast<int>(found.size()), &end,
                     MPI_COMM_SELF));
    }
    expect_equal("bytes that MPI_Pack finds", std::ssize(expected), end);
    found.resize(expected.size());
    if (expected != found) fail("MPI_Pack finds other bytes through " + describe(spec));
    free_type(&type);
  }

  uint64_t stream_of(int rank) const {
    return mix(mix(case_.seed, op_ + 2), static_cast<uint64_t>(rank));
  }

  void transfer(const Op& op) {
    const Access& access = op.accesses[static_cast<size_t>(rank_)];
    if (access.takes_part && !op.explicit_offset) seek(access);
    Buffer buffer(access, stream_of(rank_));
    if (op.same_bytes) {
      for_each_cell(access,
                    [&](int64_t at, const Cell& cell) { buffer.at(cell.place) = byte_of(case_.seed, at); });
    }
    const std::vector<uint8_t> before = buffer.bytes();
    if (options_.device && stream_of(rank_) % 3 != 0)
      buffer.move_to_device(options_.cufile ? shift_as_in_file(access, buffer) : 0);
    if (op.left_under_way && access.takes_part && !options_.own) {
      leave_under_way(op, access, std::move(buffer));
      apply(op);
      return check_position(op, access);
    }
    MPI_Status status;
    // ROMIO takes no lock for a contiguous write, so another rank's read-modify-write may overwrite it. So
    // the ranks write one at a time.
    const bool in_turn = options_.own && op.kind == OpKind::write && !op.collective;
    for (int turn = 0; turn < (in_turn ? ranks_ : 1); ++turn) {
      for (int i = 0; i < access.times && access.takes_part && (!in_turn || turn == rank_); ++i) {
        call(op, access, buffer, &status);
      }
      if (in_turn) patient_barrier(MPI_COMM_WORLD);
    }
    buffer.fetch();
    if (op.kind == OpKind::write) {
      if (access.takes_part) check_status(status, access.bytes);
      if (buffer.bytes() != before) fail("a write changed the caller's buffer");
      apply(op);
    } else if (access.takes_part) {
      check_read(access, before, buffer, status);
    }
    if (access.takes_part) check_position(op, access);
  }

  // A vector that is moved keeps its memory.
  void leave_under_way(const Op& op, const Access& access, Buffer buffer) {
    UnderWay& made = at_->under_way.emplace(UnderWay{MPI_REQUEST_NULL, std::move(buffer), {}, access.bytes});
    made.before = made.buffer.bytes();
    with_type(op, access, made.buffer, [&](void* address, MPI_Datatype type) {
      return start(op, access, address, type, &made.request);
    });
  }

  void seek(const Access& access) {
    if (access.seek < 0) return;
    stage_ = "MPI_File_seek";
    const bool short_read = options_.own && access.seek == MPI_SEEK_CUR;  // see check_position
    check(short_read ? MPI_File_seek(at_->file, access.offset, MPI_SEEK_SET)
                     : MPI_File_seek(at_->file, access.seek_by, access.seek));
  }

  // Calls make(address, type) with the data that the access has in memory.
  template <typename Make>
  void with_type(const Op& op, const Access& access, Buffer& buffer, Make make) {
    TypeSpec spec = access.memory;
    void* address = buffer.origin();
    if (access.absolute) {
      MPI_Aint place;
      MPI_Get_address(buffer.origin(), &place);
      spec.kind = Kind::hindexed;
      spec.lengths = {1};
      spec.places = {place};
      spec.children = {access.memory};
      address = MPI_BOTTOM;
    }
    stage_ = "building the memory type";
    MPI_Datatype type = build(spec);
    if (!access.absolute) check_type(type, flatten(spec));
    const TurnedType turned(spec, type);
    stage_ = std::string("MPI_File_") + (op.kind == OpKind::write ? "write" : "read") +
             (op.explicit_offset ? "_at" : "") + (op.collective ? "_all" : "");
    check(make(address, type));
    free_type(&type);
  }

  void call(const Op& op, const Access& access, Buffer& buffer, MPI_Status* status) {
    with_type(op, access, buffer, [&](void* address, MPI_Datatype type) {
      // A split or nonblocking call must have the same outcome as the blocking one.
      const uint64_t way = options_.own ? 0 : mix(case_.seed, op_ + 1000) % 10;
      if (way == 9 && op.collective) {
        stage_ += "_begin";
        check(begin_call(at_->file, op, access, address, type));
        return end_call(at_->file, op, address, status);
      }
      if (way >= 6) {
        MPI_Request request;
        check(start(op, access, address, type, &request));
        return MPI_Wait(&request, status);
      }
      return blocking_call(at_->file, op, access, address, type, status);
    });
  }

  int start(const Op& op, const Access& access, void* address, MPI_Datatype type, MPI_Request* request) {
    stage_.insert(std::strlen("MPI_File_"), "i");
    return start_call(at_->file, op, access, address, type, request);
  }

  void check_status(MPI_Status& status, int64_t bytes) {
    int count = -1, elements = -1;
    MPI_Get_count(&status, MPI_BYTE, &count);
    MPI_Get_elements(&status, MPI_BYTE, &elements);
    expect_equal("MPI_Get_count in bytes", bytes, count);
    expect_equal("MPI_Get_elements in bytes", bytes, elements);
  }

  // Adds what all ranks wrote to the model.
  void apply(const Op& op) {
    int64_t end = 0;
    for (const Access& access : op.accesses) {
      for (const Piece& piece : access.file) end = std::max(end, piece.offset + piece.length);
    }
    model_.grow(end);
    for (int rank = 0; rank < ranks_; ++rank) {
      const Access& access = op.accesses[static_cast<size_t>(rank)];
      const uint64_t stream = stream_of(rank);
      const int64_t low = UserBuffer(access, stream).low();
      for_each_cell(access, [&](int64_t at, const Cell& cell) {
        model_.set(at, cell.place == no_place ? filling
                       : op.same_bytes        ? byte_of(case_.seed, at)
                                              : byte_of(stream, cell.place - low));
      });
    }
  }

  void check_read(const Access& access, const std::vector<uint8_t>& before, Buffer& buffer,
                  MPI_Status& status) {
    std::vector<uint8_t> expected = before;
    std::vector<uint8_t> ignored(before.size(), 0);
    int64_t bytes_there = 0;
    std::vector<std::pair<int64_t, int64_t>> item;  // places in the file and in the buffer
    for_each_cell(access, [&](int64_t from, const Cell& cell) {
      if (from < model_.size() && cell.place != no_place) item.emplace_back(from, cell.place);
      if (!cell.ends_item) return;
      // An item is read as a whole or not at all.
      for (const auto& [there, here] : item) {
        if (from >= model_.size()) break;
        ++bytes_there;
        const auto at = static_cast<size_t>(here - buffer.low());
        expected[at] = model_[there];
        ignored[at] = options_.own && model_.undefined(there);
      }
      item.clear();
    });
    const bool whole = bytes_there == access.bytes;
    if (whole || !options_.own) check_status(status, bytes_there);
    if (!whole && options_.own) return;
    for (size_t i = 0; i < expected.size(); ++i) {
      if (expected[i] != buffer.bytes()[i] && !ignored[i]) {
        const int64_t offset = static_cast<int64_t>(i) + buffer.low();
        fail("byte " + std::to_string(offset) + " of the buffer: expected " + std::to_string(expected[i]) +
             ", found " + std::to_string(buffer.bytes()[i]) + place_of(access, offset));
      }
    }
  }

  std::string place_of(const Access& access, int64_t offset) const {
    std::string text = " (a byte the call should leave alone)";
    for_each_cell(access, [&](int64_t from, const Cell& cell) {
      if (cell.place == offset) {
        text = " (byte " + std::to_string(from) + " of the file, which has " + std::to_string(model_.size()) +
               ")";
      }
    });
    return text;
  }

  // The pointer must move by what was asked for. ROMIO moves it by what was read, and OMPIO miscounts if a
  // call ends within a tile of the view. For these it is corrected here.
  void check_position(const Op& op, const Access& access) {
    if (!op.explicit_offset) at_->position = access.offset + access.file_bytes / at_->view.etype_bytes;
    stage_ = "MPI_File_get_position after " + stage_;
    MPI_Offset found;
    check(MPI_File_get_position(at_->file, &found));
    if (options_.own && found != at_->position) {
      check(MPI_File_seek(at_->file, at_->position, MPI_SEEK_SET));
    } else {
      expect_equal("individual file pointer", at_->position, found);
    }
    if (at_->view.flat.size == 0) return;
    stage_ = "MPI_File_get_byte_offset";
    check(MPI_File_get_byte_offset(at_->file, access.offset, &found));
    expect_equal("byte offset", pieces_of(at_->view, access.offset * at_->view.etype_bytes, 1)[0].offset,
                 found);
  }

  // After this, every rank sees through every open what every rank wrote.
  void settle() {
    for (Opened& opened : opens_) finish(opened);
    sync();
    patient_barrier(MPI_COMM_WORLD);
    for (const Opened& opened : opens_) {
      stage_ = "MPI_File_get_size";
      MPI_Offset size;
      check(MPI_File_get_size(opened.file, &size));
      expect_equal("file size", model_.size(), size);
    }
    if (rank_ == verifier_) {
      stage_ = "comparing the file";
      verify_file();
    }
    sync();
    patient_barrier(MPI_COMM_WORLD);
  }

  void sync() {
    stage_ = "MPI_File_sync";
    if (case_.amode & MPI_MODE_RDONLY) return;
    for (const Opened& opened : opens_) check(MPI_File_sync(opened.file));
  }

  void verify_file() {
    struct stat information;
    if (stat(path_.c_str(), &information) != 0) fail("the file is gone");
    expect_equal("file size", model_.size(), information.st_size);
    std::vector<uint8_t> bytes(static_cast<size_t>(model_.size()));
    const int file = ::open(path_.c_str(), O_RDONLY);
    const ssize_t got = file < 0 ? -1 : pread(file, bytes.data(), bytes.size(), 0);
    if (file >= 0) ::close(file);
    expect_equal("bytes the comparison could read", model_.size(), got);
    int64_t wrong = 0, first = -1;
    for (int64_t i = 0; i < model_.size(); ++i) {
      if (bytes[static_cast<size_t>(i)] == model_[i] || (options_.own && model_.undefined(i))) continue;
      if (first < 0) first = i;
      ++wrong;
    }
    if (wrong > 0) {
      fail("file byte " + std::to_string(first) + ": expected " + std::to_string(model_[first]) + ", found " +
           std::to_string(bytes[static_cast<size_t>(first)]) +
           (model_.undefined(first) ? " (nobody wrote it: it must be 0)" : "") + "; " +
           std::to_string(wrong) + " bytes differ");
    }
  }

  const Options& options_;
  int rank_ = 0, ranks_ = 1, verifier_ = 0;
  int64_t index_ = 0, left_out_ = 0;
  size_t op_ = 0;
  std::string stage_, path_;
  Case case_;
  FileModel model_;
  std::vector<Opened> opens_;
  Opened* at_ = nullptr;  // the one that the operation is made through
};

const char* const usage =
    "oracle [--seed S] [--cases K] [--first I] [--only-case I] [--describe] [--types] [--threads] "
    "[--collective] [--by-turns] [--device] [--cufile] [--user-realms] [--opens N] [--minutes M] "
    "[--datarep NAME] [--mpi-own] [--dir FOLDER]\n"
    "  --describe  print the cases and do nothing\n"
    "  --types     only compare the cases' datatypes with what the MPI makes of them: bounds, size, "
    "MPI_Pack\n"
    "  --threads   with MPI_THREAD_MULTIPLE, so that nonblocking calls go on by themselves\n"
    "  --collective  the same cases with every access collective\n"
    "  --by-turns  the same cases, and then their last views and accesses again and again\n"
    "  --device    two buffers of three in the memory of a GPU that is not there\n"
    "  --cufile    the same with GPUDirect Storage, and buffers that it can take; some bytes must have gone "
    "by it\n"
    "  --opens     every file is opened 2 to N times, by communicators of several kinds, and written through "
    "all of "
    "them at once\n"
    "  --minutes   go on with further cases for so long\n"
    "  --user-realms  give random realms to Concilio before the first operation, and others later\n"
    "  --datarep   of the views: native, external32, or turned, whose conversion functions are the oracle's\n"
    "  --mpi-own   do not check what the standard leaves open, or what the MPIs' own MPI-IO gets wrong\n";

bool somebody_used_cufile() {
  int mine = cufile().call("cufile_moved_bytes"), most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (most == 0) std::fputs("no byte went by cuFile\n", stderr);
  return most > 0;
}

bool parse(int argc, char** argv, Options& options) {
  const char* folder = std::getenv("CONCILIO_TEST_DIR");
  options.folder = folder ? folder : "/tmp";
  options.program = argv[0];
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : nullptr;
    if (word == "--describe") {
      options.describe = true;
    } else if (word == "--types") {
      options.types = true;
    } else if (word == "--threads") {
      options.threads = true;
    } else if (word == "--user-realms") {
      options.realms = true;
    } else if (word == "--collective") {
      options.kinds.collective_only = true;
    } else if (word == "--by-turns") {
      options.kinds.by_turns = true;
    } else if (word == "--device") {
      options.device = true;
      static const GpuLibrary compiler(NVRTC_STAND_IN);  // which kernels may need
    } else if (word == "--cufile") {
      options.device = options.cufile = true;
    } else if (word == "--mpi-own") {
      options.own = true;
    } else if (!value) {
      return false;
    } else {
      ++i;
      if (word == "--seed") {
        options.seed = std::strtoull(value, nullptr, 0);
      } else if (word == "--cases") {
        options.cases = std::atoll(value);
      } else if (word == "--first") {
        options.first = std::atoll(value);
      } else if (word == "--only-case") {
        options.only = std::atoll(value);
      } else if (word == "--minutes") {
        options.minutes = std::atof(value);
      } else if (word == "--opens") {
        options.kinds.most_opens = std::max(1, std::atoi(value));
      } else if (word == "--datarep") {
        while (name_of(options.kinds.form) != std::string(value)) {
          if (options.kinds.form == Form::turned) return false;
          options.kinds.form = static_cast<Form>(static_cast<int>(options.kinds.form) + 1);
        }
      } else if (word == "--dir") {
        options.folder = value;
      } else {
        return false;
      }
    }
  }
  if (options.only >= 0) {
    options.first = options.only;
    options.cases = 1;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  int provided;
  MPI_Init_thread(&argc, &argv, options.threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (options.threads && provided < MPI_THREAD_MULTIPLE) {
    std::fputs("MPI grants no MPI_THREAD_MULTIPLE\n", stderr);
    return 1;
  }
  if (options.kinds.form == Form::turned) register_turned();
  if (options.cufile) (void)cufile();
  {
    const auto start = std::chrono::steady_clock::now();
    Runner runner(options);
    int64_t next = options.first;
    while (next < options.first + options.cases) runner.run(next++);
    if (options.minutes > 0) {
      const auto end = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                   std::chrono::duration<double, std::ratio<60>>(options.minutes));
      while (!runner.over(end)) runner.run(next++);
    }
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    if (runner.rank() == 0) {
      std::printf("oracle: %lld cases passed in %.1f s, %lld left out\n",
                  static_cast<long long>(next - options.first - runner.left_out()), taken.count(),
                  static_cast<long long>(runner.left_out()));
    }
  }
  const bool vain = options.cufile && has_direct_files(options.folder) && !somebody_used_cufile();
  MPI_Finalize();
  return vain ? 1 : 0;
}
