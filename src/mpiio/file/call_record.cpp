#include "mpiio/file/call_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <memory>
#include <vector>

#include "base/activity/activity.h"
#include "base/exceptions.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/settings/config.h"
#include "base/system/process.h"
#include "mpi/epoch.h"
#include "mpiio/file/file.h"
#include "mpiio/settings/process_config.h"
#include "pattern/encoding.h"

namespace concilio::mpiio {
namespace {

// In the order of recorded_modes.
constexpr std::array mode_bits = {MPI_MODE_CREATE, MPI_MODE_RDONLY,          MPI_MODE_WRONLY,
                                  MPI_MODE_RDWR,   MPI_MODE_DELETE_ON_CLOSE, MPI_MODE_UNIQUE_OPEN,
                                  MPI_MODE_EXCL,   MPI_MODE_APPEND,          MPI_MODE_SEQUENTIAL};
static_assert(mode_bits.size() == recorded_modes.size());

void write_modes(int amode, JsonText& line) {
  line.name("mode");
  line.array([&] {
    for (size_t i = 0; i < mode_bits.size(); ++i) {
      if (amode & mode_bits[i]) line.value(recorded_modes[i]);
    }
  });
}

// What the program and the user have set, except for what describes this machine.
void write_hints(const Config& config, JsonText& line) {
  line.name("hints");
  line.object([&] {
    for (const Setting& setting : settings()) {
      const bool of_machine = setting.key == Key::ranks_per_node || setting.key == Key::node_memory;
      if (!setting.hint || setting.effect == Effect::told || of_machine) continue;
      if (config.origin(setting.key) == Config::Origin::default_value) continue;
      line.member(setting.hint, config.text(setting.key));
    }
  });
}

// The ranks of a communicator in MPI_COMM_WORLD, or nothing if some are not there.
std::vector<int> world_ranks_of(MPI_Comm comm, int size) {
  std::vector<int> own(static_cast<size_t>(size)), world(static_cast<size_t>(size), MPI_UNDEFINED);
  for (int i = 0; i < size; ++i) own[static_cast<size_t>(i)] = i;
  MPI_Group group = MPI_GROUP_NULL, all = MPI_GROUP_NULL;
  if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS && PMPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS)
    PMPI_Group_translate_ranks(group, size, own.data(), all, world.data());
  for (MPI_Group* one : {&group, &all}) {
    if (*one != MPI_GROUP_NULL) PMPI_Group_free(one);
  }
  for (const int rank : world) {
    if (rank == MPI_UNDEFINED || rank < 0) return {};
  }
  return world;
}

bool is_whole_world(const std::vector<int>& ranks) {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != static_cast<int>(i)) return false;
  }
  return static_cast<int>(ranks.size()) == size;
}

// Data without holes, which a record has no type for.
bool is_plain(const pattern::DataType& type) {
  const pattern::Nest& nest = *type.nest;
  return nest.kind() == pattern::Nest::Kind::run && nest.run().count == 1 && nest.lower() == 0 &&
         nest.size() == type.extent;
}

std::string hexadecimal(const std::vector<std::byte>& bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<size_t>(byte >> 4)];
    text += digits[std::to_integer<size_t>(byte & std::byte{15})];
  }
  return text;
}

}  // namespace

CallRecord* CallRecord::of_process() {
  CallRecord* record = nullptr;
  if_there_is_memory([&] {
    if (process_config().text(Key::record).empty() || !mpi::world_runs()) return;
    static CallRecord* const made = make();
    if (made && !made->ended_) record = made;
  });
  return record;
}

CallRecord* CallRecord::make() {
  int ranks = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const std::string& folder = process_config().text(Key::record);
  const std::string path = fmt::format("{}/rank-{}", folder, mpi::rank_in_job());
  std::unique_ptr<CallRecord> record(new CallRecord());
  // Of several programs that one command starts, the first one has this name.
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) {
    const char* why = errno == EEXIST ? "another program has recorded its calls there" : std::strerror(errno);
    log_once_on_node(LogLevel::warning,
                     fmt::format("calls are not recorded in {}: {}; all nodes must share the folder of the "
                                 "record, which is of one program",
                                 folder, why));
    return nullptr;
  }
  record->descriptor_ = descriptor;
  record->last_end_ns_ = activity_begins();
  record->add([&](JsonText& line) {
    line.member("rank", mpi::rank_in_job());
    line.member("ranks", ranks);
    line.member("host", host_name());
  });
  return record.release();
}

