#include "base/system/strand.h"

#include <pthread.h>
#include <signal.h>

#include <deque>
#include <exception>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace concilio {
namespace {

thread_local bool is_pool_thread = false;

// The pool is never destroyed and its threads are never joined: idle threads cost nothing, and end with the
// process.
class Pool {
 public:
  static Pool& instance() {
    static auto* pool = new Pool;
    return *pool;
  }

  // Returns false where there is no thread for the work.
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
    // The program's signals must reach the program's own threads. Signals that a thread causes itself stay
    // unblocked, since the program may have a handler for them.
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
  size_t idle_ = 0;  // threads without work, including those just made
};

}  // namespace

bool on_pool_thread() {
  return is_pool_thread;
}

void Strand::append(Entry& entry) {
  (first_ ? last_->next : first_) = &entry;
  last_ = &entry;
}

Strand::Entry* Strand::take_first() {
  return std::exchange(first_, first_->next);
}

void Strand::post(std::function<void()> task) {
  auto entry = std::make_unique<Entry>();
  entry->task = std::move(task);
  {
    std::lock_guard lock(mutex_);
    append(*entry.release());
    if (busy_) return;
    busy_ = true;
  }
  if (!Pool::instance().run([this] { run_tasks(); })) run_tasks();
}

void Strand::enter() {
  Entry mine;
  std::unique_lock lock(mutex_);
  if (!busy_) {
    busy_ = true;
    return;
  }
  append(mine);
  turn_.wait(lock, [&] { return mine.granted; });
}

void Strand::leave() {
  {
    std::lock_guard lock(mutex_);
    if (!first_) {
      busy_ = false;
      return;
    }
    if (!first_->task) {
      take_first()->granted = true;
      turn_.notify_all();
      return;
    }
  }
  if (!Pool::instance().run([this] { run_tasks(); })) run_tasks();
}

void Strand::run_tasks() {
  for (;;) {
    std::unique_ptr<Entry> entry;
    {
      std::lock_guard lock(mutex_);
      if (!first_) {
        busy_ = false;
        return;
      }
      if (!first_->task) {
        take_first()->granted = true;
        turn_.notify_all();
        return;
      }
      entry.reset(take_first());
    }
    entry->task();
  }
}

}  // namespace concilio
