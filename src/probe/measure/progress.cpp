#include "probe/measure/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "probe/measure/sampler.h"

namespace concilio::probe {

namespace {
constexpr int bar_width = 30;
constexpr std::chrono::milliseconds between_drawings{300};
}  // namespace

Progress::Progress(Kind kind, double expected_seconds)
    : kind_(kind), expected_seconds_(expected_seconds), start_(now_seconds()) {
  if (kind == Kind::bar) drawer_ = std::thread([this] { redraw_until_end(); });
}

Progress::~Progress() {
  end();
}

void Progress::begin(const std::string& step, double from, double to) {
  std::lock_guard lock(mutex_);
  step_ = step;
  from_ = from;
  to_ = to;
  step_start_ = now_seconds();
  if (kind_ == Kind::lines) fmt::print(stderr, "[{:5.1f} s] {}\n", step_start_ - start_, step);
}

void Progress::draw() {
  const double expected = expected_seconds_ * (to_ - from_);
  const double in_step = std::min(1.0, (now_seconds() - step_start_) / std::max(expected, 1e-3));
  const double done = from_ + (to_ - from_) * in_step;
  const int filled = std::clamp(static_cast<int>(done * bar_width), 0, bar_width);
  fmt::print(stderr, "\r[{}{}] {:3.0f} %  {:<24}", std::string(static_cast<size_t>(filled), '#'),
             std::string(static_cast<size_t>(bar_width - filled), '.'), 100 * done, step_);
  std::fflush(stderr);
}

void Progress::redraw_until_end() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, between_drawings, [this] { return end_; })) draw();
}

void Progress::end() {
  {
    std::lock_guard lock(mutex_);
    if (end_) return;
    end_ = true;
  }
  ended_.notify_all();
  if (!drawer_.joinable()) return;
  drawer_.join();
  fmt::print(stderr, "\r{:<70}\r", "");
}

}  // namespace concilio::probe
