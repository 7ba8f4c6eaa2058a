#include "exec/alone/last_plan.h"

#include <algorithm>
#include <utility>

#include "plan/choose/next_method.h"

namespace concilio::exec {

RequestLooks looks_of(const OpenFile& opened, const Request& request) {
  const int64_t end = request.position + request.bytes;
  RequestLooks looks{request.file->look(request.position, end), request.memory->hash(), request.bytes,
                     request.staging_bytes};
  looks.monotone = request.file->monotone_within(end);
  looks.may_rewrite = request.operation == Operation::write && opened.rewriting.hopeful();
  return looks;
}

std::shared_ptr<const plan::Plan> LastPlan::find(const std::shared_ptr<const OpenFile>& opened,
                                                 const RequestLooks& looks) const {
  std::lock_guard lock(mutex_);
  if (!is_of(opened, looks)) return nullptr;
  const bool same_method =
      experience_.calls() == 0 || plan::next_method(plan_->candidates, experience_) == plan_->method;
  return same_method ? plan_ : nullptr;
}

void LastPlan::keep(std::shared_ptr<const OpenFile> opened, const RequestLooks& looks,
                    std::shared_ptr<const plan::Plan> plan) {
  std::lock_guard lock(mutex_);
  if (!is_of(opened, looks)) experience_ = {};
  opened_.swap(opened);
  looks_ = looks;
  plan_.swap(plan);
}

plan::Experience LastPlan::experience(const std::shared_ptr<const OpenFile>& opened,
                                      const RequestLooks& looks) const {
  std::lock_guard lock(mutex_);
  return is_of(opened, looks) ? experience_ : plan::Experience();
}

bool LastPlan::is_measured(const plan::Plan& plan) {
  // To compare the methods before each request takes a microsecond or two.
  constexpr double least_seconds = 200e-6;
  return !plan.wished && !plan.candidates.empty() &&
         plan.candidates[plan.method].predicted_seconds >= least_seconds;
}

void LastPlan::learn(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks,
                     const plan::Plan& plan, double seconds, bool whole) {
  if (!whole) seconds = std::max(seconds, plan.candidates[plan.method].predicted_seconds);
  std::lock_guard lock(mutex_);
  if (is_of(opened, looks)) experience_.add(plan.method, seconds);
}

}  // namespace concilio::exec
