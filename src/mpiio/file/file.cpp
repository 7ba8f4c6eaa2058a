#include "mpiio/file/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "base/checked.h"
#include "base/exceptions.h"
#include "base/log.h"
#include "base/text/bytes.h"
#include "exec/alone/run_alone.h"
#include "mpi/epoch.h"
#include "mpi/nodes/agree.h"
#include "mpiio/file/call_record.h"
#include "mpiio/file/registry.h"
#include "mpiio/file/report.h"
#include "mpiio/settings/hints.h"
#include "mpiio/settings/process_config.h"
#include "mpiio/settings/profile.h"
#include "store/wrappers/stack.h"

namespace concilio::mpiio {

namespace {

// Ranks that open late must find the same file, even if the program has changed its working directory by
// then. Until it has, the store goes from there where the absolute path leads nowhere.
std::string absolute(const char* path) {
  std::error_code no_folder;
  const auto found = std::filesystem::absolute(path, no_folder);
  return no_folder ? path : found.string();
}

}  // namespace

File::File(const char* path, int amode)
    : threads_(mpi::has_thread_multiple()),
      recording_(!threads_),
      budget_(std::make_unique<Budget>(0)),
      descriptions_(std::make_unique<Budget>(0, budget_.get())),
      store_(store::make_store(process_config(), mpi::rank_in_job())),
      storage_(std::make_unique<exec::Storage>(
          *store_, absolute(path), store::OpenMode{amode_reads(amode), amode_writes(amode), false, false},
          counters())),
      handler_(ErrorHandler::of_null()),
      amode_(amode),
      record_(CallRecord::of_process()),
      reserve_(std::make_shared_for_overwrite<Reserve>()) {
  storage_->record_in(recording_.activity());
}

Result<File*> File::open(MPI_Comm comm, const char* path, int amode, MPI_Info info) {
  int64_t start_ns = now_ns();
  const CallRecord::Timing timing(CallRecord::of_process());
  set_log_rank(mpi::rank_in_job());

  std::shared_ptr<Config> config;
  std::unique_ptr<File> file;
  Status made = without_exceptions([&]() -> Status {
    config = std::make_shared<Config>(process_config());
    file.reset(new File(path, amode));
    return {};
  });
  auto adopted = mpiio::adopt_hints(comm, info, config.get(), Moment::open, std::move(made));
  if (!adopted) return adopted.error();
  if (*adopted) config = std::move(*adopted);
  auto team = mpi::Team::acquire(comm, static_cast<int>(config->integer(Key::ranks_per_node)));
  if (!team) return team.error();
  file->team_ = std::move(*team);
  if (file->team_->rank() == 0) {
    for (const std::string& complaint : process_config().complaints())
      log_once_on_node(LogLevel::warning, complaint);
  }
  mpi::Extremes<2> modes{{amode, file->threads_}, {amode, file->threads_}};
  if (!file->team_->allreduce(modes)) return file->team_->failure().error();
  if (modes.least[0] != modes.most[0]) {
    return error_with(ErrorKind::not_same, 0,
                      [&] { return fmt::format("the ranks give different access modes for {}", path); });
  }
  if (auto status = check_amode(amode); !status) return status.error();

  file->set_memory_limit(*config);
  file->storage_->set_lock_patience_ms(config->integer(Key::lock_timeout_ms));
  if (auto status = file->open_storage(config, modes.most[1] != 0); !status) return status.error();
  file->remember_hints(info);
  file->team_->count_meetings(&file->counters()[Counter::meetings]);
  Counters& counters = file->counters();
  counters[Counter::storage_other_ns] = counters[Counter::storage_ns];  // till here no call read or wrote
  counters[Counter::storage_ns] = 0;
  file->open_ns_ = now_ns() - start_ns;
  file->recording_.show(file->path(), mpi::rank_in_job(), file->team_->size(), file->team_->nodes().size(),
                        file->open_ns_);
  if (file->record_) {
    file->record_number_ = file->record_->opened(*file, file->size_at_open_, timing);
    if (file->record_number_ == 0) file->record_ = nullptr;
  }
  return file.release();
}

Status File::open_storage(const std::shared_ptr<Config>& config, bool concurrent) {
  const Result<Found> found = open_on_all_ranks(*team_, *storage_, amode_, *config);
  if (!found) return found.error();
  if (amode_ & MPI_MODE_APPEND) position_ = found->size;
  identity_ = found->identity;
  size_at_open_ = found->size;
  reports_ = found->reports;
  // Only this thread knows the file until the ranks have agreed that all of them have it.
  return agree(without_exceptions([&]() -> Status {
    rewriting_ = std::make_unique<exec::Rewriting>(*storage_, team_->board(), found->mark);
    if (team_->size() > 1 || concurrent) board_ = &rewriting_->board();
    exec::OpenFile opened{*team_, *storage_, *rewriting_, *budget_, counters(), sieve_room_, found->facts};
    opened.concurrent = concurrent;
    opened.locks_work = found->mark.locks_work;
    opened.exact_writes = found->exact_writes;
    if (found->has_profile) {
      opened.measured_prices = std::make_shared<const plan::Prices>(found->prices);
      take_over_parameters(found->parameters, *config);
    }
    opened.map_reads = found->map_reads;
    opened.map_writes = found->map_writes;
    config->tell(Key::visibility_immediate, opened.cached_by_client() ? "false" : "true");
    if (found->facts.stripe_bytes > 0) {
      config->tell(Key::striping_unit, std::to_string(found->facts.stripe_bytes));
      config->tell(Key::striping_factor, std::to_string(found->facts.stripe_targets));
    }
    config->tell(Key::filesystem_type, fmt::format("Concilio on {}", found->file_system));
    settings_ = settings_from(config, std::move(opened));
    clear_shortcut();
    enter_registry(this);
    return {};
  }));
}

void File::set_memory_limit(const Config& config) {
  budget_->set_limit_bytes(config.integer(Key::memory_limit));
  descriptions_->set_limit_bytes(budget_->limit_bytes());
}

Status File::agree(const Status& mine) {
  return mpi::agree(*team_, mine);
}

bool File::gives_new_hints(MPI_Info info) {
  if (info == MPI_INFO_NULL) return false;
  if (!given_hints_) return true;
  const InfoState now = InfoState::now(info);
  if (now == known_info_) return false;
  if (!holds(info, *given_hints_)) return true;
  known_info_ = now;
  return false;
}

// Without memory for them, they are new when they are given again.
void File::remember_hints(MPI_Info info) {
  given_hints_.reset();
  known_info_ = {};
  if_there_is_memory([&] { given_hints_ = hints_in(info); });
}

Status File::adopt_hints(MPI_Info info) {
  // Only operations like this one, which are carried out one after another, change what is read here.
  auto changed = mpiio::adopt_hints(team_->comm(), info, settings_.config.get(), Moment::later);
  Status adopted = change_config(std::move(changed));
  if (adopted) remember_hints(info);
  return adopted;
}

Status File::change_config(Result<std::shared_ptr<Config>> changed) {
  std::optional<Settings> next;
  return all_or_none(
      *team_,
      [&]() -> Status {
        if (!changed) return changed.error();
        if (*changed) next = settings_from(std::move(*changed), *opened());
        return {};
      },
      [&]() noexcept {
        // Many programs give the same hints with every view. Then plans and what was learned are kept.
        if (!next) return;
        static_assert(std::is_nothrow_swappable_v<Settings>);
        locked([&] {
          std::swap(settings_, *next);
          clear_shortcut();
        });
        set_memory_limit(*settings_.config);
        given_hints_.reset();
        collective_.forget();
      });
}

Status File::set_atomic(bool atomic) {
  std::shared_ptr<const exec::OpenFile> next;
  return all_or_none(
      *team_,
      [&]() -> Status {
        exec::OpenFile later = *opened();
        later.atomic = atomic;
        next = std::make_shared<const exec::OpenFile>(std::move(later));
        return {};
      },
      [&]() noexcept {
        locked([&] {
          settings_.opened.swap(next);
          clear_shortcut();
        });
      });
}

File::Settings File::settings_from(std::shared_ptr<const Config> config, exec::OpenFile opened) const {
  const int64_t flush = config->integer(Key::flush);  // 0 is auto; the others follow in the order of Flush
  opened.flush = flush == 0 ? std::nullopt : std::optional(static_cast<plan::Flush>(flush - 1));
  opened.meetings = static_cast<exec::Meetings>(config->integer(Key::agree));
  opened.gpu_kernel = static_cast<exec::GpuKernel>(config->integer(Key::gpu_kernel));
  opened.flush_threshold = config->integer(Key::romio_cb_ds_threshold);
  opened.direct_bytes = config->integer(Key::direct_bytes);
  opened.pipelining = config->integer(Key::pipelining) == 0;
  // In automatic mode, a rank that writes independently may sieve if a lock is cheap and the other ranks see
  // that it sieves; they see it only on its own node. If the user enables sieving beyond that, every write of
  // every rank pays for a lock.
  auto sieving = static_cast<plan::Choice3>(config->integer(Key::romio_ds_write));
  const bool cheap = opened.on_one_node() && (opened.facts.kind == plan::StorageFacts::Kind::local ||
                                              opened.facts.kind == plan::StorageFacts::Kind::memory);
  const bool may = writes() && storage_->can_read() && opened.locks_work && rewriting_->marked();
  opened.sieve_writes =
      may && (sieving == plan::Choice3::enable || (sieving == plan::Choice3::automatic && cheap));
  std::array<plan::Wishes, 2> wishes;
  for (const Operation operation : {Operation::read, Operation::write})
    wishes[static_cast<size_t>(operation)] = plan::wishes_of(*config, operation);
  return {std::move(config), std::move(wishes), std::make_shared<const exec::OpenFile>(std::move(opened))};
}

namespace {

// The view as calls by the shortcut see it, if they can.
Shortcut::View shortcut_view(const Shown& shown) {
  const pattern::Access& access = shown.access;
  if (shown.representation) return {};
  if (access.is_contiguous()) return {shown.etype_bytes, access.displacement()};
  const pattern::Nest& tile = *access.nest();
  const bool one_piece = tile.kind() == pattern::Nest::Kind::run && tile.run().count == 1;
  const auto first = checked_add(access.displacement(), tile.lower());
  if (!one_piece || !access.monotone() || !first) return {};
  return {shown.etype_bytes, *first, tile.size(), access.extent()};
}

}  // namespace

// Finds out which calls may go by the shortcut from now on.
void File::clear_shortcut() {
  for (const Operation operation : {Operation::read, Operation::write}) {
    const bool clear = !record_ && (operation == Operation::read ? reads() : writes()) &&
                       !(amode_ & MPI_MODE_SEQUENTIAL) &&
                       settings_.wishes[static_cast<size_t>(operation)].forced_method < 0 &&
                       needs_no_lock(*settings_.opened, operation);
    shortcut_.set(operation, clear ? shortcut_view(view_->shown(operation)) : Shortcut::View{});
  }
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

void File::remember(Operation operation, bool collective, const plan::Plan& plan,
                    const std::shared_ptr<const plan::Plan>& lasting) {
  if (&plan == &plan::plan_of_one_stretch()) return remember_one_stretch(operation, collective);
  ++counters()[method_counter(plan.method)];
  history_.remember(operation, collective, plan, lasting);
}

Status File::settle() {
  return collective_.settle(*opened());
}

Charge File::describes(int64_t bytes) {
  Charge charge(*descriptions_, bytes);
  if (descriptions_->current_bytes() > descriptions_->limit_bytes())
    if_there_is_memory([&] {
      log_once_on_node(
          LogLevel::warning,
          fmt::format(
              "{}: the descriptions of its views' and buffers' datatypes take more memory than the limit of "
              "{} in a rank. Regular datatypes (vectors, subarrays) and longer blocks need less",
              path(), format_bytes(descriptions_->limit_bytes())));
    });
  return charge;
}

// A client that keeps what is written may lose it later than the close tells.
bool File::tells_only_by_sync() const {
  return storage_->client_cache() == store::ClientCache::whole_pages;
}

Status File::close(bool& stays_open) {
  const int64_t now = now_ns();
  const Recording::Call call(recording_, LiveCall::close, now);
  independents_.wait();
  Status entered = run_collective([&] {
    return without_exceptions([&] { return enter(*team_, exec::CallKind::close, collective_.apart()); });
  });
  stays_open = !entered && entered.error().kind == ErrorKind::not_same;
  if (stays_open) return entered;
  // All ranks have come, and none writes any more. So rank 0's mark may be dropped with its descriptor.
  const Status settled = settle();
  const bool write_back = tells_only_by_sync();
  // Other nodes may have written what this one keeps, and the program may read the file by other means now.
  // Clients that write back look anew when the file is opened again.
  if (opened()->caches_differ() && !write_back && team_->local_rank() == 0)
    (void)without_exceptions([&] { return storage_->refresh(); });
  const Status closed = without_exceptions([&] { return storage_->close(write_back); });
  Report report(*this, now);
  Status outcome = reports_ ? report.agree(closed) : agree(closed);
  if (!settled) outcome = settled;
  if (amode_ & MPI_MODE_DELETE_ON_CLOSE) {
    auto removed = agree(without_exceptions([&] { return team_->rank() == 0 ? remove() : Status(); }));
    if (outcome) outcome = removed;
  }
  if (!reports_ || report.tell()) recording_.finish();
  if (!team_->failure() && team_->nodes().size() > 1) collective_.abandon_buffers();
  return outcome;
}

Status File::settle_alone() {
  independents_.wait();
  return collectives_.run([&] { return collective_.settle_alone(*opened()); });
}

void File::count_untimed() {
  const int64_t ns = shortcut_.sampling.take_rest_ns();
  if (ns == 0) return;
  const int64_t end_ns = now_ns();
  for (const Counter time : {Counter::storage_ns, Counter::call_ns}) count(time, ns);
  // The activity knows their bytes already, and lacks only the time.
  if (Activity* const activity = recording_.activity())
    activity->passed_on({Operation::read, end_ns - ns, end_ns, 0, 0, 0, 0}, 1);
}

// No error if somebody has deleted it already, such as another open of it that was to. ROMIO ignores that
// too.
Status File::remove() {
  Status removed = store_->remove(path(), identity_);
  return !removed && removed.error().system_errno == ENOENT ? Status() : removed;
}

Status File::abandon() {
  const Status settled = settle_alone();
  count_untimed();
  Status outcome = storage_->close(tells_only_by_sync());
  if (!settled) outcome = settled;
  if ((amode_ & MPI_MODE_DELETE_ON_CLOSE) && team_->rank() == 0) {
    const Status removed = remove();
    if (outcome) outcome = removed;
  }
  if (outcome && deferred_.unsettled() > 0) {
    outcome = Error{ErrorKind::other, 0,
                    fmt::format("{} collective calls were started, but the program has not waited for them",
                                deferred_.unsettled())};
  }
  return outcome;
}

File::~File() {
  if (team_) team_->file_is_closed();
  leave_registry(this);
}

}  // namespace concilio::mpiio
