// The plan of a rank's last request of its own, and how long such requests took by each method. Programs make
// the same request again and again, each time a little further on in the file. To plan a small one takes
// several times as long as to carry it out; for a large one, methods that may be faster than the one of the
// lowest price are worth a trial, as in collective calls.
#pragma once

#include <memory>
#include <mutex>

#include "exec/call/running_call.h"
#include "plan/plan.h"

namespace concilio::exec {

// What the plan of a request follows from, besides the file's settings. Where the request lies is not part of
// it: it makes a difference of a few percent of the price.
struct RequestLooks {
  uint64_t file = 0;    // the look of the data
  uint64_t memory = 0;  // hash of the access
  int64_t bytes = 0, staging_bytes = 0;
  bool monotone = true, may_rewrite = false;
  bool operator==(const RequestLooks&) const = default;
};
// `opened` may find out by this that it is worth asking other opens of the file again; call it once a
// request.
RequestLooks looks_of(const OpenFile& opened, const Request& request);

// Thread-safe.
class LastPlan {
 public:
  // Null if the last request looked otherwise, the file had other settings, or the next request is to be made
  // by another method.
  std::shared_ptr<const plan::Plan> find(const std::shared_ptr<const OpenFile>& opened,
                                         const RequestLooks& looks) const;
  void keep(std::shared_ptr<const OpenFile> opened, const RequestLooks& looks,
            std::shared_ptr<const plan::Plan> plan);
  // Of requests that look so.
  plan::Experience experience(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks) const;
  // Whether requests of this plan are to be measured: the price chose its method, and they are long enough.
  static bool is_measured(const plan::Plan& plan);
  // `whole`: all bytes were moved. A request that ends early, at the end of the file or by an error, says
  // little of its method, and counts as its price if that is more.
  void learn(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks, const plan::Plan& plan,
             double seconds, bool whole);

 private:
  bool is_of(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks) const {
    return opened == opened_ && looks == looks_;
  }
  mutable std::mutex mutex_;
  std::shared_ptr<const OpenFile> opened_;  // kept, so that no other settings can be at its address
  RequestLooks looks_;
  std::shared_ptr<const plan::Plan> plan_;
  plan::Experience experience_;
};

}  // namespace concilio::exec
