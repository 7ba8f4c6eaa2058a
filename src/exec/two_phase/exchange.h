// Moves images between the nodes of a group. On each node some ranks act for all: they send the images of
// realms that are aggregated on other nodes, and exchange the windows of realms that are aggregated on their
// own. An image with holes travels as a description of what it covers (exec/windows/coverage.h) and the
// covered bytes.
//
// The plan chooses one of two strategies (Coloma et al., section 5.4): nonblocking messages, or
// MPI_Alltoallw.
//
// A rank that exchanges waits for other ranks of its node only between exchanges, and the exchange of a round
// needs nothing but the same round's exchange on other nodes. So ranks cannot wait for each other in a
// circle.
#pragma once

#include <memory>
#include <vector>

#include "exec/call/running_call.h"
#include "exec/call/workspace.h"
#include "exec/windows/coverage.h"
#include "exec/windows/images.h"

namespace concilio::exec {

// What the strategies work on; all must outlive them.
struct ExchangeContext {
  const OpenFile& opened;    // used only while an exchange is made
  const plan::Facts& facts;  // likewise
  const plan::Plan& plan;
  const plan::Group& group;  // of this node; has no realms if the node takes no part
  Images& images;
  const Workspace& workspace;  // provides an aggregator's staging, room for two messages of its realm
};

// Reads more of a window of which no more has been read than what the ranks of its own node want.
class ReadsMore {
 public:
  // Reads the bytes that another node wants (null: all), as far as that has not been done. Returns the file
  // offset behind the last of them that exists, or a larger one if they all do.
  virtual Result<int64_t> read_more(std::span<WindowPart> parts, const Coverage* wanted) = 0;

 protected:
  ~ReadsMore() = default;
};

// One rank's part in the exchange. Its memory is allocated when it is made, so that in a round no rank waits
// for another that has run out of memory. Only lists whose length depends on how irregular the data are may
// grow later; if there is no memory for them, that is an error like any other, and the rank still takes every
// step.
class Exchange {
 public:
  static std::unique_ptr<Exchange> make(const ExchangeContext& context);
  // Whether the exchange can be made. If not on some rank, the plan must have another one on all ranks.
  virtual bool fits() const { return true; }
  // Nodes tell each other what must be known beforehand of a pattern's requests; this rank's is given. Nobody
  // may use the images until all ranks have met again. Collective over the team; the outcome is this rank's
  // own.
  virtual Status tell_requests(const Request& request) = 0;
  // Takes part in the rounds from first_round on. This node's group, if it has one, has nothing left to do in
  // them, but other nodes may wait for its call.
  virtual Status sit_out(int64_t first_round) = 0;

  virtual ~Exchange() = default;
  // carried(): the realms whose images this rank carries between its node and the aggregator's. served(): the
  // realms aggregated on its node whose windows this rank exchanges with other nodes.
  const std::vector<size_t>& carried() const { return carried_; }
  const std::vector<size_t>& served() const { return served_; }

  // For writes. Sends the carried images, and merges the images of other nodes into the served realms'
  // windows.
  virtual Status gather(int64_t round) = 0;
  // For reads. Asks for the bytes that the carried images' maps mark and puts the answers into the images;
  // sends bytes of the served realms' windows to the nodes that ask. Sets valid_end in the carried images'
  // headers. Where a group's ranks mark what they want, what other nodes want is read when they ask for it.
  virtual Status scatter(int64_t round, ReadsMore& storage) = 0;

 protected:
  explicit Exchange(const ExchangeContext& context)
      : team_(context.opened.team),
        counters_(context.opened.counters),
        budget_(context.opened.budget),
        plan_(context.plan),
        group_(context.group),
        images_(context.images),
        workspace_(context.workspace) {}
  mpi::Team& team_;
  Counters& counters_;
  Budget& budget_;
  const plan::Plan& plan_;
  const plan::Group& group_;
  Images& images_;
  const Workspace& workspace_;
  std::vector<size_t> carried_, served_;
};

std::unique_ptr<Exchange> make_message_exchange(const ExchangeContext& context);
std::unique_ptr<Exchange> make_alltoallw_exchange(const ExchangeContext& context);

}  // namespace concilio::exec
