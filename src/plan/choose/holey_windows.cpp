#include "plan/choose/holey_windows.h"

#include <iterator>

#include "plan/facts/digest.h"

namespace concilio::plan {

std::optional<HoleyWindows> holey_windows(const Facts& facts, const Layout& layout, double windows,
                                          const Prices& prices) {
  const Digest& digest = facts.digest;
  int64_t range_bytes = 0;
  for (const Realm& realm : layout.realms) range_bytes += realm.bytes;
  if (facts.operation == Operation::read || digest.bytes >= range_bytes) return {};
  const WindowShape all{range_bytes, digest.bytes, digest.file_pieces, 0};
  return HoleyWindows{all, cheapest_flush(all, windows, prices, std::ssize(layout.realms))};
}

}  // namespace concilio::plan
