// Images between the nodes of a group. On each node some ranks speak for all: they send the images of realms
// that other nodes aggregate, and exchange the windows of realms that theirs does. An image with holes
// travels as what it covers (exec/two_phase/coverage.h) and its covered bytes.
//
// Two strategies, chosen by the plan (Coloma et al., section 5.4): nonblocking messages, and MPI_Alltoallw.
//
// Whoever exchanges in a round waits for other ranks of its node only between exchanges; so no circle of
// waiting can form (a round's exchange needs nothing but the same round's on other nodes).
#pragma once

#include <memory>
#include <vector>

#include "exec/two_phase/images.h"
#include "exec/workspace.h"

namespace concilio {

// What the strategies work on; all must outlive them.
struct ExchangeContext {
  const OpenFile& opened;  // only while one is made
  const Plan& plan;
  const Group& group;  // of this node; without realms where the node takes no part
  Images& images;
  const Workspace& workspace;  // its staging: an aggregator's, two messages of its realm
};

// One rank's part. All memory is had when it is made, so that in a round no rank waits for what another has
// no memory for; where lists are as long as the data are irregular, want of it is an error like any other:
// the rank goes on with its part.
class Exchange {
 public:
  static std::unique_ptr<Exchange> make(const ExchangeContext& context);
  // The rounds from `first` on, in which this node's group, if any, has nothing left to do but others may
  // wait for its call.
  virtual Status sit_out(int64_t first_round) = 0;

  virtual ~Exchange() = default;
  // The realms whose images this rank carries between its node and the aggregator's, and those aggregated on
  // its node whose windows it exchanges with other nodes.
  const std::vector<size_t>& carried() const { return carried_; }
  const std::vector<size_t>& served() const { return served_; }

  // Writes: sends the carried images, and merges what other nodes send into the served realms' windows.
  virtual Status gather(int64_t round) = 0;
  // Reads: asks for what the carried images' maps mark and puts what comes into them; hands out the served
  // realms' windows to the nodes that ask. valid_end of the carried images' headers is set.
  virtual Status scatter(int64_t round) = 0;

 protected:
  explicit Exchange(const ExchangeContext& context)
      : team_(context.opened.team),
        counters_(context.opened.counters),
        budget_(context.opened.budget),
        plan_(context.plan),
        group_(context.group),
        images_(context.images),
        workspace_(context.workspace) {}
  Team& team_;
  Counters& counters_;
  Budget& budget_;
  const Plan& plan_;
  const Group& group_;
  Images& images_;
  const Workspace& workspace_;
  std::vector<size_t> carried_, served_;
};

std::unique_ptr<Exchange> make_message_exchange(const ExchangeContext& context);
std::unique_ptr<Exchange> make_alltoallw_exchange(const ExchangeContext& context);

}  // namespace concilio
