#include "plan/facts/wishes.h"

#include <algorithm>

#include "base/text/bytes.h"

namespace concilio::plan {
namespace {

// Values of romio_cb_fr_types that are not sizes: realms by the file's size, and realms given by the user.
constexpr int64_t romio_file_size_realms = -1, romio_user_realms = -2;

// Concilio's own setting goes before ROMIO's hints for the same.
RealmPolicy realms_wished(const Config& config) {
  const auto named = static_cast<RealmPolicy>(config.integer(Key::realms));
  if (named != RealmPolicy::automatic) return named;
  const int64_t kind = config.integer(Key::romio_cb_fr_types);
  if (config.text(Key::romio_cb_pfr) == "enable" || kind == romio_file_size_realms)
    return RealmPolicy::persistent;
  if (kind == romio_user_realms) return RealmPolicy::user;
  return kind > 0 ? RealmPolicy::cyclic : RealmPolicy::automatic;
}

int64_t most_aggregators_of_node(const Config& config) {
  const int64_t most = config.integer(Key::aggregators_per_node);
  return most > 0 ? most : config.integer(Key::cb_config_list);
}

// Takes over the settings for which `counts(key)` holds. If several settings mean the same and it holds for
// one of them, all of them are considered.
template <typename Counts>
void take_over(const Config& config, Operation operation, Counts&& counts, Wishes& wishes) {
  const bool reads = operation == Operation::read;
  const auto number = [&](Key key, int64_t& wish) {
    if (counts(key)) wish = config.integer(key);
  };
  const auto choice = [&](Key key, Choice3& wish) {
    if (counts(key)) wish = static_cast<Choice3>(config.integer(key));
  };
  number(Key::cb_buffer_size, wishes.window_bytes);
  number(Key::cb_nodes, wishes.aggregators);
  if (counts(Key::cb_config_list) || counts(Key::aggregators_per_node))
    wishes.aggregators_per_node = most_aggregators_of_node(config);
  choice(Key::romio_cb_alltoall, wishes.alltoallw);
  if (counts(Key::exchange)) wishes.exchange = static_cast<ExchangeWish>(config.integer(Key::exchange));
  number(Key::combine, wishes.combine_nodes);
  if (counts(Key::realms) || counts(Key::romio_cb_pfr) || counts(Key::romio_cb_fr_types))
    wishes.realms = realms_wished(config);
  if (counts(Key::romio_cb_fr_types))
    wishes.realm_block_bytes = std::max<int64_t>(0, config.integer(Key::romio_cb_fr_types));
  if (counts(Key::placement)) wishes.placement = static_cast<Placement>(config.integer(Key::placement));
  if (counts(Key::groups)) wishes.groups = config.integer(Key::groups) == 0;
  if (counts(Key::pipelining)) wishes.pipelining = config.integer(Key::pipelining) == 0;
  number(Key::write_behind, wishes.write_behind_bytes);
  number(Key::group_bytes, wishes.group_bytes);
  number(Key::domain_bytes, wishes.domain_bytes);
  number(Key::memory_min, wishes.memory_min_bytes);
  if (counts(Key::node_memory)) wishes.node_memory_bytes = byte_list(config.text(Key::node_memory));
  number(Key::romio_cb_fr_alignment, wishes.alignment_bytes);
  if (wishes.alignment_bytes == 1) wishes.alignment_bytes = 0;  // no wish: it is ROMIO's default
  number(Key::memory_limit, wishes.memory_limit_bytes);
  number(reads ? Key::ind_rd_buffer_size : Key::ind_wr_buffer_size, wishes.sieve_buffer_bytes);
  choice(reads ? Key::romio_cb_read : Key::romio_cb_write, wishes.collective);
  choice(reads ? Key::romio_ds_read : Key::romio_ds_write, wishes.sieving);
  if (counts(Key::romio_no_indep_rw)) wishes.no_independent = config.boolean(Key::romio_no_indep_rw);
  if (counts(Key::method))
    wishes.forced_method = static_cast<int32_t>(config.integer(Key::method)) - 1;  // 0: auto
}

}  // namespace

Wishes wishes_of(const Config& config, Operation operation) {
  Wishes wishes;
  take_over(
      config, operation, [](Key) { return true; }, wishes);
  return wishes;
}

void take_over_given(const Config& config, Operation operation, Wishes& wishes) {
  const auto given = [&](Key key) { return config.origin(key) != Config::Origin::default_value; };
  take_over(config, operation, given, wishes);
}

namespace {

// Calls f(key, wish, measured) for each parameter that was measured and that nobody has set.
template <typename F>
void for_each_measured(const Parameters& parameters, const Config& config, F&& f) {
  const auto one = [&](Key key, int64_t Wishes::*wish, int64_t measured) {
    if (measured > 0 && config.origin(key) == Config::Origin::default_value) f(key, wish, measured);
  };
  one(Key::domain_bytes, &Wishes::domain_bytes, parameters.domain_bytes);
  one(Key::group_bytes, &Wishes::group_bytes, parameters.group_bytes);
}

}  // namespace

void take_over_parameters(const Parameters& parameters, Config& config) {
  for_each_measured(parameters, config, [&](Key key, int64_t Wishes::*, int64_t measured) {
    config.tell(key, std::to_string(measured));
  });
}

void take_over_parameters(const Parameters& parameters, const Config& config, Wishes& wishes) {
  for_each_measured(parameters, config,
                    [&](Key, int64_t Wishes::*wish, int64_t measured) { wishes.*wish = measured; });
}

void take_over_stripes(const Config& config, StorageFacts& storage) {
  const int64_t unit = config.integer(Key::striping_unit), targets = config.integer(Key::striping_factor);
  if (unit > 0) storage.stripe_bytes = unit;
  if (targets > 0) storage.stripe_targets = targets;
}

}  // namespace concilio::plan
