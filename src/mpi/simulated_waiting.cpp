// Waiting in SimGrid's simulator, and its clock. This file is only in the flavour for SMPI, where it takes
// the place of base/waiting.cpp. SMPI counts what a rank computes between its calls as simulated time, unless
// it is told not to; so every function here ends such a time first, and begins another one afterwards, as
// SMPI's own functions do.
#include "mpi/simulated_waiting.h"

#include <smpi/smpi.h>
#include <simgrid/s4u.hpp>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <thread>

#include "base/text/name_hash.h"
#include "base/waiting.h"

namespace concilio::mpi {
namespace {

namespace s4u = simgrid::s4u;

// Threads that the library has started are not ranks; they live in real time.
bool is_rank() {
  return s4u::Actor::self() != nullptr && !s4u::Actor::is_maestro();
}

// Actors of this name work beside a rank. SMPI does not know them.
constexpr std::string_view beside_rank = "beside a rank";

// The simulator has the time of a rank from here on.
class InSimulator {
 public:
  InSimulator() {
    if (of_rank_) smpi_bench_end();
  }
  ~InSimulator() {
    if (of_rank_) smpi_bench_begin();
  }
  InSimulator(const InSimulator&) = delete;

 private:
  const bool of_rank_ = s4u::Actor::self()->get_cname() != beside_rank;
};

constexpr double ns_per_second = 1e9;

// Of this rank, as each has its own copy of the program's variables.
std::minstd_rand delays;
int64_t longest_delay_ns = 0;

// One time in four, and then every order of magnitude is as likely as another.
void delay() {
  if (longest_delay_ns == 0 || delays() % 4 != 0) return;
  const int64_t at_most_ns = longest_delay_ns >> delays() % 16;
  sleep_ns(static_cast<int64_t>(delays()) % (at_most_ns + 1));
}

// Where the ranks of a host sleep, whatever they wait for: those who were not meant look again, and no
// simulated time passes meanwhile. Each rank has its own copy of the program's variables, so the one thing
// that all ranks of a host can find is the host.
struct Bedroom {
  s4u::MutexPtr door = s4u::Mutex::create();
  s4u::ConditionVariablePtr sleepers = s4u::ConditionVariable::create();

  static Bedroom& of_host() {
    s4u::Host* host = s4u::this_actor::get_host();
    if (!host->get_data<Bedroom>()) host->set_data(new Bedroom);
    return *host->get_data<Bedroom>();
  }
};

// What the platform's file says of this rank's host (<prop id="NAME" value="NUMBER"/>); 0 if it says nothing.
double property_of_host(const char* name) {
  const char* value = s4u::this_actor::get_host()->get_property(name);
  return value ? std::atof(value) : 0;
}

}  // namespace
}  // namespace concilio::mpi

using namespace concilio::mpi;

int64_t concilio::now_ns() {
  using std::chrono::steady_clock, std::chrono::nanoseconds;
  if (!is_rank()) return nanoseconds(steady_clock::now().time_since_epoch()).count();
  const InSimulator yes;
  return std::llround(s4u::Engine::get_clock() * ns_per_second);
}

void concilio::sleep_ns(int64_t ns) {
  if (!is_rank()) return std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
  const InSimulator yes;
  s4u::this_actor::sleep_for(static_cast<double>(ns) / ns_per_second);
}

void concilio::sleep_until_ns(int64_t until_ns) {
  if (const int64_t left_ns = until_ns - now_ns(); left_ns > 0) sleep_ns(left_ns);
}

bool concilio::sleep_while(const std::atomic<uint32_t>& value, uint32_t is, int64_t longest_ns) {
  const bool woken = [&] {
    const InSimulator yes;
    Bedroom& bedroom = Bedroom::of_host();
    const std::unique_lock lock(*bedroom.door);
    // No other rank runs between this look and the sleep.
    if (value.load() != is) return true;
    return bedroom.sleepers->wait_for(lock, static_cast<double>(longest_ns) / ns_per_second) ==
           std::cv_status::no_timeout;
  }();
  delay();
  return woken;
}

void concilio::wake_sleepers(const std::atomic<uint32_t>&) {
  delay();
  const InSimulator yes;
  Bedroom::of_host().sleepers->notify_all();
}

// The speed of a host is the rate at which its memory takes copies, of all ranks together.
void concilio::take_time_of_copy(int64_t bytes) {
  if (bytes <= 0 || !is_rank()) return;
  static const double rate_of_core = property_of_host("core_copy_rate");
  if (rate_of_core <= 0) return;
  const InSimulator yes;
  s4u::this_actor::exec_init(static_cast<double>(bytes))->set_bound(rate_of_core)->wait();
}

// Storage is the host of that name, if there is one. A node that has a link to it alone has that as another
// host (tools/simulation/platform.cpp).
void concilio::take_time_of_storage_network(int64_t bytes, bool to_storage) {
  if (bytes <= 0 || !is_rank()) return;
  static s4u::Host* const storage = s4u::Host::by_name_or_null("storage");
  if (!storage) return;
  const InSimulator yes;
  static s4u::Host* const node = [] {
    s4u::Host* const own = s4u::this_actor::get_host();
    s4u::Host* const link = s4u::Host::by_name_or_null("storage-link-of-" + own->get_name());
    return link ? link : own;
  }();
  s4u::Comm::sendto(to_storage ? node : storage, to_storage ? storage : node, static_cast<uint64_t>(bytes));
}

uint64_t concilio::storage_client() {
  return is_rank() ? name_hash(s4u::this_actor::get_host()->get_name()) : 0;
}

int concilio::described_cores() {
  return is_rank() ? static_cast<int>(property_of_host("cores")) : 0;
}

void concilio::mpi::delay_waiting(uint64_t number, int64_t longest_ns) {
  // A test that lets allocations fail means those of the library.
  Bedroom::of_host();
  delays.seed(static_cast<uint32_t>(number));
  longest_delay_ns = longest_ns;
}

bool concilio::work_beside_simulated_rank(const std::function<void()>& work) {
  const InSimulator yes;
  s4u::Actor::create(std::string(beside_rank), s4u::this_actor::get_host(), work);
  return true;
}

bool concilio::ranks_are_simulated() {
  return true;
}
