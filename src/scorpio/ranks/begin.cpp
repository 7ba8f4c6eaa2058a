#include "scorpio/ranks/begin.h"

#include "base/exceptions.h"
#include "scorpio/ranks/layout.h"

namespace concilio::scorpio {

Status begin_together(const Party& all, const std::string& call, const Status& mine) {
  const std::vector<LayoutRef> layouts = layouts_of(all.comm);
  for (const LayoutRef& layout : layouts) {
    layout->notices.begin_call();
    if (!layout->is_root()) layout->notices.discard(layout->local);
  }
  // Marks are sent only if this rank has to wait, since a rank that needs one does not come without it.
  return agree_on(all, call, mine, [&] {
    if_there_is_memory([&] {
      for (const LayoutRef& layout : layouts) {
        if (layout->is_root()) layout->notices.mark(layout->local);
      }
    });
  });
}

}  // namespace concilio::scorpio
