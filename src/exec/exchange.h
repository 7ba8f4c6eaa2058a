// Images between nodes: one message for a node, realm and round. On each node one rank, the carrier of the
// realm, speaks for all; an image with holes travels as its coverage map and its covered bytes.
//
// Whoever exchanges in a round posts all its messages of that round before it waits for any, and waits for
// other ranks of its node only between exchanges; so no circle of waiting can form (a round's exchange needs
// nothing but the same round's on other nodes).
#pragma once

#include <vector>

#include "exec/engine.h"
#include "exec/images.h"

namespace concilio {

class Exchange {
 public:
  // Within `group`, this node's. `staging`: of an aggregator, two messages of its realm long; plan, group and
  // images must outlive this.
  Exchange(Engine& engine, const Plan& plan, const Group& group, const Images& images, std::byte* staging);

  // The realms this rank carries between its node and the aggregator's, and the realm it aggregates (-1:
  // none).
  const std::vector<size_t>& carried() const { return carried_; }
  int own_realm() const { return own_realm_; }
  bool takes_part() const { return !carried_.empty() || (own_realm_ >= 0 && several_nodes()); }

  // Writes: sends the carried images, and merges what other nodes send into the own realm's window.
  Status gather(int64_t round);
  // Reads: asks for what the carried images' maps mark and puts what comes into them; serves the own realm's
  // window to the nodes that ask. valid_end of the images' headers is set.
  Status scatter(int64_t round);

 private:
  struct Pending;
  bool several_nodes() const { return !other_nodes_.empty(); }
  int carrier(size_t realm, size_t node) const;
  bool has_round(size_t realm, int64_t round) const;
  std::byte* staging(size_t i) { return staging_ + static_cast<int64_t>(i % 2) * own_message_bytes(); }
  int64_t own_message_bytes() const { return plan_->realms[static_cast<size_t>(own_realm_)].image_bytes; }
  Status receive_images(int64_t round);
  Status serve_requests(int64_t round);

  Engine* engine_;
  const Plan* plan_;
  const Images* images_;
  std::vector<size_t> carried_;
  int own_realm_ = -1;
  std::vector<size_t> other_nodes_;  // of the group
  std::byte* staging_;
};

}  // namespace concilio
