// The operations of a store, by name: what traces record, faults match and messages say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/store.h"

namespace concilio {

enum class StoreOperation : int {
  open,
  remove,
  read,
  write,
  lock,
  unlock,
  sync,
  size,
  resize,
  preallocate,
  layout,
  map,
  close,
  ring,  // made by the posix store for requests at once; seen by its SyscallHook alone
};

const char* operation_name(StoreOperation operation);
std::optional<StoreOperation> operation_of_name(std::string_view name);

// One operation on one file. `offset` and `bytes`: of transfers, from where the first lies and how many in
// all; of a lock, a mapping or space made, its range; of resize and preallocate, `bytes` is the size asked
// for; else 0.
struct StoreEvent {
  StoreOperation operation;
  std::string_view path;  // valid during the call that hands the event over
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t requests = 1;                   // transfers adjacent in the file count as one
  int64_t at_once = 1;                    // requests that are under way together, this one included
  int64_t turn = 0;                       // of these, which it is, from 0
  std::span<const Transfer> transfers{};  // of a read or write; as `path`, for the call alone
};

// "cannot write 4096 bytes at offset 123 of PATH"
std::string failure_text(const StoreEvent& event);

// The event that transfers are, up to the first that is no range of bytes.
StoreEvent event_of(StoreOperation operation, std::string_view path, std::span<const Transfer> transfers);

// Transfers from the front of `transfers` that are one request, as they are adjacent in the file; empty ones
// among them included.
std::span<const Transfer> first_request(std::span<const Transfer> transfers);

// kind argument where an offset or a length is negative, or an end is beyond 2^63 - 1.
Status check_transfers(std::span<const Transfer> transfers);
Status check_range(int64_t offset, int64_t length);

// The error of an operation that the mode of the opening forbids.
Error mode_error(const StoreEvent& event);

}  // namespace concilio
