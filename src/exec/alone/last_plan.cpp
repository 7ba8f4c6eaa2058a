#include "exec/alone/last_plan.h"

#include <utility>

namespace concilio::exec {

RequestLooks looks_of(const OpenFile& opened, const Request& request) {
  RequestLooks looks{request.file->hash(), request.memory->hash(), 0, request.bytes, request.staging_bytes};
  if (!request.file->empty()) looks.phase = request.position % request.file->nest()->size();
  looks.monotone = request.file->monotone_within(request.position + request.bytes);
  looks.may_rewrite = request.operation == Operation::write && opened.rewriting.hopeful();
  return looks;
}

std::shared_ptr<const plan::Plan> LastPlan::find(const std::shared_ptr<const OpenFile>& opened,
                                                 const RequestLooks& looks) const {
  std::lock_guard lock(mutex_);
  return opened == opened_ && looks == looks_ ? plan_ : nullptr;
}

void LastPlan::keep(std::shared_ptr<const OpenFile> opened, const RequestLooks& looks,
                    std::shared_ptr<const plan::Plan> plan) {
  std::lock_guard lock(mutex_);
  opened_.swap(opened);
  looks_ = looks;
  plan_.swap(plan);
}

}  // namespace concilio::exec
