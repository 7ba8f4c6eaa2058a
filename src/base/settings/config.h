// Every setting of Concilio in one table: its name, type, range, default, hint name, environment name and
// help. The only place that reads the environment.
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
  cb_buffer_size,         // bytes; window of an aggregator; 0 = chosen by the plan
  cb_nodes,               // number of aggregators; 0 = chosen by the plan
  cb_config_list,         // text "*:N": at most N aggregators a host; integer() is N, 0 = chosen by the plan
  romio_cb_read,          // enable | disable | automatic
  romio_cb_write,         // enable | disable | automatic
  romio_ds_read,          // enable | disable | automatic
  romio_ds_write,         // enable | disable | automatic
  ind_rd_buffer_size,     // bytes; sieve buffer of independent reads
  ind_wr_buffer_size,     // bytes; sieve buffer of independent writes
  romio_no_indep_rw,      // boolean
  romio_cb_pfr,           // enable | disable: realms that stay the same from call to call
  romio_cb_fr_types,      // aar, or a number: how realms are cut
  romio_cb_fr_alignment,  // bytes; unit that realm borders are aligned to; 0 = chosen by the plan
  romio_cb_ds_threshold,  // percent up to 100, bytes above; 0 = by price
  romio_cb_alltoall,      // enable | disable | automatic
  striping_unit,          // bytes; 0 = the file system's own
  striping_factor,        // targets; 0 = the file system's own
  file_perm,              // permissions of a file that the open creates
  visibility_immediate,   // romio_visibility_immediate: told: what a rank writes, others see at once
  filesystem_type,        // romio_filesystem_type: told
  // Ours.
  method,        // concilio_method: auto | independent | list | sieve | two_phase | mapped
  flush,         // concilio_flush: auto | rmw | list | batch: how a window with holes reaches the file
  memory_limit,  // concilio_memory_limit, CONCILIO_MEMORY_LIMIT: bytes a rank
  realms,        // concilio_realms: how file bytes become aggregators' realms
  placement,     // concilio_placement: memory | spread | first: who aggregates
  groups,        // concilio_groups: auto | off: aggregation groups
  write_behind,  // concilio_write_behind: bytes that an aggregator of persistent realms may hold back
  group_bytes,   // concilio_group_bytes: data of a group
  domain_bytes,  // concilio_domain_bytes: data of an aggregator
  memory_min,    // concilio_memory_min: free memory that a node needs for an aggregator
  aggregators_per_node,  // concilio_aggregators_per_node: 0 = chosen by the plan
  node_memory,  // concilio_node_memory, CONCILIO_NODE_MEMORY: list of bytes, in place of what nodes measure
  ranks_per_node,   // concilio_ranks_per_node: 0 = the machine's own; smaller makes several nodes of one
  lock_timeout_ms,  // concilio_lock_timeout_ms
  // The process's own, from the environment alone.
  disable,      // CONCILIO_DISABLE
  only,         // CONCILIO_ONLY: GLOB[:GLOB]
  log_level,    // CONCILIO_LOG: error | warning | info | debug
  report,       // CONCILIO_REPORT: file that a JSON line is appended to for every file closed
  hints,        // CONCILIO_HINTS: "key=value;key=value", what `concilio run --hint` sets
  romio_hints,  // ROMIO_HINTS: file of "key value" lines
  fault,        // CONCILIO_FAULT: store faults to inject, see store/wrappers/fault.h (for tests)
  throttle,     // CONCILIO_THROTTLE: what the storage costs, see store/devices/throttle.h (for experiments)
  profile,      // CONCILIO_PROFILE: auto | off | file of `concilio probe`
  threads,      // CONCILIO_THREADS: raise the program's thread level to MPI_THREAD_MULTIPLE
  // Of SCORPIO's I/O groups, from the environment alone.
  scorpio_buffer_bytes,   // SCORPIO_BUFFER_BYTES: bytes that an I/O root may use for one transfer
  scorpio_shared_memory,  // SCORPIO_SHARED_MEMORY: ranks on the root's node copy into its buffer themselves
  scorpio_warn_seconds,   // SCORPIO_WARN_SECONDS: of waiting for other ranks, before stderr tells; 0 = never
  count_,
};

