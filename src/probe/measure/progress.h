// How far the probe is, on stderr: a bar that is drawn over and over, or a line for each step.
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

  // A step that takes what is done from `from` to `to`, shares of all.
  void begin(const std::string& step, double from, double to);
  void end();  // takes the bar away; nothing is drawn afterwards

 private:
  void draw();  // with the mutex
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
