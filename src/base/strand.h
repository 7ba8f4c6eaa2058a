// Work in order, on threads of its own. A strand runs what it is given one after another, in the order of
// arrival: posted work on a thread of the process's pool, work that its caller waits for on the caller's own
// thread. The pool makes a thread when there is work and no thread is idle, so that a strand that waits (for
// other ranks, for storage) never holds up another one; a process with one strand at work has one thread.
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

  // Has the task run after all that came before. It must not throw. Where the system gives no thread, it runs
  // now, on this one. Throws std::bad_alloc where there is no memory to note it, and then has nothing run.
  void post(std::function<void()> task);

  // Runs the work here, after all that came before, and returns what it returns. Not from within work of the
  // same strand.
  template <typename Work>
  auto run(Work&& work) {
    Turn turn(*this);
    return work();
  }
  // Waits for all that came before.
  void wait() {
    run([] {});
  }

 private:
  // A caller that waits for its turn lends the queue its own, so that to wait needs no memory.
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
  // Runs tasks until a waiting caller has its turn or there are none.
  void run_tasks();

  std::mutex mutex_;
  std::condition_variable turn_;
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  bool busy_ = false;
};

// Whether this thread is one of the pool's: it shares its core with the program's own work, and so does not
// spin.
bool on_pool_thread();

}  // namespace concilio