int64_t CallRecord::opened(File& file, int64_t size, const Timing& timing) {
  int64_t number = 0;
  add([&](JsonText& line) {
    const std::vector<int> ranks = world_ranks_of(file.team().comm(), file.team().size());
    if (ranks.empty()) return;
    number = ++files_;
    line.member("call", "open");
    line.member("file", number);
    line.member("idle_ns", timing.idle_ns());
    line.member("path", std::filesystem::path(file.path()).lexically_normal().string());
    write_modes(file.amode(), line);
    line.member("size", size);
    if (!is_whole_world(ranks)) {
      line.name("ranks");
      line.array([&] {
        for (const int rank : ranks) line.value(rank);
      });
    }
    write_hints(*file.config(), line);
  });
  return number;
}

void CallRecord::viewed(const File& file, const Timing& timing) {
  add([&](JsonText& line) {
    const auto view = file.view();
    const Shown& shown = view->shown();
    line.member("call", "view");
    line.member("file", file.record_number());
    line.member("idle_ns", timing.idle_ns());
    line.member("displacement", shown.access.displacement());
    line.member("etype", shown.etype_bytes);
    if (shown.access.is_contiguous()) return;
    line.member("type", number_of_type({shown.access.nest(), 0, shown.access.extent()}));
  });
}

int64_t CallRecord::moved(const File& file, Kind kind, const Call& call, const Moved& moved,
                          const Timing& timing) {
  const int64_t number = ++calls_;
  add([&](JsonText& line) {
    const int64_t bytes = moved.failed ? 0 : moved.bytes;
    line.member("call", call.direction == Direction::read ? "read" : "write");
    line.member("file", file.record_number());
    line.member("idle_ns", timing.idle_ns());
    line.member("kind", recorded_kinds[static_cast<size_t>(kind)]);
    line.member("pointer", recorded_pointers[static_cast<size_t>(call.pointer)]);
    line.member("collective", call.collective);
    if (kind != Kind::blocking) line.member("number", number);
    // A split ordered call has no place yet.
    if (!moved.failed && (kind == Kind::blocking || call.pointer != Pointer::ordered))
      line.member("position", moved.position);
    line.member("bytes", bytes);
    if (bytes > 0 && moved.type && !is_plain(*moved.type)) line.member("type", number_of_type(*moved.type));
  });
  return number;
}

void CallRecord::placed(int64_t number, int64_t position) {
  add([&](JsonText& line) {
    line.member("call", "place");
    line.member("number", number);
    line.member("position", position);
  });
}

void CallRecord::waited(int64_t number, const Timing& timing) {
  add([&](JsonText& line) {
    line.member("call", "wait");
    line.member("idle_ns", timing.idle_ns());
    line.member("number", number);
  });
}

void CallRecord::changed(const File& file, std::string_view call, int64_t argument, const Timing& timing) {
  add([&](JsonText& line) {
    line.member("call", call);
    line.member("file", file.record_number());
    line.member("idle_ns", timing.idle_ns());
    if (argument >= 0) line.member("size", argument);
  });
}

void CallRecord::removed(const std::string& path, const Timing& timing) {
  add([&](JsonText& line) {
    line.member("call", "delete");
    line.member("idle_ns", timing.idle_ns());
    std::error_code no_folder;
    const auto found = std::filesystem::absolute(path, no_folder);
    line.member("path", no_folder ? path : found.lexically_normal().string());
  });
}

void CallRecord::add(FunctionRef<void(JsonText&)> write) {
  std::lock_guard lock(mutex_);
  if (ended_) return;
  try {
    new_types_.clear();
    JsonText line;
    line.object([&] { write(line); });
    if (line.text() != "{}") append(new_types_ + line.text() + "\n");
  } catch (const std::bad_alloc&) {
    end();
  }
}

int64_t CallRecord::number_of_type(const pattern::DataType& type) {
  std::vector<std::byte> bytes;
  // One that is longer does not fit the record, which then ends.
  pattern::encode(*type.nest, bytes, most_record_bytes);
  pattern::encode(type.extent, bytes);
  const auto next = static_cast<int64_t>(types_.size()) + 1;
  const std::string nest = hexadecimal(bytes);
  const auto entry = types_.try_emplace(nest, next);
  if (entry.second) {
    JsonText line;
    line.object([&] {
      line.member("type", next);
      line.member("nest", nest);
    });
    new_types_ += line.text() + "\n";
  }
  return entry.first->second;
}

void CallRecord::append(std::string_view lines) {
  const auto bytes = static_cast<int64_t>(lines.size());
  if (written_ + bytes > most_record_bytes) return end();
  const ssize_t done = ::write(descriptor_, lines.data(), lines.size());
  if (done < 0) return end();
  written_ += done;
  if (done < bytes) ended_ = true;  // a part of a line says that more was to come
}

// Needs no memory. Where storage has no room for this line either, the one before it loses its end, which
// says the same.
void CallRecord::end() {
  ended_ = true;
  if (::write(descriptor_, full_record_line, sizeof full_record_line - 1) < 0)
    (void)!::ftruncate(descriptor_, written_ - 1);
}

}  // namespace concilio::mpiio
