// All settings of Concilio in one table: name, type, range, default, name of the hint, name in the
// environment, and help. Nothing else reads the environment for settings.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace concilio {

enum class Key : int {
  // ROMIO's hints, with ROMIO's names and meaning.
  cb_buffer_size,         // bytes; an aggregator's collective buffer; 0, 1 = chosen by the plan
  cb_nodes,               // number of aggregators; 0 = chosen by the plan
  cb_config_list,         // text "*:N": at most N aggregators a host; integer() is N, 0 = chosen by the plan
  romio_cb_read,          // enable | disable | automatic
  romio_cb_write,         // enable | disable | automatic
  romio_ds_read,          // enable | disable | automatic
  romio_ds_write,         // enable | disable | automatic
  ind_rd_buffer_size,     // bytes; sieve buffer of independent reads
  ind_wr_buffer_size,     // bytes; sieve buffer of independent writes
  romio_no_indep_rw,      // boolean: the program promises to make no independent reads and writes
  romio_cb_pfr,           // enable | disable: realms that persist from call to call
  romio_cb_fr_types,      // aar, or a number: how the file is divided into realms
  romio_cb_fr_alignment,  // bytes; unit that realm borders are aligned to; 0 = chosen by the plan
  romio_cb_ds_threshold,  // up to 100 a percentage, above that bytes; 0 = what costs least
  romio_cb_alltoall,      // enable | disable | automatic
  striping_unit,          // bytes; 0 = the file system's own
  striping_factor,        // targets; 0 = the file system's own
  file_perm,              // permissions of a file that MPI_File_open creates
  visibility_immediate,   // romio_visibility_immediate; reported only: others see at once what a rank writes
  filesystem_type,        // romio_filesystem_type; reported only
  // Concilio's own hints.
  method,        // concilio_method: auto, or a method of base/methods.def
  flush,         // concilio_flush: auto | rmw | list | batch: how a window with holes reaches the file
  memory_limit,  // concilio_memory_limit, CONCILIO_MEMORY_LIMIT: bytes a rank
  realms,        // concilio_realms: how the file is divided among aggregators
  placement,     // concilio_placement: memory | spread | first: which nodes get aggregators
  exchange,      // concilio_exchange: in which form data travel between nodes
  combine,       // concilio_combine_nodes: nodes that bring their shares together; 0 = chosen by the plan
  agree,         // concilio_agree: auto | always | seldom: in which collective calls the ranks meet
  gpu_kernel,    // concilio_gpu_kernel: auto | always | never: for pieces in the memory of a GPU
  groups,        // concilio_groups: auto | off: aggregation groups
  pipelining,    // concilio_pipelining: auto | off: storage works beside the exchange
  write_behind,  // concilio_write_behind: bytes that an aggregator with persistent realms may hold back
  group_bytes,   // concilio_group_bytes: least data of an aggregation group
  domain_bytes,  // concilio_domain_bytes: most data of an aggregator
  memory_min,    // concilio_memory_min: free memory that a node needs for each of its aggregators
  aggregators_per_node,  // concilio_aggregators_per_node: 0 = chosen by the plan
  node_memory,     // concilio_node_memory, CONCILIO_NODE_MEMORY: list of bytes, instead of what nodes measure
  ranks_per_node,  // concilio_ranks_per_node: 0 = as the machine is; less divides a node into several
  lock_timeout_ms,  // concilio_lock_timeout_ms
  direct_bytes,  // concilio_direct_bytes: shortest stretch that storage exchanges with a GPU itself; 0 = none
  // Settings of the process, from the environment alone.
  disable,    // CONCILIO_DISABLE
  only,       // CONCILIO_ONLY: GLOB[:GLOB]
  log_level,  // CONCILIO_LOG: error | warning | info | debug
  report,     // CONCILIO_REPORT: file that a JSON line is appended to for every file closed
  live,    // CONCILIO_LIVE: folder for what ranks know of their open files, see base/activity/live_record.h
  record,  // CONCILIO_RECORD: folder for what ranks record of their calls, see mpiio/file/call_record.h
  hints,   // CONCILIO_HINTS: "key=value;key=value", which `concilio run --hint` sets
  romio_hints,  // ROMIO_HINTS: file of "key value" lines
  fault,        // CONCILIO_FAULT: faults of storage to inject, for tests; see store/wrappers/fault.h
  throttle,     // CONCILIO_THROTTLE: costs to give storage, for experiments; see docs/guide.md
  profile,      // CONCILIO_PROFILE: auto | off | a file that `concilio probe` has written
  threads,      // CONCILIO_THREADS: raise the program's thread level to MPI_THREAD_MULTIPLE
  // Settings of SCORPIO's I/O groups, from the environment alone.
  scorpio_buffer_bytes,   // SCORPIO_BUFFER_BYTES: bytes that an I/O root may use for one transfer
  scorpio_shared_memory,  // SCORPIO_SHARED_MEMORY: ranks on the root's node copy into its buffer themselves
  scorpio_warn_seconds,   // SCORPIO_WARN_SECONDS: stderr tells of longer waits for other ranks; 0 = never
  count_,
};