enum class ValueType {
  integer,
  bytes,
  boolean,
  choice,
  text,
  config_list,  // of cb_config_list
  realm_kind,   // of romio_cb_fr_types
  permissions,  // octal
  byte_list,    // sizes, separated by commas
};

// When a hint that a program gives is honoured.
enum class Effect {
  always,   // given at the open or later
  at_open,  // later it is too late
  told,     // Concilio says it of the file; what a program gives is passed over
};

struct Setting {
  Key key;
  ValueType type;
  int64_t minimum, maximum;   // of integer and bytes
  const char* default_value;  // as text, in the form a user would write
  const char* choices;        // of choice: "a|b|c"
  const char* hint;           // name in an MPI_Info; nullptr: not a hint
  const char* environment;    // nullptr: none
  const char* help;           // one sentence
  Effect effect = Effect::always;
};

// Another name that programs know a hint by, of the MPI standard or of another implementation. A name of
// several rows sets several.
struct Alias {
  const char* name;
  Key key;
};

// The whole table, in the order of Key.
const std::array<Setting, static_cast<size_t>(Key::count_)>& settings();

std::span<const Alias> aliases();

// The effective settings of the process or of one file: the table's defaults, then the ROMIO_HINTS file, then
// CONCILIO_HINTS and the settings' own environment names, then what the program's info object gives. As in
// ROMIO, a hint from the user's side (environment) wins over the program's.
class Config {
 public:
  enum class Origin { default_value, hints_file, environment, info };

  // Reads the environment and the ROMIO_HINTS file. What was wrong there is in complaints().
  static Config from_environment();
  // Only the table's defaults.
  static Config defaults();

  // What a hint means: the value, in canonical form, that a setting is to get.
  struct Meaning {
    Key key;
    std::string value;
    bool by_alias;
  };
  // Nothing for hints of other implementations, several for some aliases. Unknown names give an error of kind
  // `unsupported`, malformed and out-of-range values `info_value`.
  static Result<std::vector<Meaning>> read(std::string_view hint, std::string_view value);
  // Sets a hint by its info name. On an error, which is that of `read`, nothing has changed. A hint that the
  // user's environment fixed is silently kept.
  Status set(std::string_view hint, std::string_view value, Origin origin);
  // The same with a value in canonical form.
  void take(Key key, const std::string& value, Origin origin);
  // Whether the user's side settled it, against what a program's info object may say.
  bool fixed_by_user(Key key) const;
  // What Concilio says of a file: settings with Effect::told.
  void tell(Key key, const std::string& value);

  int64_t integer(Key key) const;  // of integer, bytes, boolean (0, 1) and choice (index into choices)
  const std::string& text(Key key) const;
  bool boolean(Key key) const { return integer(key) != 0; }
  Origin origin(Key key) const;

  // (hint name, value) of every setting that is a hint and is honoured.
  std::vector<std::pair<std::string, std::string>> effective_hints() const;
  // The values and origins of all settings that have a hint name, as one text, and their adoption on another
  // rank.
  std::string hints_as_text() const;
  void adopt_hints(const std::string& text);
  // One line each, naming the culprit and the remedy; read from the environment and the hints file.
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  struct Value {
    std::string text;
    int64_t number = 0;
    Origin origin = Origin::default_value;
  };
  std::array<Value, static_cast<size_t>(Key::count_)> values_;
  std::vector<std::string> complaints_;
};

// The folder of the user's settings: XDG_CONFIG_HOME, else .config at HOME; empty where neither is set.
std::string user_config_folder();

// What the environment says of one boolean setting, without reading anything else: for what is asked before
// MPI is there.
bool asked_in_environment(Key key);

// The sizes of a byte_list setting's canonical text.
std::vector<int64_t> byte_list(std::string_view text);

}  // namespace concilio
