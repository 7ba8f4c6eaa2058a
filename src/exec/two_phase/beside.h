// What a rank has done beside its own steps: storage moves a window while the rank exchanges the data of the
// next one, and lets MPI make progress with them.
#pragma once

#include <functional>
#include <utility>

#include "base/system/strand.h"
#include "mpi/nodes/team.h"

namespace concilio::exec {

// The work, which is done as often as it is started: on a thread of the process's pool or, if the rank is
// simulated, by another actor. Where the system gives no thread, start() does it. The work must not throw,
// and must not call MPI.
class Beside final : Strand::Task {
 public:
  // The team must outlive this. messages: some of this rank may be under way meanwhile.
  Beside(mpi::Team& team, bool messages, std::function<void()> work)
      : team_(team), messages_(messages), work_(std::move(work)) {}
  ~Beside();

  // What was started before must have been waited for.
  void start();
  // Waits until what was started has ended, if anything was. It uses memory that others may free after the
  // call, so it is waited for even if the team has failed.
  void wait();

 private:
  void run() noexcept override;

  mpi::Team& team_;
  const bool messages_;
  const std::function<void()> work_;
  Strand strand_;
  mpi::EventCounter ended_;
  uint32_t started_ = 0;
};

}  // namespace concilio::exec
