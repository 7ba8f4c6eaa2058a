#include "base/system/strand.h"

#include <pthread.h>
#include <signal.h>

#include <cstddef>
#include <new>
#include <utility>

namespace concilio {
namespace {

thread_local bool is_pool_thread = false;

}  // namespace

// The pool is never destroyed and its threads are never joined: idle threads cost nothing, and end with the
// process.
class Strand::Pool {
 public:
  static Pool& instance() {
    alignas(Pool) static std::byte room[sizeof(Pool)];
    static auto* pool = new (room) Pool;
    return *pool;
  }

  // Has a thread run the strand's tasks. Returns false where there is no thread for them.
  bool run(Strand& strand) {
    std::lock_guard lock(mutex_);
    if (idle_ <= ready_ && !add_thread()) return false;
    (first_ ? last_->next_ready_ : first_) = &strand;
    last_ = &strand;
    ++ready_;
    work_came_.notify_one();
    return true;
  }

  // Returns false if a thread has begun with the strand's tasks, or was not asked to.
  bool take_back(Strand& strand) {
    std::lock_guard lock(mutex_);
    Strand* before = nullptr;
    for (Strand* ready = first_; ready; before = std::exchange(ready, ready->next_ready_)) {
      if (ready != &strand) continue;
      (before ? before->next_ready_ : first_) = std::exchange(strand.next_ready_, nullptr);
      if (last_ == &strand) last_ = before;
      --ready_;
      return true;
    }
    return false;
  }

 private:
  bool add_thread() {
    // The program's signals must reach the program's own threads. Signals that a thread causes itself stay
    // unblocked, since the program may have a handler for them.
    sigset_t others, before;
    sigfillset(&others);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&others, own);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    const auto serve = [](void* pool) -> void* { static_cast<Pool*>(pool)->serve(); };
    pthread_t thread;
    const bool made = pthread_create(&thread, nullptr, serve, this) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!made) return false;
    pthread_detach(thread);
    ++idle_;
    return true;
  }

  [[noreturn]] void serve() {
    is_pool_thread = true;
    pthread_setname_np(pthread_self(), "concilio");
    std::unique_lock lock(mutex_);
    for (;;) {
      work_came_.wait(lock, [&] { return first_ != nullptr; });
      Strand& strand = *first_;
      first_ = std::exchange(strand.next_ready_, nullptr);
      --ready_;
      --idle_;
      lock.unlock();
      strand.run_claimed();
      lock.lock();
      ++idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable work_came_;
  // The strands whose turn is a thread's.
  Strand* first_ = nullptr;
  Strand* last_ = nullptr;
  size_t ready_ = 0;
  size_t idle_ = 0;  // threads without work, including those just made
};

bool on_pool_thread() {
  return is_pool_thread;
}

void Strand::append(Task& task) {
  task.next_ = nullptr;
  (first_ ? last_->next_ : first_) = &task;
  last_ = &task;
}

Strand::Task& Strand::take_first() {
  Task& task = *first_;
  first_ = task.next_;
  return task;
}

void Strand::post(Task& task) {
  std::lock_guard lock(mutex_);
  append(task);
  if (!busy_) busy_ = Pool::instance().run(*this);
}

bool Strand::claim() {
  std::lock_guard lock(mutex_);
  if (busy_ || !first_) return false;
  busy_ = true;
  return !Pool::instance().run(*this);
}

bool Strand::claim_back() {
  std::lock_guard lock(mutex_);
  if (!first_) return false;
  if (busy_) return Pool::instance().take_back(*this);
  return busy_ = true;
}

void Strand::run_claimed(const Task* last) {
  std::unique_lock lock(mutex_);
  run_tasks(lock, last);
}

void Strand::enter() {
  if (enter_if_idle()) return;
  std::unique_lock lock(mutex_);
  // It is queued on the caller's own stack.
  struct Caller final : Task {
    void run() noexcept override {}
  } mine;
  bool granted = false;
  mine.granted_ = &granted;
  append(mine);
  // Whoever finds tasks without a thread runs them.
  if (!std::exchange(busy_, true)) run_tasks(lock);
  turn_.wait(lock, [&] { return granted; });
}

bool Strand::enter_if_idle() {
  std::lock_guard lock(mutex_);
  return !busy_ && !first_ && (busy_ = true);
}

void Strand::leave() {
  std::unique_lock lock(mutex_);
  if (first_ && !first_->granted_ && Pool::instance().run(*this)) return;
  run_tasks(lock);
}

void Strand::run_tasks(std::unique_lock<std::mutex>& lock, const Task* last) {
  for (const Task* done = nullptr; first_;) {
    if (done && done == last && !first_->granted_ && Pool::instance().run(*this)) return;
    Task& task = take_first();
    if (task.granted_) {
      *task.granted_ = true;
      turn_.notify_all();
      return;
    }
    done = &task;
    lock.unlock();
    task.run();
    lock.lock();
  }
  busy_ = false;
}

}  // namespace concilio
