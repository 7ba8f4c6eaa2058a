#include "base/strand.h"

#include <pthread.h>
#include <signal.h>

#include <exception>
#include <new>
#include <thread>
#include <utility>

namespace concilio {
namespace {

thread_local bool is_pool_thread = false;

// Never destroyed, its threads never joined: idle ones cost nothing and end with the process.
class Pool {
 public:
  static Pool& instance() {
    static auto* pool = new Pool;
    return *pool;
  }

  // False where no thread is to be had.
  bool run(std::function<void()> work) {
    std::lock_guard lock(mutex_);
    if (idle_ <= waiting_.size() && !add_thread()) return false;
    try {
      waiting_.push_back(std::move(work));
    } catch (const std::bad_alloc&) {
      return false;
    }
    work_came_.notify_one();
    return true;
  }

 private:
  bool add_thread() {
    // The program's signals are for the program's own threads; those of a thread's own doing it may have a
    // handler for.
    sigset_t others, before;
    sigfillset(&others);
    for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&others, own);
    pthread_sigmask(SIG_SETMASK, &others, &before);
    bool made = true;
    try {
      std::thread([this] { serve(); }).detach();
      ++idle_;
    } catch (const std::exception&) {
      made = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return made;
  }

  [[noreturn]] void serve() {
    is_pool_thread = true;
    pthread_setname_np(pthread_self(), "concilio");
    std::unique_lock lock(mutex_);
    for (;;) {
      work_came_.wait(lock, [&] { return !waiting_.empty(); });
      auto work = std::move(waiting_.front());
      waiting_.pop_front();
      --idle_;
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
      ++idle_;
    }
  }

  std::mutex mutex_;
  std::condition_variable work_came_;
  std::deque<std::function<void()>> waiting_;
  size_t idle_ = 0;  // threads without work, those just made included
};

}  // namespace

bool on_pool_thread() {
  return is_pool_thread;
}

void Strand::post(std::function<void()> task) {
  {
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(task)});
    if (busy_) return;
    busy_ = true;
  }
  if (!Pool::instance().run([this] { run_tasks(); })) run_tasks();
}

void Strand::enter() {
  std::unique_lock lock(mutex_);
  if (!busy_) {
    busy_ = true;
    return;
  }
  bool granted = false;
  queue_.push_back({nullptr, &granted});
  turn_.wait(lock, [&] { return granted; });
}

void Strand::leave() {
  {
    std::lock_guard lock(mutex_);
    if (queue_.empty()) {
      busy_ = false;
      return;
    }
    if (!queue_.front().task) {
      *queue_.front().granted = true;
      queue_.pop_front();
      turn_.notify_all();
      return;
    }
  }
  if (!Pool::instance().run([this] { run_tasks(); })) run_tasks();
}

void Strand::run_tasks() {
  for (;;) {
    std::function<void()> task;
    {
      std::lock_guard lock(mutex_);
      if (queue_.empty()) {
        busy_ = false;
        return;
      }
      if (!queue_.front().task) {
        *queue_.front().granted = true;
        queue_.pop_front();
        turn_.notify_all();
        return;
      }
      task = std::move(queue_.front().task);
      queue_.pop_front();
    }
    task();
  }
}

}  // namespace concilio
