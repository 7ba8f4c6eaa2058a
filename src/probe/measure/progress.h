// Shows on stderr how far the probe is: a bar that is drawn again and again, or a line for each step.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace concilio::probe {

class Progress {
 public:
  enum class Kind { none, bar, lines };

  Progress(Kind kind, double expected_seconds);
  ~Progress();
  Progress(const Progress&) = delete;

  // Begins a step that leads from the fraction `from` to the fraction `to` of the whole probe.
  void begin(const std::string& step, double from, double to);
  void end();  // removes the bar; nothing is drawn afterwards

 private:
  void draw();  // the caller holds the mutex
  void redraw_until_end();

  const Kind kind_;
  const double expected_seconds_, start_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::string step_;
  double from_ = 0, to_ = 0, step_start_ = 0;
  std::thread drawer_;
};

}  // namespace concilio::probe
