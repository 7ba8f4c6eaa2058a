#include "exec/alone/plans_alone.h"

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

PlansAlone::Kept* PlansAlone::kept_for(const std::shared_ptr<const OpenFile>& opened,
                                       const RequestLooks& looks) {
  if (opened != opened_) return nullptr;
  const auto found = std::ranges::find(kept_, looks, &Kept::looks);
  return found == kept_.end() ? nullptr : &*found;
}

std::shared_ptr<const plan::Plan> PlansAlone::find(const std::shared_ptr<const OpenFile>& opened,
                                                   const RequestLooks& looks) {
  std::lock_guard lock(mutex_);
  Kept* kept = kept_for(opened, looks);
  if (kept == nullptr) return nullptr;
  kept->last_use = ++uses_;
  const bool same_method = kept->experience.calls() == 0 ||
                           plan::next_method(kept->plan->candidates, kept->experience) == kept->plan->method;
  return same_method ? kept->plan : nullptr;
}

void PlansAlone::keep(std::shared_ptr<const OpenFile> opened, const RequestLooks& looks,
                      std::shared_ptr<const plan::Plan> plan) {
  std::lock_guard lock(mutex_);
  if (opened != opened_) {
    kept_.clear();
    opened_.swap(opened);
  }
  Kept* kept = kept_for(opened_, looks);
  if (kept == nullptr) {
    if (kept_.size() < most) {
      kept = &kept_.emplace_back();
    } else {
      kept = &*std::ranges::min_element(kept_, {}, &Kept::last_use);
      kept->experience = {};
    }
    kept->looks = looks;
  }
  kept->plan.swap(plan);
  kept->last_use = ++uses_;
}

plan::Experience PlansAlone::experience(const std::shared_ptr<const OpenFile>& opened,
                                        const RequestLooks& looks) {
  std::lock_guard lock(mutex_);
  const Kept* kept = kept_for(opened, looks);
  return kept == nullptr ? plan::Experience() : kept->experience;
}

bool PlansAlone::is_measured(const plan::Plan& plan) {
  // To compare the methods before each request takes a microsecond or two.
  constexpr double least_seconds = 200e-6;
  return !plan.wished && !plan.candidates.empty() &&
         plan.candidates[plan.method].predicted_seconds >= least_seconds;
}

void PlansAlone::learn(const std::shared_ptr<const OpenFile>& opened, const RequestLooks& looks,
                       const plan::Plan& plan, double seconds, bool whole) {
  if (!whole) seconds = std::max(seconds, plan.candidates[plan.method].predicted_seconds);
  std::lock_guard lock(mutex_);
  if (Kept* kept = kept_for(opened, looks)) kept->experience.add(plan.method, seconds);
}

}  // namespace concilio::exec
