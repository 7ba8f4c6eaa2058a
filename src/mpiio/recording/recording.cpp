#include "mpiio/recording/recording.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/activity/activity_json.h"
#include "base/system/reserve_in_steps.h"
#include "base/waiting.h"
#include "mpiio/settings/process_config.h"

namespace concilio::mpiio {
namespace {

// A new file in the folder, mapped into memory for as long as the process lives. `concilio run` has made the
// folder on its own node and removes it. On other nodes there is none, and nullptr is returned.
LiveRecords* map_records(const std::string& folder) {
  if (folder.empty()) return nullptr;
  std::string path = folder + "/rank-XXXXXX";
  const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  // Writing to mapped memory for which storage has no space would end the program.
  const bool has_space = reserve_in_steps(0, sizeof(LiveRecords), [&](int64_t offset, int64_t bytes) {
                           return ::posix_fallocate(descriptor, offset, bytes);
                         }) == 0;
  void* memory = has_space
                     ? ::mmap(nullptr, sizeof(LiveRecords), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
                     : MAP_FAILED;
  ::close(descriptor);
  if (memory == MAP_FAILED) {
    ::unlink(path.c_str());
    return nullptr;
  }
  // A record is as it must be when it is taken; till then no page of it is touched.
  auto* const all = static_cast<LiveRecords*>(memory);
  all->layout = LiveRecords::known_layout;
  return all;
}

// Forgets what a record had of another file. Its texts are set before anybody looks at them.
void clear(LiveRecord& record) {
  for (Tally& tally : record.counters.values) tally = 0;
  record.call.store(LiveCall::none, std::memory_order_relaxed);
  record.has_error.store(false, std::memory_order_relaxed);
  record.activity = 0;
}

// A record in the memory that `concilio run` sees; nullptr if there is none.
LiveRecord* take_record() {
  LiveRecords* const all = Recording::shown();
  if (!all) return nullptr;
  for (LiveRecord& record : all->records) {
    auto unused = LiveRecord::State::unused;
    if (!record.state.compare_exchange_strong(unused, LiveRecord::State::taken)) continue;
    clear(record);
    return &record;
  }
  return nullptr;
}

}  // namespace

// An activity, which stays for the next file when a file is closed: to make one anew would take a good part
// of the time that a file is open briefly.
struct Recording::Place {
  std::atomic<bool> taken = false;
  Activity* activity = nullptr;  // of whoever has taken the place
};
namespace {
using Place = Recording::Place;
// Those whose data `concilio run` sees, and those in memory of this process's own.
constinit std::array<Place, std::tuple_size_v<decltype(LiveRecords::activities)>> shown_places;
constexpr size_t most_own_activities = 48;
constinit std::array<Place, most_own_activities> own_places;
// How many of the latter have ever been taken.
constinit std::atomic<int> own_activities = 0;
// What is recorded for a report, what `concilio run` sees, and what the report takes while a file is closed,
// take no more.
constexpr size_t most_bytes = size_t{1} << 20;
// Besides the rows of activities a report has counters, reasons and hints.
constexpr size_t rest_bytes = size_t{64} << 10;
constexpr size_t bytes_of_row = sizeof(ActivityRow) + ActivityRow::most_text_bytes;
constexpr size_t bytes_with(size_t own) {
  return sizeof(LiveRecords) + shown_places.size() * sizeof(Activity) +
         own * (sizeof(ActivityData) + sizeof(Activity)) + rest_bytes;
}
static_assert(bytes_with(most_own_activities) + bytes_of_row <= most_bytes);

// A place that is free, which is taken now; null if there is none.
Place* take(std::span<Place> places) {
  const auto free = std::ranges::find_if(places, [](Place& one) { return !one.taken.exchange(true); });
  return free != places.end() ? &*free : nullptr;
}

}  // namespace

LiveRecords* Recording::shown() {
  static LiveRecords* const all = map_records(process_config().text(Key::live));
  return all;
}

Recording::Recording() : record_(take_record()) {
  if (!record_) record_ = (own_ = std::make_unique<LiveRecord>()).get();
}

// If there is no memory here, the destructor gives back what was taken.
Recording::Recording(bool alone) : Recording() {
  if (process_config().text(Key::report).empty()) return;
  if (!own_) place_ = take(shown_places);
  const bool is_shown = place_ != nullptr;
  if (!is_shown) place_ = take(own_places);
  if (!place_) return;
  const auto number = is_shown ? place_ - shown_places.data() : place_ - own_places.data();
  if (!place_->activity) {
    auto data = is_shown ? nullptr : std::make_unique<ActivityData>();
    ActivityData& its = is_shown ? shown()->activities[static_cast<size_t>(number)] : *data;
    if (is_shown) its = {};
    place_->activity = new Activity(its, recording_allowance());
    if (data) ++own_activities;
    (void)data.release();
  }
  place_->activity->begin(alone);
  if (is_shown) record_->activity = static_cast<int32_t>(number) + 1;
  activity_ = place_->activity;
}

Recording::~Recording() {
  // Of a file that nobody has closed, `concilio run` tells from the record.
  if (!own_ && record_->state.load() == LiveRecord::State::open) {
    if (activity_) activity_->enter_rest(now_ns());
    return;
  }
  if (place_) place_->taken.store(false, std::memory_order_release);
  if (!own_) record_->state.store(LiveRecord::State::unused, std::memory_order_release);
}

int64_t Recording::most_rows() {
  const auto own = static_cast<size_t>(own_activities.load());
  return std::min<int64_t>(ActivityRow::most_rows,
                           static_cast<int64_t>((most_bytes - bytes_with(own)) / bytes_of_row));
}

void Recording::show(const std::string& path, int rank, int ranks, size_t nodes, int64_t open_ns) {
  record_->path.set(path);
  record_->rank = rank;
  record_->ranks = ranks;
  record_->nodes = static_cast<int32_t>(nodes);
  record_->open_ns = open_ns;
  record_->state.store(LiveRecord::State::open, std::memory_order_release);
}

void Recording::add_failure(const std::string& message) {
  counters()[Counter::failed_calls] += 1;
  if (failed_.exchange(true)) return;
  record_->first_error.set(message);
  record_->has_error.store(true);
}

std::string_view Recording::first_error() const {
  return record_->has_error.load() ? record_->first_error.view() : std::string_view();
}

}  // namespace concilio::mpiio
