// File realms: which file bytes go through which aggregator. A policy divides a region of the file into
// portions; the placement chooses who aggregates them. To add a policy: a file in realms/, a row in
// realms.cpp (see docs/add-a-policy.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/layout/layout.h"
#include "plan/layout/placement.h"

namespace concilio::plan {

// What a policy divides: the file bytes that the ranks of one aggregation group may touch.
struct Region {
  const Facts& facts;
  const Group& group;  // its nodes and its spans; there is at least one span
  int64_t wanted;      // the most realms that are wanted; at least 1
  pattern::Interval range() const { return {group.spans.front().begin, group.spans.back().end}; }
};

// A realm before it has an aggregator, or a part of one: the bytes of `owned` that lie in `range`. Portions
// of one aggregator ascend, have the same `owned`, and become one realm.
struct Portion {
  pattern::Access owned = pattern::Access::contiguous(0);
  pattern::Interval range{0, INT64_MAX};
  std::optional<Aggregator> aggregator{};  // if the policy has placed it itself
};
struct Division {
  std::vector<Portion> portions;  // disjoint; cover the region
  int64_t alignment = 1;          // borders between them are multiples of it
  int64_t piece_bytes = 0;        // as in Realm
};

struct RealmPolicyRow {
  RealmPolicy policy;
  const char* name;
  const char* summary;
  // The realms belong to the file: they own all of it, for all later calls, and there is one group.
  bool of_file;
  // `hosts` is for policies whose portions depend on which hosts can take on aggregators.
  Division (*divide)(const Region& region, Hosts& hosts);
};
std::span<const RealmPolicyRow> realm_policy_rows();  // in the order of RealmPolicy, without `automatic`
const RealmPolicyRow& realm_policy_row(RealmPolicy policy);
const char* realm_policy_name(RealmPolicy policy);  // "auto" for `automatic`

// The policy that follows from the wishes and the nodes; never `automatic`.
RealmPolicy chosen_policy(const Facts& facts);

// The realms of the file for this policy, made by an earlier call or given by the user; nullptr: the policy
// makes its own.
std::shared_ptr<const FixedRealms> known_realms(const Facts& facts, RealmPolicy policy);

// The hosts of a group, for the policy in use. Realms that a user gives need one aggregator each, however
// many they are.
Hosts hosts_of(const Facts& facts, const Group& group);

// How many realms are worthwhile for the call's bytes in a group, by the wishes, the nodes and the bytes; at
// least 1 if there is any candidate.
int64_t wanted_realms(const Facts& facts, const Group& group);

// At most `count` realms over the spans of a group, each with its aggregator; realms without bytes are left
// out. Windows are not filled in. If the realms belong to the file, `fixed` receives them or stays as it was.
std::vector<Realm> realms_of(const Facts& facts, const Group& group, int64_t count,
                             std::shared_ptr<const FixedRealms>& fixed);

// Functions that several policies use.

// The portions between neighbouring borders.
std::vector<Portion> between(const std::vector<int64_t>& borders);
// The `count` + 1 borders of a range, of which the first and the last are its own. Inner borders are wished
// at wish(i), 0 < i < count; each is moved to the nearest multiple of the alignment, and dropped if another
// lies there.
std::vector<int64_t> aligned_borders(pattern::Interval range, int64_t count, int64_t alignment,
                                     const std::function<int64_t(int64_t)>& wish);
// The region's range in portions with equal numbers of alignment units, at most as many as are wanted.
Division in_equal_parts(const Region& region, int64_t alignment);
// Deals the blocks of the file round-robin to `count` portions, from byte 0.
Division dealt_out(int64_t block_bytes, int64_t count, int64_t alignment);
// The best unit for aligned borders: the one wished for, a stripe, or a block of the file system.
int64_t unit_bytes(const Facts& facts);
// The same if realms of about realm_bytes are large enough for it; else 1, since small realms would become
// uneven.
int64_t unit_for(const Facts& facts, int64_t realm_bytes);

// The policies; each is described in its file.
Division divide_even(const Region& region, Hosts& hosts);
Division divide_aligned(const Region& region, Hosts& hosts);
Division divide_persistent(const Region& region, Hosts& hosts);
Division divide_cyclic(const Region& region, Hosts& hosts);
Division divide_balanced(const Region& region, Hosts& hosts);
Division divide_tree(const Region& region, Hosts& hosts);
Division divide_user(const Region& region, Hosts& hosts);

}  // namespace concilio::plan
