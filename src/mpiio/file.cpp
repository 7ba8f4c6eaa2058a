#include "mpiio/file.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>
#include <shared_mutex>
#include <sstream>
#include <utility>

#include "base/bytes.h"
#include "base/descriptor.h"
#include "base/exceptions.h"
#include "base/log.h"
#include "exec/agree.h"
#include "mpi/epoch.h"
#include "mpi/nodes/descriptor_passing.h"
#include "mpiio/hints.h"
#include "mpiio/profile.h"
#include "store/wrappers/stack.h"

namespace concilio::mpiio {
namespace {

// Every open file of ours, so that a foreign handle is known from our own.
struct Registry {
  std::shared_mutex mutex;
  std::set<File*> files;
};
Registry& registry() {
  static auto* registry = new Registry;
  return *registry;
}

constexpr int access_bits = MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR;

Status check_amode(int amode) {
  int access = amode & access_bits;
  auto refuse = [](const char* why) { return Error{ErrorKind::access_mode, 0, why}; };
  if (access != MPI_MODE_RDONLY && access != MPI_MODE_WRONLY && access != MPI_MODE_RDWR) {
    return refuse("the access mode needs exactly one of MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR");
  }
  if (access == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL))) {
    return refuse("MPI_MODE_RDONLY goes with neither MPI_MODE_CREATE nor MPI_MODE_EXCL");
  }
  if (access == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL)) {
    return refuse("MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL");
  }
  return {};
}

StorageFacts facts_of(const StorageLayout& layout, const Config& config) {
  StorageFacts facts;
  switch (layout.kind) {
    case StorageLayout::Kind::local:
      facts.kind = StorageFacts::Kind::local;
      break;
    case StorageLayout::Kind::memory:
      facts.kind = StorageFacts::Kind::memory;
      break;
    case StorageLayout::Kind::network:
      facts.kind = StorageFacts::Kind::network;
      break;
    case StorageLayout::Kind::parallel:
      facts.kind = StorageFacts::Kind::parallel;
      break;
    case StorageLayout::Kind::unknown:
      facts.kind = StorageFacts::Kind::unknown;
      break;
  }
  if (layout.block_bytes > 0) facts.block_bytes = layout.block_bytes;
  facts.stripe_bytes = layout.stripe_bytes;
  facts.stripe_targets = layout.stripe_targets;
  facts.uncached = layout.uncached;
  facts.rotational = layout.medium == StorageLayout::Medium::rotational;
  take_over_stripes(config, facts);
  return facts;
}

// Ranks of a node that open the file at once; the others when they first need it.
constexpr int openers_per_node = 4;

}  // namespace

const Config& process_config() {
  static const Config& config = *[] {
    auto* made = new Config(Config::from_environment());
    set_log_level(static_cast<LogLevel>(made->integer(Key::log_level)));
    return made;
  }();
  return config;
}

std::string plain_path(const char* path) {
  static constexpr std::string_view prefixes[] = {
      "ufs:", "nfs:",   "xfs:",    "pvfs2:",   "panfs:", "lustre:", "gpfs:",
      "pfs:", "piofs:", "testfs:", "unifyfs:", "daos:",  "quobyte:"};
  std::string_view name = path;
  for (std::string_view prefix : prefixes) {
    if (name.starts_with(prefix)) return std::string(name.substr(prefix.size()));
  }
  return std::string(name);
}

bool takes_over_any() {
  return !process_config().boolean(Key::disable);
}

bool takes_over(const char* path) {
  const Config& config = process_config();
  if (!takes_over_any()) return false;
  const std::string& only = config.text(Key::only);
  if (only.empty()) return true;
  std::string name = path ? plain_path(path) : "";
  std::string base = std::filesystem::path(name).filename();
  std::istringstream globs(only);
  for (std::string glob; std::getline(globs, glob, ':');) {
    if (fnmatch(glob.c_str(), name.c_str(), 0) == 0 || fnmatch(glob.c_str(), base.c_str(), 0) == 0)
      return true;
  }
  return false;
}

