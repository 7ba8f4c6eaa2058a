// The table of settings.
#include "base/settings/config.h"

namespace concilio {

namespace {

constexpr int64_t kib = int64_t{1} << 10, tib = int64_t{1} << 40;
constexpr int64_t none = 0;
constexpr const char* automatic = "automatic|enable|disable";
#define METHOD(name, ranks, writes, summary) "|" #name
constexpr const char* methods = "auto"
#include "base/methods.def"
    ;

constexpr std::array<Setting, static_cast<size_t>(Key::count_)> table = {{
    {Key::cb_buffer_size, ValueType::bytes, 0, tib, "0", nullptr, "cb_buffer_size", nullptr,
     "Size of an aggregator's window; 0: chosen by the plan, within the memory limit."},
    {Key::cb_nodes, ValueType::integer, 0, 1'000'000'000, "0", nullptr, "cb_nodes", nullptr,
     "Number of aggregators; 0: chosen by the plan."},
    {Key::cb_config_list, ValueType::config_list, none, none, "*:*", nullptr, "cb_config_list", nullptr,
     "Aggregators a host, as *:N; *:* or *:0: chosen by the plan."},
    {Key::romio_cb_read, ValueType::choice, none, none, "automatic", automatic, "romio_cb_read", nullptr,
     "Whether collective reads bring the pieces of all ranks together at aggregators."},
    {Key::romio_cb_write, ValueType::choice, none, none, "automatic", automatic, "romio_cb_write", nullptr,
     "Whether collective writes bring the pieces of all ranks together at aggregators."},
    {Key::romio_ds_read, ValueType::choice, none, none, "automatic", automatic, "romio_ds_read", nullptr,
     "Whether reads of scattered pieces read the holes between them along."},
    {Key::romio_ds_write, ValueType::choice, none, none, "automatic", automatic, "romio_ds_write", nullptr,
     "Whether writes of scattered pieces read, modify and write the holes between them along."},
    {Key::ind_rd_buffer_size, ValueType::bytes, 1, tib, "1M", nullptr, "ind_rd_buffer_size", nullptr,
     "Size of the sieve buffer of independent reads."},
    {Key::ind_wr_buffer_size, ValueType::bytes, 1, tib, "512K", nullptr, "ind_wr_buffer_size", nullptr,
     "Size of the sieve buffer of independent writes."},
    {Key::romio_no_indep_rw, ValueType::boolean, none, none, "false", nullptr, "romio_no_indep_rw", nullptr,
     "The program promises to make no independent reads and writes: only aggregators open the file."},
    {Key::romio_cb_pfr, ValueType::choice, none, none, "disable", "enable|disable", "romio_cb_pfr", nullptr,
     "Whether every aggregator keeps the same part of the file from call to call: the same as "
     "concilio_realms=persistent."},
    {Key::romio_cb_fr_types, ValueType::realm_kind, none, none, "aar", nullptr, "romio_cb_fr_types", nullptr,
     "How the file is parted among aggregators; aar: by the range of each call; a number: in blocks of so "
     "many bytes, dealt round-robin; -1: as with romio_cb_pfr; -2: as the program has said, see "
     "concilio_realms."},
    {Key::romio_cb_fr_alignment, ValueType::bytes, 0, tib, "1", nullptr, "romio_cb_fr_alignment", nullptr,
     "Unit that the borders between aggregators' parts of the file are aligned to; 0 and 1: chosen by the "
     "plan."},
    {Key::romio_cb_ds_threshold, ValueType::bytes, 0, tib, "0", nullptr, "romio_cb_ds_threshold", nullptr,
     "When a window's holes are read and rewritten: from 1 to 100, where its pieces fill at least that "
     "percentage; above, where they begin at most that many bytes apart; 0: where it is cheapest."},
    {Key::romio_cb_alltoall, ValueType::choice, none, none, "automatic", automatic, "romio_cb_alltoall",
     nullptr, "Whether nodes exchange by MPI_Alltoallw, not by nonblocking messages."},
    {Key::striping_unit, ValueType::bytes, 0, tib, "0", nullptr, "striping_unit", nullptr,
     "Size of a stripe of the file; 0: the file system's own.", Effect::at_open},
    {Key::striping_factor, ValueType::integer, -1, 1'000'000'000, "0", nullptr, "striping_factor", nullptr,
     "Number of storage targets the file is striped over; -1: all that there are; 0: the file system's own.",
     Effect::at_open},
    {Key::file_perm, ValueType::permissions, 0, 0777, "666", nullptr, "file_perm", nullptr,
     "Permissions of a file that the open creates, less the process's umask.", Effect::at_open},
    {Key::visibility_immediate, ValueType::boolean, none, none, "true", nullptr, "romio_visibility_immediate",
     nullptr,
     "Whether what a rank has written is seen by all ranks at once; false where nodes keep caches of their "
     "own, as on NFS and with FUSE.",
     Effect::told},
    {Key::filesystem_type, ValueType::text, none, none, "", nullptr, "romio_filesystem_type", nullptr,
     "The kind of file system that the file lies on.", Effect::told},
    {Key::method, ValueType::choice, none, none, "auto", methods, "concilio_method", "CONCILIO_METHOD",
     "The method all calls take where it is legal; auto: the cheapest for each call."},
    {Key::flush, ValueType::choice, none, none, "auto", "auto|rmw|list|batch", "concilio_flush", nullptr,
     "How a window with holes reaches the file: read, modified and written, or piece by piece, in turn "
     "(list) or many at once (batch), as the method list then takes its pieces too."},
    {Key::memory_limit, ValueType::bytes, 4 * kib, tib, "8M", nullptr, "concilio_memory_limit",
     "CONCILIO_MEMORY_LIMIT", "Most bytes of internal memory that a rank takes."},
    {Key::realms, ValueType::choice, none, none, "auto",
     "auto|even|aligned|persistent|cyclic|balanced|tree|user", "concilio_realms", nullptr,
     "How the file is parted among aggregators; auto: as the program has said by concilio_file_set_realms, "
     "else tree on several nodes, even on one."},
    {Key::placement, ValueType::choice, none, none, "memory", "memory|spread|first", "concilio_placement",
     nullptr,
     "Which nodes aggregate: those with most available memory, as far apart as they go, or the first."},
    {Key::exchange, ValueType::choice, none, none, "auto", "auto|descriptions|images|alltoallw",
     "concilio_exchange", nullptr,
     "How data travel between nodes: nodes know beforehand what each other's ranks ask for (descriptions), "
     "each message says what it covers of a window (images), or the same by MPI_Alltoallw. auto: "
     "descriptions where these are much shorter than the data and ranks ask for different bytes."},
    {Key::combine, ValueType::integer, 0, 1'000'000'000, "0", nullptr, "concilio_combine_nodes", nullptr,
     "Neighbouring nodes that bring together what they have for aggregators of other nodes, in an exchange "
     "by descriptions, so that fewer messages travel; 1: none do; 0: as many as cost least."},
    {Key::agree, ValueType::choice, none, none, "auto", "auto|always|seldom", "concilio_agree", nullptr,
     "Whether all ranks meet in every collective read and write, and so hear of each other's errors at once. "
     "auto: not in every call that repeats an earlier one, where each rank does its own part, but after half "
     "a second at the latest; seldom: in one of 64 such calls, however long they are."},
    {Key::gpu_kernel, ValueType::choice, none, none, "auto", "auto|always|never", "concilio_gpu_kernel",
     nullptr,
     "Whether a kernel, compiled while the program runs, puts together pieces at unequal distances in the "
     "memory of a GPU, where the vendor's compiler is there; auto: in calls with thousands of pieces."},
    {Key::groups, ValueType::choice, none, none, "auto", "auto|off", "concilio_groups", nullptr,
     "Whether nodes whose data lie apart in the file exchange in groups of their own."},
    {Key::pipelining, ValueType::choice, none, none, "auto", "auto|off", "concilio_pipelining", nullptr,
     "Whether storage moves a window of two-phase I/O while the next one is exchanged; auto: where storage "
     "does not answer from memory."},
    {Key::write_behind, ValueType::bytes, 0, tib, "0", nullptr, "concilio_write_behind", nullptr,
     "Bytes of several collective writes that an aggregator may hold back to write them together, until a "
     "sync, a read or the close; only with realms of the file (persistent, cyclic, user) and "
     "romio_no_indep_rw=true."},
    {Key::group_bytes, ValueType::bytes, 1, tib, "4M", nullptr, "concilio_group_bytes", nullptr,
     "Data that an aggregation group has at least, where there are several nodes (Msg_group)."},
    {Key::domain_bytes, ValueType::bytes, 1, tib, "1M", nullptr, "concilio_domain_bytes", nullptr,
     "Data that a leaf of the partition tree has at most (Msg_ind); an aggregator may have several of them."},
    {Key::memory_min, ValueType::bytes, 0, tib, "0", nullptr, "concilio_memory_min", nullptr,
     "Available memory that a node needs for every aggregator it takes on (Mem_min); 0: chosen by the plan."},
    {Key::aggregators_per_node, ValueType::integer, 0, 1'000'000'000, "0", nullptr,
     "concilio_aggregators_per_node", nullptr,
     "Most aggregators on a node (N_ah); 0: chosen by the plan. Before cb_config_list."},
    {Key::node_memory, ValueType::byte_list, none, none, "", nullptr, "concilio_node_memory",
     "CONCILIO_NODE_MEMORY",
     "Available memory of the nodes in place of what they measure, for experiments, as 4M,16M,64M: node i "
     "has entry i, and the list begins again behind its last."},
    {Key::ranks_per_node, ValueType::integer, 0, 1'000'000'000, "0", nullptr, "concilio_ranks_per_node",
     "CONCILIO_RANKS_PER_NODE",
     "Most ranks that count as one node, so that a machine acts as several; 0: the machine's own.",
     Effect::at_open},
    {Key::lock_timeout_ms, ValueType::integer, 0, 86'400'000, "600000", nullptr, "concilio_lock_timeout_ms",
     nullptr, "Milliseconds that a call waits for a file lock that somebody else holds, before it fails.",
     Effect::at_open},
    {Key::direct_bytes, ValueType::bytes, 0, tib, "1M", nullptr, "concilio_direct_bytes", nullptr,
     "Shortest contiguous stretch that goes between storage and the memory of a GPU without the host's, "
     "where "
     "the program has loaded cuFile; 0: none."},
    {Key::disable, ValueType::boolean, none, none, "false", nullptr, nullptr, "CONCILIO_DISABLE",
     "Pass every call on to the MPI library's own MPI-IO."},
    {Key::only, ValueType::text, none, none, "", nullptr, nullptr, "CONCILIO_ONLY",
     "Take over only the files whose path matches one of GLOB[:GLOB]...; empty: all."},
    {Key::log_level, ValueType::choice, none, none, "warning", "error|warning|info|debug", nullptr,
     "CONCILIO_LOG", "How much is said on stderr."},
    {Key::report, ValueType::text, none, none, "", nullptr, nullptr, "CONCILIO_REPORT",
     "File that a line of JSON is appended to for every file closed; empty: none."},
    {Key::live, ValueType::text, none, none, "", nullptr, nullptr, "CONCILIO_LIVE",
     "Folder where each rank keeps what it counts for its open files, which `concilio run` makes and reads; "
     "empty: none."},
    {Key::record, ValueType::text, none, none, "", nullptr, nullptr, "CONCILIO_RECORD",
     "Folder where each rank writes down its calls, which `concilio run --record` makes and reads; empty: "
     "none."},
    {Key::hints, ValueType::text, none, none, "", nullptr, nullptr, "CONCILIO_HINTS",
     "Hints for every file, as key=value;key=value."},
    {Key::romio_hints, ValueType::text, none, none, "", nullptr, nullptr, "ROMIO_HINTS",
     "File of hints for every file, one `key value` a line."},
    {Key::fault, ValueType::text, none, none, "", nullptr, nullptr, "CONCILIO_FAULT",
     "Storage faults to inject, for tests, as OPERATION:N:WHAT[@RANK], or @FILE of these."},
    {Key::throttle, ValueType::text, none, none, "", nullptr, nullptr, "CONCILIO_THROTTLE",
     "Makes the storage as slow as another, for experiments: device=hdd, ssd, nvm, nfs or lustre:OSTS; or "
     "open=MS;opens=N;request=MS;bandwidth=BYTES;lock=MS;seek=MS;streams=N;targets=N;stripe=BYTES;revoke=MS; "
     "or @FILE of these."},
    {Key::profile, ValueType::text, none, none, "auto", nullptr, nullptr, "CONCILIO_PROFILE",
     "What storage and network cost, as concilio probe measured it: a file of its own, auto for the one it "
     "keeps for this host and file system, off for what is built in."},
    {Key::threads, ValueType::boolean, none, none, "false", nullptr, nullptr, "CONCILIO_THREADS",
     "Initialise MPI with MPI_THREAD_MULTIPLE, whatever the program asks for."},
    {Key::scorpio_buffer_bytes, ValueType::bytes, 4096, tib, "16M", nullptr, nullptr, "SCORPIO_BUFFER_BYTES",
     "Bytes that the root of a SCORPIO I/O group may use as buffers of one transfer."},
    {Key::scorpio_shared_memory, ValueType::boolean, none, none, "true", nullptr, nullptr,
     "SCORPIO_SHARED_MEMORY",
     "Whether ranks on the node of their SCORPIO I/O group's root copy into its buffers themselves, not by "
     "messages."},
    {Key::scorpio_warn_seconds, ValueType::integer, 0, 1000000, "10", nullptr, nullptr,
     "SCORPIO_WARN_SECONDS",
     "After how many seconds a rank that waits in a call of SCORPIO for others says so on stderr; 0: never."},
}};

constexpr Alias alias_table[] = {
    // The MPI standard.
    {"collective_buffering", Key::romio_cb_read},
    {"collective_buffering", Key::romio_cb_write},
    {"cb_block_size", Key::romio_cb_fr_alignment},
    // Open MPI.
    {"num_aggregators", Key::cb_nodes},
    {"stripe_size", Key::striping_unit},
    {"stripe_width", Key::striping_factor},
    // ROMIO has two names for this one.
    {"romio_cb_fr_type", Key::romio_cb_fr_types},
};

constexpr bool in_order_of_key() {
  for (size_t i = 0; i < table.size(); ++i) {
    if (table[i].key != static_cast<Key>(i) || table[i].help == nullptr) return false;
  }
  return true;
}
static_assert(in_order_of_key());

}  // namespace

const std::array<Setting, static_cast<size_t>(Key::count_)>& settings() {
  return table;
}

std::span<const Alias> aliases() {
  return alias_table;
}

}  // namespace concilio
