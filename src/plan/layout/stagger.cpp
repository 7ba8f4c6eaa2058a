#include "plan/layout/stagger.h"

#include "base/checked.h"
#include "plan/layout/realms.h"
#include "plan/layout/windows.h"

namespace concilio::plan {

void stagger(const Facts& facts, Layout& layout) {
  const RealmPolicy wish = facts.wishes.realms;
  if (wish != RealmPolicy::automatic && wish != RealmPolicy::tree) return;
  if (realm_policy_row(layout.policy).of_file) return;
  const int64_t targets = facts.storage.stripe_targets;
  const auto around = checked_multiply(targets, facts.storage.stripe_bytes);
  if (targets < 2 || !around || *around <= 0) return;
  const auto front_of = [](const Realm& realm) {
    return realm.owned.is_contiguous() ? realm.positions.front().begin : 0;
  };
  for (size_t i = 0; i < layout.realms.size(); ++i) {
    Realm& realm = layout.realms[i];
    const int64_t windows = rounds_of(realm);
    if (windows < 2) continue;
    // How far behind the target on which the first realm begins this one is to begin, and does by itself; and
    // how far behind its front that is, if all of its bytes lie side by side. So a plan stays what it is if
    // all realms move.
    const auto wished = static_cast<int64_t>(static_cast<__int128>(*around) * static_cast<int64_t>(i) /
                                             static_cast<int64_t>(layout.realms.size()));
    const int64_t by_itself = (front_of(realm) - front_of(layout.realms.front())) % *around;
    const auto distance = (static_cast<__int128>(wished) - by_itself + *around) % *around;
    realm.start = static_cast<int64_t>((distance + realm.window_bytes / 2) / realm.window_bytes % windows);
  }
}

}  // namespace concilio::plan