File* find(MPI_File handle) {
  auto* pointer = reinterpret_cast<File*>(handle);
  if (handle == MPI_FILE_NULL) return nullptr;
  Registry& all = registry();
  std::shared_lock lock(all.mutex);
  return all.files.contains(pointer) ? pointer : nullptr;
}

// What rank 0 found when it opened the file, as it travels to the others.
struct Opened {
  int64_t kind = 0, system_errno = 0, can_read = 0, size = 0, reports = 0;
  OpenMark mark;
  int64_t map_reads = 0, map_writes = 0;
  FileIdentity identity;
  StorageFacts facts;
  int64_t has_profile = 0;
  Prices prices{};  // of the profile, and so the parameters
  Parameters parameters;
  char file_system[32] = "";
  char message[512] = "";
};

Result<File*> File::open(MPI_Comm comm, const std::string& path, int amode, MPI_Info info) {
  int64_t start_ns = now_ns();
  const int rank = rank_in_job();
  set_log_rank(rank);

  std::unique_ptr<File> file(new File);
  file->config_ = process_config();
  mpiio::adopt_hints(comm, info, file->config_, Moment::open);
  auto team = Team::acquire(comm, static_cast<int>(file->config_.integer(Key::ranks_per_node)));
  if (!team) return team.error();
  file->team_ = std::move(*team);
  file->amode_ = amode;
  file->threads_ = has_thread_multiple();
  file->handler_ = ErrorHandler::of_null();
  if (file->team_->rank() == 0) {
    for (const std::string& complaint : process_config().complaints())
      log_once_on_node(LogLevel::warning, complaint);
  }
  // All ranks must ask for the same mode.
  int modes[3] = {amode, -amode, file->threads_};
  PMPI_Allreduce(MPI_IN_PLACE, modes, 3, MPI_INT, MPI_MAX, file->team_->comm());
  if (modes[0] != -modes[1])
    return Error{ErrorKind::not_same, 0, "the ranks give different access modes for " + path};
  if (auto status = check_amode(amode); !status) return status.error();

  file->budget_ = std::make_unique<Budget>(file->config_.integer(Key::memory_limit));
  file->descriptions_ = std::make_unique<Budget>(file->budget_->limit_bytes(), file->budget_.get());
  file->store_ = make_store(process_config(), rank);
  OpenMode mode{file->reads(), file->writes(), false, false};
  // Ranks that open late must find the same file, wherever the program has gone by then.
  std::error_code no_folder;
  auto absolute = std::filesystem::absolute(path, no_folder);
  file->storage_ =
      std::make_unique<Storage>(*file->store_, no_folder ? path : absolute.string(), mode, file->counters_);
  file->storage_->set_lock_patience_ms(file->config_.integer(Key::lock_timeout_ms));
  if (auto status = file->open_storage(modes[2] != 0); !status) return status.error();

  file->open_ns_ = now_ns() - start_ns;
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  all.files.insert(file.get());
  return file.release();
}

// Rank 0 creates and opens; a few ranks of every node follow at once, the rest when they need the file (seed
// SCORPIO: it is the open that fails to scale): see reach().
Status File::open_storage(bool concurrent) {
  Opened opened;
  if (team_->rank() == 0) {
    auto status = without_exceptions([&] { return open_as_root(opened); });
    if (!status) {
      opened.kind = static_cast<int64_t>(status.error().kind);
      opened.system_errno = status.error().system_errno;
      std::strncpy(opened.message, status.error().message.c_str(), sizeof opened.message - 1);
    }
  }
  PMPI_Bcast(&opened, sizeof opened, MPI_BYTE, 0, team_->comm());
  if (opened.kind != 0) {
    return Error{static_cast<ErrorKind>(opened.kind), static_cast<int>(opened.system_errno),
                 fmt::format("rank 0: {}", opened.message)};
  }
  if (team_->rank() != 0) storage_->set_mode({opened.can_read != 0, writes(), false, false});
  if (amode_ & MPI_MODE_APPEND) position_ = opened.size;
  // Its own memory; nobody uses it before all ranks have met below.
  if (team_->rank() == 0) (void)shared_pointer().set(position_);
  if (auto status = reach(opened.identity); !status) return status;
  settle_locks(opened.mark);
  engine_.reset(new Engine{*team_, *storage_, *rewriting_, *budget_, counters_, opened.facts});
  engine_->concurrent = concurrent;
  engine_->locks_work = opened.mark.locks_work;
  if (opened.has_profile) {
    engine_->measured_prices = std::make_shared<const Prices>(opened.prices);
    take_over_parameters(opened.parameters, config_);
  }
  engine_->map_reads = opened.map_reads;
  engine_->map_writes = opened.map_writes;
  reports_ = opened.reports;
  config_.tell(Key::visibility_immediate, engine_->caches_differ() ? "false" : "true");
  config_.tell(Key::filesystem_type, fmt::format("Concilio on {}", opened.file_system));
  take_settings(*engine_);
  take_wishes();
  return {};
}

