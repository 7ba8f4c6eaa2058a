#include "simulated/replay.h"

#include <concilio/file.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <exception>
#include <map>
#include <optional>
#include <utility>

#include "base/system/read_file.h"
#include "base/waiting.h"
#include "data/content.h"
#include "job/agree.h"
#include "simulated/nest_type.h"

namespace concilio::bench {

using sim::RecordedCall;
using sim::RecordedOpen;
using What = RecordedCall::What;
using Kind = RecordedCall::Kind;

namespace {

// Which rank of the record writes a byte, counted from 1.
using Owner = uint16_t;
constexpr Owner nobody = 0, several = UINT16_MAX;

// Calls visit(offset, length) for each piece of data [position, position + bytes).
template <typename Visit>
void for_each_piece(const pattern::Access& access, int64_t position, int64_t bytes, Visit visit) {
  if (bytes == 0) return;
  pattern::Cursor cursor(access, position);
  while (bytes > 0) {
    const pattern::Chunk chunk = cursor.next(bytes);
    for (int64_t i = 0; i < chunk.count; ++i) visit(chunk.offset(i), chunk.length);
    bytes -= chunk.bytes();
  }
}

}  // namespace

struct ReplayState {
  // A file of the simulated machine.
  struct File {
    std::string path;
    int handles = 0;            // ranks that have it open
    std::vector<bool> written;  // whether a write of the byte has ended, where bytes are checked
  };

  sim::Record record;
  int copies = 1;
  bool verify = true;
  std::vector<std::vector<Owner>> owners;  // by path and place in the file of the record
  std::vector<File> files;                 // by path and copy

  int64_t extent_of(int path) const { return record.paths[static_cast<size_t>(path)].extent; }
  bool is_shared(int path) const { return record.paths[static_cast<size_t>(path)].of_all_ranks; }
  // Where copy `copy`'s part of the file begins.
  int64_t shift_of(int path, int copy) const { return is_shared(path) ? copy * extent_of(path) : 0; }
  File& file_of(int path, int copy) {
    return files[static_cast<size_t>(path) * static_cast<size_t>(copies) +
                 static_cast<size_t>(is_shared(path) ? 0 : copy)];
  }
  int64_t file_extent_of(int path) const { return extent_of(path) * (is_shared(path) ? copies : 1); }
  // A size of the file of the record, as it is of that of all copies.
  int64_t scaled_size(int path, int64_t size) const {
    return size == 0 || !is_shared(path) ? size : (copies - 1) * extent_of(path) + size;
  }
  // What a byte of a file holds once it is written.
  unsigned char content_at(int64_t offset, Owner owner, int copy) const {
    return content_byte(offset, static_cast<uint64_t>(owner) +
                                    static_cast<uint64_t>(copy) * static_cast<uint64_t>(record.ranks()));
  }

  void find_owners() {
    for (const sim::RecordedPath& path : record.paths)
      owners.emplace_back(verify ? static_cast<size_t>(path.extent) : 0);
    if (!verify) return;
    for (int rank = 0; rank < record.ranks(); ++rank) {
      const auto mine = static_cast<Owner>(rank + 1);
      sim::for_each_transfer(record, rank, [&](const RecordedCall& call, const pattern::Access& access) {
        if (call.operation == concilio::Operation::read) return;
        auto& owner = owners[static_cast<size_t>(record.opens[static_cast<size_t>(call.open)].path)];
        for_each_piece(access, call.position, call.bytes, [&](int64_t offset, int64_t length) {
          for (int64_t at = offset; at < offset + length; ++at) {
            Owner& its = owner[static_cast<size_t>(at)];
            its = its == nobody || its == mine ? mine : several;
          }
        });
      });
    }
  }

  void begin_files(const std::string& path) {
    files.clear();
    for (int i = 0; i < static_cast<int>(record.paths.size()); ++i) {
      for (int copy = 0; copy < copies; ++copy) {
        File& file = files.emplace_back();
        file.path = fmt::format("{}.{}.{}", path, i, copy);
        if (verify && (copy == 0 || !is_shared(i)))
          file.written.resize(static_cast<size_t>(file_extent_of(i)));
        unlink(file.path.c_str());
      }
    }
  }
  void remove_files() const {
    for (const File& file : files) unlink(file.path.c_str());
  }

