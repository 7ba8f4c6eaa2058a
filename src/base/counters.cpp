#include "base/counters.h"

namespace concilio {

namespace {

constexpr std::array<const char*, counter_count> counter_names = {
    "independent_reads",
    "independent_writes",
    "collective_reads",
    "collective_writes",
    "bytes_read",
    "bytes_written",
    "gaps_read",
    "gaps_written",
    "device_calls",
    "device_bytes",
    "device_direct_bytes",
    "failed_calls",
#define METHOD(name, ranks, writes, summary) "method_" #name,
#include "base/methods.def"
    "plans_made",
    "plans_reused",
    "calls_apart",
    "meetings",
    "rounds",
    "storage_opens",
    "storage_reads",
    "storage_writes",
    "storage_bytes_read",
    "storage_bytes_written",
    "windows_whole",
    "windows_rmw",
    "windows_list",
    "windows_batch",
    "messages_sent",
    "message_bytes_sent",
    "locks_taken",
    "plan_ns",
    "exchange_ns",
    "copy_ns",
    "storage_ns",
    "storage_other_ns",
    "call_ns",
};
static_assert(counter_names.back() != nullptr, "every counter has a name");

}  // namespace

const char* counter_name(Counter counter) {
  return counter_names[static_cast<size_t>(counter)];
}

}  // namespace concilio
