// One open file: what MPI-IO knows of it. How bytes move is exec's.
#pragma once

#include <mpi.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "base/budget.h"
#include "base/config.h"
#include "base/counters.h"
#include "exec/collective.h"
#include "exec/engine.h"
#include "mpiio/api.h"
#include "mpiio/errors.h"
#include "store/store.h"

namespace concilio::mpiio {

// A file view (MPI 4.1, section 14.3): etype and filetype are our own duplicates.
struct View {
  MPI_Offset displacement = 0;
  MPI_Datatype etype = MPI_BYTE, filetype = MPI_BYTE;
  int64_t etype_bytes = 1;
  std::string datarep = "native";
  Access access = Access::contiguous(0);

  View() = default;
  View(const View&) = delete;
  View(View&& other) noexcept { swap(other); }
  View& operator=(View&& other) noexcept {
    swap(other);
    return *this;
  }
  ~View();

 private:
  void swap(View& other);
};

class File {
 public:
  // Collective over comm. On success the file is registered and `find` knows its handle.
  static Result<File*> open(MPI_Comm comm, const std::string& path, int amode, MPI_Info info);
  ~File();

  MPI_File handle() const { return reinterpret_cast<MPI_File>(const_cast<File*>(this)); }
  ErrorHandler& handler() { return handler_; }
  const std::string& path() const { return storage_->path(); }
  int amode() const { return amode_; }
  Team& team() { return *team_; }
  Config& config() { return config_; }
  Storage& storage() { return *storage_; }
  Engine& engine() { return *engine_; }
  Collective& collective() { return collective_; }
  Counters& counters() { return counters_; }
  View& view() { return view_; }
  int64_t& position() { return position_; }  // individual pointer, etypes
  std::recursive_mutex& mutex() {
    return mutex_;
  }  // one call at a time; a user's error handler may make another
  bool& atomic() { return engine_->atomic; }

  bool reads() const { return (amode_ & (MPI_MODE_RDONLY | MPI_MODE_RDWR)) != 0; }
  bool writes() const { return (amode_ & (MPI_MODE_WRONLY | MPI_MODE_RDWR)) != 0; }

  // Collective: the first error of any rank, on every rank.
  Status agree(const Status& mine);
  // Takes the hints of an info object given after the open. Collective.
  void adopt_hints(MPI_Info info);
  // What is to follow a change of the settings, on all ranks alike.
  void hints_changed();
  void remember(Operation operation, bool collective, const Plan& plan);
  // Closes on every rank; collective. The file stays registered until it is deleted, by the caller.
  Status close();

  struct Reason {
    Operation operation;
    bool collective;
    std::string method, reason;
    int64_t calls = 0;
  };
  const std::map<std::string, Reason>& reasons() const { return reasons_; }
  struct Last {
    const char* method = nullptr;  // static; nullptr: no call has moved data yet
    std::string reason;
  };
  const Last& last() const { return last_; }  // of this rank's last call that moved data
  int64_t open_ns() const { return open_ns_; }
  const Budget& budget() const { return *budget_; }

 private:
  File() = default;
  Status open_storage();
  Status open_as_root(struct Opened& opened);
  void settle_sieving();

  std::recursive_mutex mutex_;
  std::shared_ptr<Team> team_;
  Config config_;
  Counters counters_;
  std::unique_ptr<Budget> budget_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Storage> storage_;
  std::unique_ptr<Engine> engine_;
  Collective collective_;
  ErrorHandler handler_;
  View view_;
  int amode_ = 0;
  int64_t position_ = 0;
  int64_t open_ns_ = 0;
  bool reports_ = false;  // rank 0's environment asks for a report
  std::map<std::string, Reason> reasons_;
  Last last_;
};

// The process's own settings, read once.
const Config& process_config();
// The wishes that a file's hints express.
Wishes wishes_of(const Config& config, Operation operation);
// A name without the prefix that names a file-system type to ROMIO ("ufs:", "nfs:", ...).
std::string plain_path(const char* path);

// Appends what happened to a file to the report of rank 0; collective over the file's team. report.cpp
void write_report(File& file);

}  // namespace concilio::mpiio