  // What any other program sees of the files. Returns what is wrong.
  std::string check_files() {
    for (int path = 0; path < static_cast<int>(record.paths.size()); ++path) {
      for (int copy = 0; copy < (is_shared(path) ? 1 : copies); ++copy) {
        if (std::string failure = check_file(path, copy); !failure.empty()) return failure;
      }
    }
    return {};
  }

 private:
  std::string check_file(int path, int copy) {
    const File& file = file_of(path, copy);
    const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
    std::vector<unsigned char> block(size_t{1} << 20);
    std::string failure;
    const auto end = static_cast<int64_t>(file.written.size());
    for (int64_t begin = 0; begin < end && failure.empty(); begin += std::ssize(block)) {
      std::ranges::fill(block, 0);
      if (descriptor >= 0 && ::pread(descriptor, block.data(), block.size(), begin) < 0)
        failure = fmt::format("cannot read {}: {}", file.path, std::strerror(errno));
      for (int64_t at = begin; at < std::min(end, begin + std::ssize(block)) && failure.empty(); ++at)
        failure = wrong_byte(path, copy, at, block[static_cast<size_t>(at - begin)]);
    }
    if (descriptor >= 0) ::close(descriptor);
    return failure;
  }

  std::string wrong_byte(int path, int copy, int64_t at, unsigned char found) {
    const int64_t extent = extent_of(path);
    const int of_copy = is_shared(path) ? static_cast<int>(at / extent) : copy;
    const Owner owner = owners[static_cast<size_t>(path)][static_cast<size_t>(at - shift_of(path, of_copy))];
    const bool written = file_of(path, copy).written[static_cast<size_t>(at)];
    if (written && owner == several) return {};
    const unsigned char expected = written ? content_at(at, owner, of_copy) : 0;
    if (found == expected) return {};
    return fmt::format("{} at offset {}: expected 0x{:02x}, found 0x{:02x}",
                       record.paths[static_cast<size_t>(path)].name, at, expected, found);
  }
};

namespace {

using File = ReplayState::File;

// The calls of one rank.
class Player {
 public:
  Player(ReplayState& state, const std::vector<MPI_Comm>& comms, const Hints& hints)
      : state_(state), comms_(comms), hints_(hints) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    rank_ = rank % state.record.ranks();
    copy_ = rank / state.record.ranks();
    for (int i = 0; concilio_counter_name(i); ++i) outcome_.counted.push_back(0);
  }

  ReplayOutcome play() {
    MPI_Barrier(MPI_COMM_WORLD);
    const int64_t start_ns = now_ns();
    for (const RecordedCall& call : state_.record.calls[static_cast<size_t>(rank_)]) {
      if (call.idle_ns > 0) sleep_ns(call.idle_ns);
      idle_ns_ += call.idle_ns;
      timed([&] { make(call); });
    }
    // What the program has left, or what was cut off. All ranks close their files in the same order.
    timed([&] {
      while (!under_way_.empty()) wait(next_to_wait_for(-1));
      while (!handles_.empty()) close(handles_.begin()->first);
    });
    outcome_.seconds = over_ranks(seconds_of(now_ns() - start_ns), MPI_DOUBLE, MPI_MAX);
    outcome_.call_seconds = over_ranks(seconds_of(calls_ns_), MPI_DOUBLE, MPI_MAX);
    outcome_.all_calls_seconds = over_ranks(seconds_of(calls_ns_), MPI_DOUBLE, MPI_SUM);
    outcome_.idle_seconds = over_ranks(seconds_of(idle_ns_), MPI_DOUBLE, MPI_MAX);
    outcome_.failure = agree(outcome_.failure);
    return std::move(outcome_);
  }

