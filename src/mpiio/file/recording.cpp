#include "mpiio/file/recording.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

// Forgets what a record had of another file.
void clear(LiveRecord& record) {
  record.path = {};
  record.counters = {};
  record.call.store(LiveCall::none);
  record.has_error.store(false);
  record.first_error = {};
  record.activity = 0;
}

LiveRecords* shown_records() {
  static LiveRecords* const all = map_records(process_config().text(Key::live));
  return all;
}

// A record in the memory that `concilio run` sees; nullptr if there is none.
LiveRecord* take_record() {
  LiveRecords* const all = shown_records();
  if (!all) return nullptr;
  for (LiveRecord& record : all->records) {
    auto unused = LiveRecord::State::unused;
    if (!record.state.compare_exchange_strong(unused, LiveRecord::State::taken)) continue;
    clear(record);
    return &record;
  }
  return nullptr;
}

// Which of the activities that `concilio run` sees are in use.
constinit std::array<std::atomic<bool>, std::tuple_size_v<decltype(LiveRecords::activities)>>
    shown_activities;
// How many are in memory of this process's own.
constinit std::atomic<int> own_activities = 0;
constexpr int most_own_activities = 48;
// What is recorded for a report, what `concilio run` sees, and what the report takes while a file is closed,
// take no more.
constexpr size_t most_bytes = size_t{1} << 20;
// Besides the rows of activities a report has counters, reasons and hints.
constexpr size_t rest_bytes = size_t{64} << 10;
constexpr size_t bytes_of_row = sizeof(ActivityRow) + ActivityRow::most_text_bytes;
constexpr size_t bytes_with(size_t own) {
  return sizeof(LiveRecords) + shown_activities.size() * sizeof(Activity) +
         own * (sizeof(ActivityData) + sizeof(Activity)) + rest_bytes;
}
static_assert(bytes_with(most_own_activities) + bytes_of_row <= most_bytes);

// An activity that `concilio run` sees, counted from 1; 0 if there is none left.
int32_t take_activity() {
  for (size_t i = 0; i < shown_activities.size(); ++i) {
    if (!shown_activities[i].exchange(true)) return static_cast<int32_t>(i) + 1;
  }
  return 0;
}

}  // namespace

Recording::Recording() : record_(take_record()) {
  if (!record_) record_ = (own_ = std::make_unique<LiveRecord>()).get();
}

// If there is no memory here, the destructor gives back what was taken.
Recording::Recording(bool alone) : Recording() {
  if (process_config().text(Key::report).empty()) return;
  if (!own_) record_->activity = take_activity();
  if (record_->activity > 0) {
    ActivityData& data = shown_records()->activities[static_cast<size_t>(record_->activity) - 1];
    data = {};
    activity_ = std::make_unique<Activity>(data, alone);
    return;
  }
  auto data = std::make_unique<ActivityData>();
  if (own_activities.fetch_add(1) < most_own_activities)
    own_activity_ = std::move(data);
  else
    --own_activities;
  if (own_activity_) activity_ = std::make_unique<Activity>(*own_activity_, alone);
}

Recording::~Recording() {
  // Of a file that nobody has closed, `concilio run` tells from the record.
  if (activity_) activity_->enter_rest(now_ns());
  if (own_activity_) --own_activities;
  if (own_ || record_->state.load() == LiveRecord::State::open) return;
  if (record_->activity > 0) shown_activities[static_cast<size_t>(record_->activity) - 1] = false;
  record_->state.store(LiveRecord::State::unused);
}

int64_t Recording::most_rows() {
  const auto own = static_cast<size_t>(std::clamp(own_activities.load(), 0, most_own_activities));
  return std::min<int64_t>(ActivityRow::most_rows,
                           static_cast<int64_t>((most_bytes - bytes_with(own)) / bytes_of_row));
}

void Recording::show(const std::string& path, int rank, int ranks, size_t nodes, int64_t open_ns) {
  record_->path.set(path);
  record_->rank = rank;
  record_->ranks = ranks;
  record_->nodes = static_cast<int32_t>(nodes);
  record_->open_ns = open_ns;
  record_->state.store(LiveRecord::State::open);
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