// Locks that a node keeps to itself (NFS with local_lock, Lustre with localflock, some FUSE) are had by
// everybody: rank 0 holds one, and the first rank of each other node must be refused. Collective.
void File::settle_locks(OpenMark& mark) {
  if (mark.marked && team_->nodes().size() > 1) {
    int respected = team_->node() == 0 || team_->local_rank() != 0 || mark_is_respected(*storage_, mark);
    PMPI_Allreduce(MPI_IN_PLACE, &respected, 1, MPI_INT, MPI_MIN, team_->comm());
    if (!respected) {
      if (team_->rank() == 0) {
        log_once(
            LogLevel::info,
            fmt::format("locks on {} are not seen by other nodes; nothing is locked in this file", path()));
      }
      mark.marked = mark.locks_work = 0;
    }
  }
  rewriting_ = std::make_unique<Rewriting>(*storage_, team_->board(), mark);
}

namespace {
struct OfNode {
  FileIdentity identity;
};
OfNode combine(const OfNode& a, const OfNode& b) {
  return a.identity.inode != 0 ? a : b;
}
}  // namespace

// The first rank of every node finds the file by its path, and must find the one that rank 0 did. The others
// of the node have a descriptor from it, so that they reach that very file, whatever becomes of its name
// until they need it.
Status File::reach(FileIdentity of_rank_0) {
  of_rank_0.device = 0;  // hosts number devices each in its own way
  identity_ = of_rank_0;
  storage_->expect(of_rank_0, Descriptor());
  Status mine = team_->local_rank() == 0 ? storage_->open() : Status();
  OfNode of_node{storage_->identity()};
  team_->node_allreduce(of_node);
  Descriptor passed = pass_to_node(*team_, storage_->descriptor());
  if (team_->local_rank() != 0) {
    storage_->expect(of_node.identity, std::move(passed));
    if (team_->local_rank() < openers_per_node) mine = storage_->open();
  }
  return agree(mine);
}

Status File::open_as_root(Opened& opened) {
  OpenMode mode{true, writes(), (amode_ & MPI_MODE_CREATE) != 0, (amode_ & MPI_MODE_EXCL) != 0,
                static_cast<int>(config_.integer(Key::file_perm))};
  storage_->set_mode(mode);
  auto status = storage_->open();
  if (!status && !reads() && status.error().kind == ErrorKind::access) {
    // Reading along is only for read-modify-write; without it holes are written around.
    mode.read = false;
    storage_->set_mode(mode);
    status = storage_->open();
  }
  if (!status) return status;
  auto layout = storage_->layout();
  if (!layout) return layout.error();
  auto size = storage_->size();
  if (!size) return size.error();
  opened.can_read = mode.read;
  if (layout->common_inodes) opened.identity = storage_->identity();
  opened.size = *size;
  opened.facts = facts_of(*layout, config_);
  if (const auto profile = find_profile(process_config(), storage_->path())) {
    opened.has_profile = 1;
    opened.prices = profile->prices;
    opened.parameters = profile->parameters;
    opened.facts.aggregators_per_node = profile->parameters.aggregators_per_node;
  }
  opened.map_reads = reads() && storage_->can_map(false);
  opened.map_writes = writes() && storage_->can_map(true);
  std::strncpy(opened.file_system, layout->name.c_str(), sizeof opened.file_system - 1);
  opened.reports = !process_config().text(Key::report).empty();
  opened.mark = writes() ? take_mark(*storage_) : try_locks(*storage_);
  return {};
}