 private:
  struct Handle {
    MPI_File file = MPI_FILE_NULL;
    const RecordedOpen* open = nullptr;
    pattern::Access view = pattern::Access::contiguous(0);  // as in the record
    int64_t skip = 0;                                       // to this copy's part, where no view was set
  };
  // A transfer from its begin to its end.
  struct Transfer {
    const RecordedCall* call = nullptr;
    int handle = -1;
    pattern::Access view;
    std::vector<unsigned char> data, memory;
    bool scattered = false;  // whether the data are in `memory`, at places that the datatype says
    pattern::Access places;  // there
    int64_t first = 0;       // the lowest of these
    MPI_Datatype type = MPI_BYTE;
    int count = 0;
    std::vector<bool> must_be_there;  // which bytes others had written when this read began
    MPI_Request request = MPI_REQUEST_NULL;
    unsigned char* buffer() { return scattered ? memory.data() - first : data.data(); }
  };

  static double seconds_of(int64_t ns) { return static_cast<double>(ns) * 1e-9; }
  template <typename Call>
  void timed(Call call) {
    const int64_t start_ns = now_ns();
    call();
    calls_ns_ += now_ns() - start_ns;
  }
  void fail(const std::string& why) {
    if (outcome_.failure.empty()) outcome_.failure = why;
  }
  void expect(int code, const char* call) {
    if (code != MPI_SUCCESS) fail(message_of(code, call));
  }

  void make(const RecordedCall& call) {
    if (call.what == What::open) return open(call);
    if (call.what == What::remove) return remove(call);
    if (call.what == What::wait) return wait(call.number);
    const auto place = handles_.find(call.open);
    if (place == handles_.end() || place->second.file == MPI_FILE_NULL) return;
    Handle& handle = place->second;
    const int path = handle.open->path;
    switch (call.what) {
      case What::view:
        return view(handle, call);
      case What::transfer:
        return begin(handle, call);
      case What::set_size: {
        const int64_t size = state_.scaled_size(path, call.position);
        // Before any rank can write there again.
        forget_written(state_.file_of(path, copy_), size);
        return expect(MPI_File_set_size(handle.file, size), "MPI_File_set_size");
      }
      case What::preallocate:
        return expect(MPI_File_preallocate(handle.file, state_.scaled_size(path, call.position)),
                      "MPI_File_preallocate");
      case What::sync:
        return expect(MPI_File_sync(handle.file), "MPI_File_sync");
      case What::set_atomicity:
        return expect(MPI_File_set_atomicity(handle.file, call.position != 0), "MPI_File_set_atomicity");
      case What::close:
        return close(call.open);
      default:
        return;
    }
  }

  static void forget_written(File& file, int64_t from) {
    if (from < std::ssize(file.written)) std::fill(file.written.begin() + from, file.written.end(), false);
  }

  bool has_mode(const RecordedOpen& open, const char* mode) const {
    return std::ranges::find(open.modes, mode) != open.modes.end();
  }

