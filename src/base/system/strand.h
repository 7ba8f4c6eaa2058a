// A strand runs the work that it is given one piece after another, in the order of arrival. Posted work runs
// on a thread of the process's pool; work that its caller waits for runs on the caller's own thread. The pool
// makes a new thread when there is work and no thread is idle. So a strand that waits, for other ranks or for
// storage, never holds up another one, and a process in which one strand has work has one thread.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

namespace concilio {

class Strand {
 public:
  Strand() = default;
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  // Runs the task after all work that came before; it must not throw. If the system gives no thread for it,
  // the task runs now, on the calling thread. If there is no memory to queue it, throws std::bad_alloc and
  // runs nothing.
  void post(std::function<void()> task);

  // Runs the work on the calling thread, after all work that came before, and returns what it returns. Must
  // not be called from work of the same strand.
  template <typename Work>
  auto run(Work&& work) {
    Turn turn(*this);
    return work();
  }
  // Waits for all work that came before.
  void wait() {
    run([] {});
  }

 private:
  // A caller that waits for its turn queues an entry on its own stack, so that waiting needs no memory.
  struct Entry {
    std::function<void()> task;  // empty: a caller waits for its turn
    bool granted = false;
    Entry* next = nullptr;
  };
  void append(Entry& entry);
  Entry* take_first();
  class Turn {
   public:
    explicit Turn(Strand& strand) : strand_(strand) { strand_.enter(); }
    ~Turn() { strand_.leave(); }

   private:
    Strand& strand_;
  };
  void enter();
  void leave();
  // Runs tasks until it is a waiting caller's turn, or no task is left.
  void run_tasks();

  std::mutex mutex_;
  std::condition_variable turn_;
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  bool busy_ = false;
};

// Whether this is a thread of the pool. Such a thread shares its core with the program's own work, and so
// must not spin.
bool on_pool_thread();

}  // namespace concilio
