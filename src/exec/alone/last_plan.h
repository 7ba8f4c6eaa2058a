// The plan of a rank's last request of its own. Programs make the same small request again and again, each
// time a little further on in the file, and to plan it takes several times as long as to carry it out.
#pragma once

#include <memory>
#include <mutex>

#include "exec/call/running_call.h"
#include "plan/plan.h"

namespace concilio::exec {

// What the plan of a request follows from, besides the file's settings. Where the request lies is not part of
// it: it makes a difference of a few percent of the price.
struct RequestLooks {
  uint64_t file = 0, memory = 0;  // hashes of the accesses
  int64_t phase = 0;              // where in a tile of the file's access the request begins
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
  // Null if the last request looked otherwise, or the file had other settings.
  std::shared_ptr<const plan::Plan> find(const std::shared_ptr<const OpenFile>& opened,
                                         const RequestLooks& looks) const;
  void keep(std::shared_ptr<const OpenFile> opened, const RequestLooks& looks,
            std::shared_ptr<const plan::Plan> plan);

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const OpenFile> opened_;  // kept, so that no other settings can be at its address
  RequestLooks looks_;
  std::shared_ptr<const plan::Plan> plan_;
};

}  // namespace concilio::exec