  // Makes the file as the program found it: as long, and without a byte that anybody has written since.
  void prepare(const RecordedOpen& open, File& file) {
    if (file.handles > 0) return;
    if (has_mode(open, "excl") || (open.size == 0 && state_.record.is_by_all(open))) {
      unlink(file.path.c_str());
      forget_written(file, 0);
    }
    const int64_t size = open.size == 0 ? 0 : state_.shift_of(open.path, copy_) + open.size;
    const int64_t wanted = state_.record.is_by_all(open) ? state_.scaled_size(open.path, open.size) : size;
    if (has_mode(open, "create") && wanted == 0) return;
    const int descriptor = ::open(file.path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct stat status {};
    if (descriptor < 0 || fstat(descriptor, &status) != 0 ||
        (status.st_size < wanted && ftruncate(descriptor, wanted) != 0))
      fail(fmt::format("cannot make {}: {}", file.path, std::strerror(errno)));
    if (descriptor >= 0) ::close(descriptor);
  }

  void open(const RecordedCall& call) {
    const RecordedOpen& open = state_.record.opens[static_cast<size_t>(call.open)];
    const MPI_Comm comm = comms_[static_cast<size_t>(call.open)];
    File& file = state_.file_of(open.path, copy_);
    int rank_of_file = 0;
    MPI_Comm_rank(comm, &rank_of_file);
    if (rank_of_file == 0) prepare(open, file);
    MPI_Info info;
    MPI_Info_create(&info);
    for (const auto& [name, value] : open.hints) {
      // The program has given realms of its own, which are not in the record.
      if (name == "concilio_realms" && value == "user") continue;
      MPI_Info_set(info, name.c_str(), value.c_str());
    }
    for (const auto& [name, value] : hints_) MPI_Info_set(info, name.c_str(), value.c_str());
    static constexpr std::pair<const char*, int> bits[] = {
        {"create", MPI_MODE_CREATE}, {"rdonly", MPI_MODE_RDONLY},
        {"wronly", MPI_MODE_WRONLY}, {"rdwr", MPI_MODE_RDWR},
        {"excl", MPI_MODE_EXCL},     {"delete_on_close", MPI_MODE_DELETE_ON_CLOSE}};
    int mode = 0;
    for (const auto& [name, bit] : bits) mode |= has_mode(open, name) ? bit : 0;
    Handle handle;
    handle.open = &open;
    handle.skip = state_.shift_of(open.path, copy_);
    expect(MPI_File_open(comm, file.path.c_str(), mode, info, &handle.file), "MPI_File_open");
    MPI_Info_free(&info);
    ++file.handles;
    handles_[call.open] = std::move(handle);
  }

  void close(int number) {
    // Nobody waits for a call whose request the program has freed.
    while (const int64_t pending = next_to_wait_for(number)) wait(pending);
    Handle& handle = handles_.at(number);
    File& file = state_.file_of(handle.open->path, copy_);
    if (handle.file != MPI_FILE_NULL) {
      for (int i = 0; concilio_counter_name(i); ++i) {
        int64_t counted = 0;
        concilio_file_counter(handle.file, concilio_counter_name(i), &counted);
        outcome_.counted[static_cast<size_t>(i)] += counted;
      }
      int64_t peak_bytes = 0;
      concilio_file_memory(handle.file, nullptr, nullptr, &peak_bytes);
      outcome_.peak_bytes = std::max(outcome_.peak_bytes, peak_bytes);
      if (has_mode(*handle.open, "delete_on_close")) forget_written(file, 0);
      expect(MPI_File_close(&handle.file), "MPI_File_close");
    }
    --file.handles;
    handles_.erase(number);
  }

  void remove(const RecordedCall& call) {
    // A file that all copies share is removed by the first.
    if (state_.is_shared(call.path) && copy_ > 0) return;
    File& file = state_.file_of(call.path, copy_);
    forget_written(file, 0);
    if (access(file.path.c_str(), F_OK) == 0)
      expect(MPI_File_delete(file.path.c_str(), MPI_INFO_NULL), "MPI_File_delete");
  }

  // The datatype of the rank's record; MPI_BYTE for -1.
  MPI_Datatype type_of(int index) {
    if (index < 0) return MPI_BYTE;
    const auto place = types_.find(index);
    if (place != types_.end()) return place->second.get();
    auto made = datatype_of(state_.record.types[static_cast<size_t>(rank_)][static_cast<size_t>(index)]);
    if (!made) fail(made.error().message);
    return types_.emplace(index, made ? std::move(*made) : Datatype::bytes()).first->second.get();
  }

  void view(Handle& handle, const RecordedCall& call) {
    handle.view = sim::access_of_view(state_.record, rank_, &call);
    handle.skip = 0;
    const MPI_Offset displacement = call.position + state_.shift_of(handle.open->path, copy_);
    expect(
        MPI_File_set_view(handle.file, displacement, MPI_BYTE, type_of(call.type), "native", MPI_INFO_NULL),
        "MPI_File_set_view");
  }

  // The buffer, with gaps where the program's had them; not where they would take much more memory than the
  // data do, and not where pieces of it lie on each other, which then could not all hold what belongs into
  // the file.
  void lay_out(Transfer& transfer) {
    const RecordedCall& call = *transfer.call;
    transfer.data.resize(static_cast<size_t>(call.bytes));
    transfer.count = static_cast<int>(call.bytes);
    if (call.type < 0 || call.bytes == 0) return;
    const auto& type = state_.record.types[static_cast<size_t>(rank_)][static_cast<size_t>(call.type)];
    const int64_t count = call.bytes / type.nest->size();
    transfer.places = pattern::Access::of({type.nest, 0, type.extent}, 0, count);
    int64_t first = INT64_MAX, end = INT64_MIN;
    for_each_piece(transfer.places, 0, call.bytes, [&](int64_t offset, int64_t length) {
      first = std::min(first, offset);
      end = std::max(end, offset + length);
    });
    int64_t span = 0;
    if (__builtin_sub_overflow(end, first, &span) || span > 16 * call.bytes + (1 << 20) ||
        overlaps(transfer.places, call.bytes, first, end))
      return;
    transfer.scattered = true;
    transfer.first = first;
    transfer.memory.resize(static_cast<size_t>(end - first));
    transfer.type = type_of(call.type);
    transfer.count = static_cast<int>(count);
  }
  static bool overlaps(const pattern::Access& places, int64_t bytes, int64_t first, int64_t end) {
    if (places.monotone_within(bytes)) return false;
    std::vector<bool> seen(static_cast<size_t>(end - first));
    bool twice = false;
    for_each_piece(places, 0, bytes, [&](int64_t offset, int64_t length) {
      const auto begin = seen.begin() + (offset - first);
      twice = twice || std::find(begin, begin + length, true) != begin + length;
      std::fill(begin, begin + length, true);
    });
    return twice;
  }
  // Copies between `data` and `memory`.
  template <typename Copy>
  static void for_each_place(Transfer& transfer, Copy copy) {
    if (!transfer.scattered) return;
    int64_t at = 0;
    for_each_piece(transfer.places, 0, std::ssize(transfer.data), [&](int64_t offset, int64_t length) {
      copy(transfer.memory.data() + (offset - transfer.first), transfer.data.data() + at,
           static_cast<size_t>(length));
      at += length;
    });
  }
  template <typename Visit>
  static void for_each_file_piece(const Transfer& transfer, Visit visit) {
    for_each_piece(transfer.view, transfer.call->position, transfer.call->bytes, visit);
  }
  int path_of(const Transfer& transfer) const {
    return state_.record.opens[static_cast<size_t>(transfer.call->open)].path;
  }

  void fill(Transfer& transfer) {
    const int path = path_of(transfer);
    const int64_t shift = state_.shift_of(path, copy_);
    int64_t at = 0;
    if (transfer.call->operation == concilio::Operation::write) {
      const auto writer = static_cast<uint64_t>(rank_ + 1) +
                          static_cast<uint64_t>(copy_) * static_cast<uint64_t>(state_.record.ranks());
      for_each_file_piece(transfer, [&](int64_t offset, int64_t length) {
        fill_content(transfer.data.data() + at, offset + shift, length, writer);
        at += length;
      });
      for_each_place(transfer, [](unsigned char* memory, const unsigned char* data, size_t bytes) {
        std::memcpy(memory, data, bytes);
      });
    } else if (state_.verify) {
      const File& file = state_.file_of(path, copy_);
      for_each_file_piece(transfer, [&](int64_t offset, int64_t length) {
        for (int64_t i = 0; i < length; ++i)
          transfer.must_be_there.push_back(file.written[static_cast<size_t>(offset + shift + i)]);
      });
    }
  }

  void begin(Handle& handle, const RecordedCall& call) {
    Transfer transfer;
    transfer.call = &call;
    transfer.handle = call.open;
    transfer.view = handle.view;
    if (call.bytes <= INT_MAX) {
      lay_out(transfer);
      fill(transfer);
    } else {
      // It is made without data, as other ranks may wait in it.
      fail(fmt::format("a call of {} bytes, more than an MPI count can hold", call.bytes));
    }
    const MPI_Offset offset = call.position + handle.skip;
    const bool writes = call.operation == concilio::Operation::write;
    unsigned char* const buffer = transfer.buffer();
    const MPI_Datatype type = transfer.type;
    if (call.kind == Kind::split) {
      expect(writes ? MPI_File_write_at_all_begin(handle.file, offset, buffer, transfer.count, type)
                    : MPI_File_read_at_all_begin(handle.file, offset, buffer, transfer.count, type),
             "a split call");
    } else if (call.kind == Kind::nonblocking) {
      using Start = decltype(&MPI_File_iread_at);
      const Start starts[] = {
          MPI_File_iread_at, MPI_File_iread_at_all,
          [](MPI_File file, MPI_Offset at, void* from, int count, MPI_Datatype of, MPI_Request* request) {
            return MPI_File_iwrite_at(file, at, from, count, of, request);
          },
          [](MPI_File file, MPI_Offset at, void* from, int count, MPI_Datatype of, MPI_Request* request) {
            return MPI_File_iwrite_at_all(file, at, from, count, of, request);
          }};
      expect(starts[(writes ? 2 : 0) + (call.collective ? 1 : 0)](handle.file, offset, buffer, transfer.count,
                                                                  type, &transfer.request),
             "a nonblocking call");
    } else {
      MPI_Status status;
      const auto blocking = [&]() -> int {
        if (call.collective)
          return writes ? MPI_File_write_at_all(handle.file, offset, buffer, transfer.count, type, &status)
                        : MPI_File_read_at_all(handle.file, offset, buffer, transfer.count, type, &status);
        return writes ? MPI_File_write_at(handle.file, offset, buffer, transfer.count, type, &status)
                      : MPI_File_read_at(handle.file, offset, buffer, transfer.count, type, &status);
      };
      expect(blocking(), writes ? "a write" : "a read");
      return finish(transfer);
    }
    under_way_.emplace(call.number, std::move(transfer));
  }

  void wait(int64_t number) {
    const auto place = under_way_.find(number);
    if (place == under_way_.end()) return;
    Transfer transfer = std::move(place->second);
    under_way_.erase(place);
    MPI_Status status;
    if (transfer.call->kind == Kind::nonblocking) {
      expect(MPI_Wait(&transfer.request, &status), "MPI_Wait");
    } else {
      const MPI_File file = handles_.at(transfer.handle).file;
      if (transfer.call->operation == concilio::Operation::write)
        expect(MPI_File_write_at_all_end(file, transfer.buffer(), &status), "MPI_File_write_at_all_end");
      else
        expect(MPI_File_read_at_all_end(file, transfer.buffer(), &status), "MPI_File_read_at_all_end");
    }
    finish(transfer);
  }
  // The number of a call that is under way: of this handle, or with -1 of any; 0: there is none. All ranks
  // number their opens alike, and so wait for calls that they make together in one order.
  int64_t next_to_wait_for(int handle) const {
    int64_t number = 0;
    int of = INT_MAX;
    for (const auto& [its_number, transfer] : under_way_) {
      if ((handle < 0 || transfer.handle == handle) && transfer.handle < of) {
        of = transfer.handle;
        number = its_number;
      }
    }
    return number;
  }

  void finish(Transfer& transfer) {
    if (!state_.verify || transfer.call->bytes > INT_MAX) return;
    const int path = path_of(transfer);
    const int64_t shift = state_.shift_of(path, copy_);
    File& file = state_.file_of(path, copy_);
    if (transfer.call->operation == concilio::Operation::write) {
      for_each_file_piece(transfer, [&](int64_t offset, int64_t length) {
        const auto begin = file.written.begin() + offset + shift;
        std::fill(begin, begin + length, true);
      });
      return;
    }
    for_each_place(transfer, [](const unsigned char* memory, unsigned char* data, size_t bytes) {
      std::memcpy(data, memory, bytes);
    });
    size_t at = 0;
    for_each_file_piece(transfer, [&](int64_t offset, int64_t length) {
      for (int64_t i = 0; i < length; ++i, ++at)
        check_byte(path, offset + i, transfer.data[at], transfer.must_be_there[at]);
    });
  }

  // A byte that nobody had written when the read began may be there all the same, if somebody writes it.
  void check_byte(int path, int64_t offset, unsigned char found, bool must_be_there) {
    const Owner owner = state_.owners[static_cast<size_t>(path)][static_cast<size_t>(offset)];
    if (owner == several || (found == 0 && !must_be_there)) return;
    const int64_t place = offset + state_.shift_of(path, copy_);
    const unsigned char expected = owner == nobody ? 0 : state_.content_at(place, owner, copy_);
    if (found == expected) return;
    fail(fmt::format("a read of {} at offset {}: expected 0x{:02x}, found 0x{:02x}",
                     state_.record.paths[static_cast<size_t>(path)].name, place, expected, found));
  }

  ReplayState& state_;
  const std::vector<MPI_Comm>& comms_;
  const Hints& hints_;
  int rank_ = 0, copy_ = 0;
  ReplayOutcome outcome_;
  int64_t calls_ns_ = 0, idle_ns_ = 0;
  std::map<int, Handle> handles_;          // by the number of the open
  std::map<int64_t, Transfer> under_way_;  // by the call's number
  std::map<int, Datatype> types_;
};

// The communicators of the files' ranks in the copies, by open.
std::vector<MPI_Comm> communicators_of(const sim::Record& record) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int mine = rank % record.ranks(), copy = rank / record.ranks();
  std::map<std::vector<int>, MPI_Comm> made;
  std::vector<MPI_Comm> comms;
  for (const RecordedOpen& open : record.opens) {
    const auto [place, fresh] = made.try_emplace(open.ranks, MPI_COMM_NULL);
    if (fresh) {
      const auto found = std::ranges::find(open.ranks, mine);
      const int key = static_cast<int>(found - open.ranks.begin());
      if (record.is_by_all(open))
        MPI_Comm_split(MPI_COMM_WORLD, 0, copy * record.ranks() + key, &place->second);
      else if (open.ranks.size() == 1)
        place->second = MPI_COMM_SELF;
      else
        MPI_Comm_split(MPI_COMM_WORLD, found == open.ranks.end() ? MPI_UNDEFINED : copy, key, &place->second);
    }
    comms.push_back(place->second);
  }
  return comms;
}

}  // namespace

