// The plans of a rank's last requests of its own, and how long such requests took by each method. Programs
// make the same requests again and again, each time a little further on in the file: all of one sort, or
// several variables by turns. To plan a small one takes several times as long as to carry it out; for a large
// one, methods that may be faster than the one of the lowest price are worth a trial, as in collective calls.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

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

// Of an open file and one operation. Thread-safe.
class PlansAlone {
 public:
  // Null if no request that is remembered looked so, or the next one is to be made by another method.
  std::shared_ptr<const plan::Plan> find(const std::shared_ptr<const OpenFile>& opened,
                                         const RequestLooks& looks);
  // In place of an earlier plan for requests that look so, or else of the one that has not been used for
  // longest.
  void keep(std::shared_ptr<const OpenFile> opened, const RequestLooks& looks,
            std::shared_ptr<const plan::Plan> plan);
  // Of requests that look so.
  plan::Experience experience(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks);
  // Whether requests of this plan are to be measured: the price chose its method, and they are long enough.
  static bool is_measured(const plan::Plan& plan);
  // `whole`: all bytes were moved. A request that ends early, at the end of the file or by an error, says
  // little of its method, and counts as its price if that is more.
  void learn(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks, const plan::Plan& plan,
             double seconds, bool whole);

 private:
  struct Kept {
    RequestLooks looks;
    std::shared_ptr<const plan::Plan> plan;
    plan::Experience experience;
    int64_t last_use = 0;
  };
  // Null if there is none. With other settings of the file, there is none.
  Kept* kept_for(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks);

  static constexpr size_t most = 8;
  std::mutex mutex_;
  std::shared_ptr<const OpenFile> opened_;  // kept, so that no other settings can be at its address
  std::vector<Kept> kept_;
  int64_t uses_ = 0;
};

}  // namespace concilio::exec