Status File::agree(const Status& mine) {
  return concilio::agree(*team_, mine);
}

Status File::adopt_hints(MPI_Info info) {
  // A promise that allowed to hold writes back may be taken back.
  Status settled = settle();
  Config changed = config();
  // Many programs give the same hints with every view: plans, and what was learned, stay.
  if (mpiio::adopt_hints(team_->comm(), info, changed, Moment::later)) change_config(changed);
  return settled;
}

void File::change_config(const Config& changed) {
  locked([&] {
    config_ = changed;
    take_settings(*engine_);
    take_wishes();
  });
  budget_->set_limit_bytes(changed.integer(Key::memory_limit));
  descriptions_->set_limit_bytes(budget_->limit_bytes());
  collective_.forget();
}

// What the engine needs of the settings.
void File::take_settings(Engine& engine) const {
  const int64_t flush = config_.integer(Key::flush);  // auto, and then in the order of Flush
  engine.flush = flush == 0 ? std::nullopt : std::optional(static_cast<Flush>(flush - 1));
  engine.flush_threshold = config_.integer(Key::romio_cb_ds_threshold);
  // A rank that writes alone may sieve where a lock is cheap and its other ranks see that it does, which are
  // those of its node. Where the user asks for more, every write of every rank pays for it by a lock.
  auto sieving = static_cast<Choice3>(config_.integer(Key::romio_ds_write));
  const bool cheap = engine.on_one_node() && (engine.facts.kind == StorageFacts::Kind::local ||
                                              engine.facts.kind == StorageFacts::Kind::memory);
  const bool may = writes() && storage_->can_read() && engine.locks_work && rewriting_->marked();
  engine.sieve_writes = may && (sieving == Choice3::enable || (sieving == Choice3::automatic && cheap));
  const bool known_by_lock_alone = writes() && engine.locks_work && !rewriting_->marked();
  engine.guard_writes = known_by_lock_alone || (engine.sieve_writes && !engine.on_one_node());
}

void File::take_wishes() {
  for (const Operation operation : {Operation::read, Operation::write})
    wishes_[static_cast<size_t>(operation)] = wishes_of(config_, operation);
}

Status File::advance(int64_t etypes, const std::function<Status(int64_t)>& use) {
  return locked([&] {
    auto status = use(position_);
    if (status) position_ += etypes;
    return status;
  });
}

void File::retreat(int64_t from, int64_t to) {
  locked([&] {
    if (position_ == from) position_ = to;
  });
}

bool File::begin_split(Split split) {
  return locked([&] {
    if (split_) return false;
    split_ = std::move(split);
    return true;
  });
}

std::optional<File::Split> File::take_split() {
  return locked([&] { return std::exchange(split_, std::nullopt); });
}

namespace {
ConsideredAll considered(const Plan& plan) {
  ConsideredAll all;
  for (const Candidate& one : plan.candidates) {
    all.methods[all.count++] = {one.method,  one.legal, one.method == plan.method,
                                one.seconds, one.calls, one.measured_seconds};
  }
  return all;
}

// A reason without the times in brackets at its end, which differ from call to call.
std::string_view without_times(std::string_view reason) {
  return reason.substr(0, reason.rfind(" ("));
}
}  // namespace