Replay::Replay(const std::string& record, int copies, bool verify) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (rank == 0) {
    const auto text = read_all(record);
    auto read = text ? sim::parse_record(*text, record) : Result<sim::Record>(text.error());
    if (!read) {
      failure_ = read.error().message;
    } else {
      owned_ = std::make_unique<ReplayState>();
      owned_->record = std::move(*read);
      owned_->copies = copies;
      owned_->verify = verify;
      owned_->find_owners();
    }
  }
  share(failure_);
  // The ranks are actors of one process, on one thread: what rank 0 has made, the others can read.
  auto address = reinterpret_cast<int64_t>(owned_.get());
  MPI_Bcast(&address, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  state_ = reinterpret_cast<ReplayState*>(address);
  if (state_) comms_ = communicators_of(state_->record);
}

Replay::~Replay() {
  // After an exception of this rank alone, nobody else would come.
  if (std::uncaught_exceptions() == 0) MPI_Barrier(MPI_COMM_WORLD);
}

ReplayOutcome Replay::run(const std::string& path, const Hints& hints) {
  if (owned_) owned_->begin_files(path);
  MPI_Barrier(MPI_COMM_WORLD);
  ReplayOutcome outcome = Player(*state_, comms_, hints).play();
  std::string failure;
  if (owned_) {
    if (outcome.failure.empty()) failure = owned_->check_files();
    owned_->remove_files();
  }
  share(failure);
  if (outcome.failure.empty()) outcome.failure = failure;
  return outcome;
}

}  // namespace concilio::bench
