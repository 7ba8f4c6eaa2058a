// Which part of a realm's bytes are asked for by ranks of its aggregator's own node, and so need not travel.
#pragma once

#include "plan/layout/layout.h"

namespace concilio::plan {

class AtHome {
 public:
  // Both must outlive this.
  AtHome(const Facts& facts, const Layout& layout);
  // From 0 to 1. Where it is not known in which stretches nodes' data lie, nodes have equal parts.
  double part(const Realm& realm) const;
  // Of all realms of a group together.
  double part(const Group& group) const;
  // How many bytes of a realm are asked for by ranks of other nodes.
  double bytes_of_others(const Realm& realm) const;

 private:
  const Facts& facts_;
  const Layout& layout_;
  double filled_ = 1;  // the part of the realms' bytes that ranks ask for
};

}  // namespace concilio::plan
