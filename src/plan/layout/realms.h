// Realms: which file bytes go through which aggregator. A policy divides a region of the file into portions;
// who aggregates them is the placement's matter. To add a policy: a file in realms/, a row in realms.cpp (see
// docs/add-a-policy.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/layout/layout.h"
#include "plan/layout/placement.h"

namespace concilio {

// What a policy divides: the file bytes that the ranks of one aggregation group may touch.
struct Region {
  const Facts& facts;
  const Group& group;  // its nodes and spans, of which there is at least one
  int64_t wanted;      // realms at most; at least 1
  Interval range() const { return {group.spans.front().begin, group.spans.back().end}; }
};

// A realm-to-be: the bytes of `owned` that lie in `range`.
struct Portion {
  Access owned = Access::contiguous(0);
  Interval range{0, INT64_MAX};
  std::optional<Aggregator> aggregator{};  // where the policy has placed it itself
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
  // Realms are the file's: they own all of it, for every call to come, and there is one group.
  bool of_file;
  // `hosts`: for policies whose portions depend on who can serve them.
  Division (*divide)(const Region& region, Hosts& hosts);
};
std::span<const RealmPolicyRow> realm_policy_rows();  // in the order of RealmPolicy, without `automatic`
const RealmPolicyRow& realm_policy_row(RealmPolicy policy);
const char* realm_policy_name(RealmPolicy policy);  // "auto" for `automatic`

// The policy that the wishes and the nodes call for; never `automatic`.
RealmPolicy chosen_policy(const Facts& facts);

// Realms of the file that this policy takes, made earlier or given; nullptr: it makes its own.
std::shared_ptr<const FixedRealms> known_realms(const Facts& facts, RealmPolicy policy);

// The hosts of a group, for the policy in force. Realms that a user gives need as many aggregators as they
// are.
Hosts hosts_of(const Facts& facts, const Group& group);

// How many realms the call's bytes in a group are worth, from the wishes, the nodes and the bytes; at least 1
// if there is any candidate.
int64_t wanted_realms(const Facts& facts, const Group& group);

// At most `count` realms over the spans of a group, each with its aggregator; those without bytes are left
// out. Windows are not filled in. With realms of the file: `fixed` receives them, or is what it was.
std::vector<Realm> realms_of(const Facts& facts, const Group& group, int64_t count,
                             std::shared_ptr<const FixedRealms>& fixed);

// What policies are made of.

// The portions between neighbouring borders.
std::vector<Portion> between(const std::vector<int64_t>& borders);
// `count` + 1 borders of a range, the first and the last its own; inner ones wished at wish(i), 0 < i <
// count, are moved to the nearest multiples of the alignment, and dropped where they meet another.
std::vector<int64_t> aligned_borders(Interval range, int64_t count, int64_t alignment,
                                     const std::function<int64_t(int64_t)>& wish);
// The region's range in portions of equally many units of the alignment, at most as many as are wanted.
Division in_equal_parts(const Region& region, int64_t alignment);
// Every `count`-th block of the file, from byte 0, for each of `count` portions.
Division dealt_out(int64_t block_bytes, int64_t count, int64_t alignment);
// The unit that borders are best aligned to: what is wished, a stripe, a block of the file system.
int64_t unit_bytes(const Facts& facts);
// The same where realms of about realm_bytes are large enough for it, else 1: small ones would become uneven.
int64_t unit_for(const Facts& facts, int64_t realm_bytes);

// The policies; each is described in its file.
Division divide_even(const Region& region, Hosts& hosts);
Division divide_aligned(const Region& region, Hosts& hosts);
Division divide_persistent(const Region& region, Hosts& hosts);
Division divide_cyclic(const Region& region, Hosts& hosts);
Division divide_balanced(const Region& region, Hosts& hosts);
Division divide_tree(const Region& region, Hosts& hosts);
Division divide_user(const Region& region, Hosts& hosts);

}  // namespace concilio