void File::remember(Operation operation, bool collective, const Plan& plan) {
  // A program of many different calls gives many reasons: what comes late goes by method alone.
  constexpr size_t most_reasons = 64;
  ++counters_[static_cast<Counter>(static_cast<int>(Counter::method_independent) +
                                   static_cast<int>(plan.method))];
  std::lock_guard lock(state_);
  if (last_.reason != plan.reason) {
    last_.method = method_name(plan.method);
    last_.reason = plan.reason;
  }
  last_.candidates = considered(plan);
  Reason*& last = last_reason_[static_cast<size_t>(operation)][collective];
  const bool same_words = last && last->reason == plan.reason;  // as always for small requests
  if (!same_words && (!last || without_times(last->reason) != without_times(plan.reason))) {
    std::string reason = plan.reason;
    auto key = [&] {
      return fmt::format("{} {} {}", static_cast<int>(operation), collective, without_times(reason));
    };
    if (reasons_.size() >= most_reasons && !reasons_.contains(key())) {
      reason = fmt::format("{}: for further reasons of the same kind", method_name(plan.method));
    }
    auto [place, fresh] = reasons_.try_emplace(key());
    if (fresh) place->second = {operation, collective, method_name(plan.method), reason, 0, {}};
    last = &place->second;
  }
  // The times of the last call.
  if (!same_words && without_times(last->reason) == without_times(plan.reason)) last->reason = plan.reason;
  last->candidates = last_.candidates;
  ++last->calls;
}

uint64_t File::go_on(std::function<Outcome()> work, std::function<void(Outcome)> then) {
  if (!threads_) {
    auto operation = std::make_unique<Deferred::Operation>();
    operation->run = [work = std::move(work), then = std::move(then)] {
      Outcome outcome = work();
      if (!outcome && outcome.error().kind == ErrorKind::not_yet) return false;
      then(std::move(outcome));
      return true;
    };
    return deferred_.add(*team_, std::move(operation));
  }
  collectives_.post([work = std::move(work), then = std::move(then)] { then(work()); });
  return 0;
}

Status File::settle() {
  Engine engine = this->engine();
  return collective_.settle(engine);
}

Charge File::describes(int64_t bytes) {
  Charge charge(*descriptions_, bytes);
  if (descriptions_->current_bytes() > descriptions_->limit_bytes())
    if_there_is_memory([&] {
      log_once_on_node(
          LogLevel::warning,
          fmt::format("{}: what its views' and buffers' datatypes list takes more memory than the limit "
                      "of {} a rank. Regular types (vectors, subarrays) and longer blocks take less",
                      path(), format_bytes(descriptions_->limit_bytes())));
    });
  return charge;
}

Status File::close(bool& stays_open) {
  independents_.wait();
  Status entered =
      together([&] { return without_exceptions([&] { return enter(*team_, CallKind::close); }); });
  stays_open = !entered && entered.error().kind == ErrorKind::not_same;
  if (stays_open) return entered;
  // All ranks have come, and none writes any more: rank 0's mark may go with its descriptor.
  const Status settled = settle();
  const bool network = engine_->facts.kind == StorageFacts::Kind::network;
  auto outcome = agree(without_exceptions([&] { return storage_->close(network); }));
  if (!settled) outcome = settled;
  if (amode_ & MPI_MODE_DELETE_ON_CLOSE) {
    auto removed = agree(without_exceptions(
        [&] { return team_->rank() == 0 ? store_->remove(path(), identity_) : Status(); }));
    if (outcome) outcome = removed;
  }
  if (reports_) write_report(*this);
  if (!team_->failure() && team_->nodes().size() > 1) collective_.abandon_buffers();
  return outcome;
}

Status File::settle_alone() {
  independents_.wait();
  return collectives_.run([&] {
    Engine engine = this->engine();
    return collective_.settle_alone(engine);
  });
}

Status File::abandon() {
  const Status settled = settle_alone();
  Status outcome = storage_->close(engine_->facts.kind == StorageFacts::Kind::network);
  if (!settled) outcome = settled;
  if ((amode_ & MPI_MODE_DELETE_ON_CLOSE) && team_->rank() == 0) {
    const Status removed = store_->remove(path());
    if (outcome) outcome = removed;
  }
  if (outcome && deferred_.waiting() > 0) {
    outcome =
        Error{ErrorKind::other, 0,
              fmt::format("{} collective calls were started and never waited for", deferred_.waiting())};
  }
  return outcome;
}

std::vector<File*> File::all_open() {
  Registry& all = registry();
  std::shared_lock lock(all.mutex);
  return {all.files.begin(), all.files.end()};
}

File::~File() {
  if (team_) team_->give_back_segment();
  Registry& all = registry();
  std::unique_lock lock(all.mutex);
  all.files.erase(this);
}

}  // namespace concilio::mpiio
