// The clock, the ways in which a rank waits without being told to by MPI or by storage, and what takes time
// by itself on a real machine and must be accounted for on one that is only described. All of the library
// that runs in calls of the program waits by these functions and asks them for the time. So the flavour for a
// simulator needs nothing else than other definitions of them (src/mpi/simulated_waiting.cpp), which are
// linked in place of those in waiting.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace concilio {

// The time of a clock that never goes back, which all processes of a node share.
int64_t now_ns();

void sleep_ns(int64_t ns);
// Sleeps until now_ns() is at least so much.
void sleep_until_ns(int64_t until_ns);

// Sleeps while `value`, which other ranks of the node may also have mapped, is `is`: until wake_sleepers() is
// called, or for `longest_ns`. It may also return at once. Returns whether it was woken.
bool sleep_while(const std::atomic<uint32_t>& value, uint32_t is, int64_t longest_ns);
void wake_sleepers(const std::atomic<uint32_t>& value);

// The calling rank has copied so many bytes in memory, or moved them between its node and storage. On a
// simulated machine that takes the time that its description says; on a real one, that time has passed.
void take_time_of_copy(int64_t bytes);
void take_time_of_storage_network(int64_t bytes, bool to_storage);
// The client of storage that this rank's requests come from, to which storage gives locks: its process, or on
// a simulated machine its node.
uint64_t storage_client();
// The cores of this rank's node as the description of a simulated machine says; 0 where the machine is real,
// or the description does not say.
int described_cores();

// Has the work done beside the calling rank, by another actor of the simulator. Real ranks have threads for
// that (base/system/strand.h): nothing is done for them, and false is returned.
bool work_beside_simulated_rank(const std::function<void()>& work);

// Whether the ranks are actors of a simulator. They take turns on one thread: a rank that polls holds up all
// others, and messages proceed while it sleeps. No rank ends before the whole simulation does.
bool ranks_are_simulated();

}  // namespace concilio