enum class ValueType {
  integer,
  bytes,
  boolean,
  choice,
  text,
  config_list,  // the form of cb_config_list
  realm_kind,   // the form of romio_cb_fr_types
  permissions,  // octal
  byte_list,    // sizes, separated by commas
};

// When a hint that a program gives is honoured.
enum class Effect {
  always,   // when it is given at MPI_File_open or later
  at_open,  // only when it is given at MPI_File_open
  told,     // never: Concilio reports it for the file, and ignores what a program gives
};

struct Setting {
  Key key;
  ValueType type;
  int64_t minimum, maximum;   // for integer and bytes
  const char* default_value;  // as text, in the form a user would write
  const char* choices;        // for choice: "a|b|c"
  const char* hint;           // name in an MPI_Info; nullptr: not a hint
  const char* environment;    // name in the environment; nullptr: none
  const char* help;           // one sentence
  Effect effect = Effect::always;
};

// Another name that programs know a hint by, from the MPI standard or another implementation. If several rows
// have the same name, it sets several hints.
struct Alias {
  const char* name;
  Key key;
};

// The whole table, in the order of Key.
const std::array<Setting, static_cast<size_t>(Key::count_)>& settings();

std::span<const Alias> aliases();

// The effective settings of the process or of one file. Later sources win over earlier ones: the table's
// defaults, the ROMIO_HINTS file, CONCILIO_HINTS and the settings' own environment variables, the program's
// info object. But as in ROMIO, a hint that the user has set (in the environment) wins over the program's.
class Config {
 public:
  enum class Origin { default_value, hints_file, environment, info };

  // Reads the environment and the ROMIO_HINTS file. complaints() has what was wrong there.
  static Config from_environment();
  // Only the table's defaults.
  static Config defaults();

  // What a hint means: a setting, and the value in canonical form that it is to get.
  struct Meaning {
    Key key;
    std::string value;
    bool by_alias;
  };
  // Returns no meaning for hints of other implementations, and several for some aliases. The error is of kind
  // `unsupported` for an unknown name, and `info_value` for a malformed or out-of-range value.
  static Result<std::vector<Meaning>> read(std::string_view hint, std::string_view value);
  // Sets a hint by its name in an MPI_Info. It fails as `read` does, and then changes nothing. A hint that
  // the user's environment has set is silently kept.
  Status set(std::string_view hint, std::string_view value, Origin origin);
  // The same for a setting and a value in canonical form.
  void take(Key key, const std::string& value, Origin origin);
  // Whether the user's environment or hints file has set it, so that a program's info object cannot.
  bool fixed_by_user(Key key) const;
  // Sets what Concilio reports for a file: settings with Effect::told.
  void tell(Key key, const std::string& value);

  int64_t integer(Key key) const;  // of integer, bytes, boolean (0, 1) and choice (index into choices)
  const std::string& text(Key key) const;
  bool boolean(Key key) const { return integer(key) != 0; }
  Origin origin(Key key) const;

  // Calls use(hint name, value) for every setting that is a hint and is honoured.
  template <typename Use>
  void for_each_hint(Use&& use) const {
    for (const Setting& setting : settings()) {
      if (setting.hint) use(setting.hint, text(setting.key));
    }
  }
  // hints_as_text() returns the values and origins of all settings that are hints as one text, which
  // adopt_hints() takes over on another rank.
  std::string hints_as_text() const;
  void adopt_hints(const std::string& text);
  // Whether all settings that are hints have the same values and origins. hints_hash() is then equal, too.
  bool has_hints_of(const Config& other) const;
  uint64_t hints_hash() const { return hints_hash_; }
  // What was wrong in the environment and the hints file: one line each, with the cause and the remedy.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Value {
    std::string text;
    int64_t number = 0;
    Origin origin = Origin::default_value;
    bool operator==(const Value&) const = default;
  };
  static uint64_t hash_of(Key key, const Value& value);
  void put(Key key, Value value);
  std::array<Value, static_cast<size_t>(Key::count_)> values_;
  uint64_t hints_hash_ = 0;  // of all hints together; every open asks for it
  std::vector<std::string> complaints_;
};

// The folder of the user's settings: XDG_CONFIG_HOME, else .config at HOME; empty where neither is set.
std::string user_config_folder();

// What the environment says of one setting, and of one boolean setting. They read nothing else, so they can
// be used before MPI is initialised, and allocate nothing, so they cannot fail.
std::string_view text_in_environment(Key key);
bool asked_in_environment(Key key);

}  // namespace concilio
