// The operations of a store by name, as traces record them, faults match them and messages say them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/store.h"

namespace concilio::store {

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
  ring,  // the posix store makes a ring for requests at once; only its SyscallHook sees this
};

const char* operation_name(StoreOperation operation);
std::optional<StoreOperation> operation_of_name(std::string_view name);

// One operation on one file. For transfers, `offset` is where the first begins, and `bytes` is the sum of
// all. For a lock, a mapping, or space to make, they are its range. For resize and preallocate, `bytes` is
// the requested size. For other operations both are 0.
struct StoreEvent {
  StoreOperation operation;
  std::string_view path;  // valid during the call that hands the event over
  int64_t offset = 0;
  int64_t bytes = 0;
  int64_t requests = 1;                   // transfers adjacent in the file count as one
  int64_t at_once = 1;                    // requests that are under way together, this one included
  int64_t turn = 0;                       // which of these it is, from 0
  std::span<const Transfer> transfers{};  // of a read or write; valid as long as `path`
};

// "cannot write 4096 bytes at offset 123 of PATH"
std::string failure_text(const StoreEvent& event);

// The event of a read or write. Transfers count up to the first that is not a valid range of bytes.
StoreEvent event_of(StoreOperation operation, std::string_view path, std::span<const Transfer> transfers);

// The transfers at the front of `transfers` that are one request, since they are adjacent in the file. Empty
// ones among them are included.
std::span<const Transfer> first_request(std::span<const Transfer> transfers);

// Fails with kind argument if an offset or a length is negative, or an end is beyond 2^63 - 1.
Status check_transfers(std::span<const Transfer> transfers);
Status check_range(int64_t offset, int64_t length);
// Whether check_range succeeds.
inline bool is_range(int64_t offset, int64_t length) {
  return offset >= 0 && length >= 0 && offset <= INT64_MAX - length;
}

// The error of an operation that the file's open mode forbids.
Error mode_error(const StoreEvent& event);

}  // namespace concilio::store
