// A strand runs the work that it is given one piece after another, in the order of arrival. Posted work runs
// on a thread of the process's pool; work that its caller waits for runs on the caller's own thread. The pool
// makes a new thread when there is work and no thread is idle. So a strand that waits, for other ranks or for
// storage, never holds up another one, and a process in which one strand has work has one thread.
//
// Nothing here needs memory: whoever posts work brings what the strand remembers of it.
#pragma once

#include <condition_variable>
#include <mutex>

namespace concilio {

class Strand {
 public:
  // Work to be posted. It must live until it runs.
  class Task {
   public:
    // Is called once. It may end the task's life.
    virtual void run() noexcept = 0;

   protected:
    Task() = default;
    Task(const Task&) = delete;
    ~Task() = default;

   private:
    friend class Strand;
    bool* granted_ = nullptr;  // of a caller that waits for its turn; nullptr: to be run by a thread
    Task* next_ = nullptr;
  };

  Strand() = default;
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  // Runs the task after all work that came before. Returns at once. If the system gives no thread for it, it
  // stays until somebody posts or runs more work here, or claims it.
  void post(Task& task);

  // Runs the work on the calling thread, after all work that came before, and returns what it returns. Must
  // not be called from work of the same strand.
  template <typename Work>
  auto run(Work&& work) {
    Turn turn(*this);
    return work();
  }
  // Runs the work on the calling thread if no work came before that is not done, and returns what it returns;
  // else returns false. Must not be called from work of the same strand.
  template <typename Work>
  bool run_if_idle(Work&& work) {
    if (!enter_if_idle()) return false;
    Turn turn(*this, Turn::Entered());
    return work();
  }
  // Waits for all work that came before.
  void wait() {
    run([] {});
  }

  // Asks once more for a thread for tasks that have none. If the system still gives none, returns true, and
  // the caller must call run_claimed(), which runs them here. Until then it is nobody else's turn.
  bool claim();
  // The same for a caller that waits for posted work: returns true also if no thread has begun with it yet.
  bool claim_back();
  // Runs tasks up to `last`, and leaves those behind it to a thread; all of them if there is none.
  void run_claimed(const Task* last = nullptr);

 private:
  class Pool;
  class Turn {
   public:
    struct Entered {};
    explicit Turn(Strand& strand) : Turn(strand, Entered()) { strand_.enter(); }
    Turn(Strand& strand, Entered) : strand_(strand) {}
    ~Turn() { strand_.leave(); }

   private:
    Strand& strand_;
  };
  void enter();
  bool enter_if_idle();
  void leave();
  void append(Task& task);
  Task& take_first();
  // Runs tasks until it is a waiting caller's turn, or a thread's behind `last`, or no task is left.
  void run_tasks(std::unique_lock<std::mutex>& lock, const Task* last = nullptr);

  std::mutex mutex_;
  std::condition_variable turn_;
  Task* first_ = nullptr;
  Task* last_ = nullptr;
  bool busy_ = false;             // it is somebody's turn, or a thread's that is on its way
  Strand* next_ready_ = nullptr;  // in the pool's queue
};

// Whether this is a thread of the pool. Such a thread shares its core with the program's own work, and so
// must not spin.
bool on_pool_thread();

}  // namespace concilio
