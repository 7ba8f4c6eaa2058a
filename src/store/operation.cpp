#include "store/operation.h"

#include <fmt/format.h>

#include <cerrno>
#include <iterator>

#include "base/checked.h"

namespace concilio::store {

namespace {

constexpr const char* names[] = {"open", "remove", "read",        "write",  "lock", "unlock", "sync",
                                 "size", "resize", "preallocate", "layout", "map",  "close",  "ring"};

}  // namespace

Status StoreFile::make_space(int64_t offset, int64_t length) {
  return Error{ErrorKind::unsupported, EOPNOTSUPP,
               fmt::format("no space can be made for {} bytes at offset {} of this storage", length, offset)};
}

Result<Mapping> StoreFile::map(int64_t offset, int64_t length, bool) {
  return Error{ErrorKind::unsupported, EOPNOTSUPP,
               fmt::format("{} bytes at offset {} of this storage cannot be mapped", length, offset)};
}

bool may_be_same(const FileIdentity& a, const FileIdentity& b) {
  const bool same_device = a.device == b.device || a.device == 0 || b.device == 0;
  return a.inode == 0 || b.inode == 0 || (same_device && a.inode == b.inode);
}

const char* operation_name(StoreOperation operation) {
  return names[static_cast<size_t>(operation)];
}

std::optional<StoreOperation> operation_of_name(std::string_view name) {
  for (size_t i = 0; i < std::size(names); ++i) {
    if (name == names[i]) return static_cast<StoreOperation>(i);
  }
  return std::nullopt;
}

std::string failure_text(const StoreEvent& event) {
  switch (event.operation) {
    case StoreOperation::open:
      return fmt::format("cannot open {}", event.path);
    case StoreOperation::remove:
      return fmt::format("cannot delete {}", event.path);
    case StoreOperation::read:
    case StoreOperation::write:
    case StoreOperation::lock:
    case StoreOperation::unlock:
      return fmt::format("cannot {} {} bytes at offset {} of {}", operation_name(event.operation),
                         event.bytes, event.offset, event.path);
    case StoreOperation::sync:
      return fmt::format("cannot bring {} to its storage", event.path);
    case StoreOperation::size:
      return fmt::format("cannot get the size of {}", event.path);
    case StoreOperation::resize:
      return fmt::format("cannot set the size of {} to {}", event.path, event.bytes);
    case StoreOperation::preallocate:
      return fmt::format("cannot preallocate {} bytes of {}", event.bytes, event.path);
    case StoreOperation::layout:
      return fmt::format("cannot find out what storage {} lies on", event.path);
    case StoreOperation::map:
      return fmt::format("cannot map {} bytes at offset {} of {}", event.bytes, event.offset, event.path);
    case StoreOperation::close:
      return fmt::format("cannot keep all that was written to {}, as its closing shows", event.path);
    case StoreOperation::ring:
      return fmt::format("cannot have many requests to {} under way at once", event.path);
  }
  return fmt::format("cannot use {}", event.path);
}

StoreEvent event_of(StoreOperation operation, std::string_view path, std::span<const Transfer> transfers) {
  StoreEvent event{operation, path, 0, 0, 0, 1, 0, transfers};
  int64_t end = 0;
  for (const Transfer& transfer : transfers) {
    if (transfer.length == 0) continue;
    if (!check_range(transfer.offset, transfer.length)) break;
    if (event.requests == 0) event.offset = transfer.offset;
    if (event.requests == 0 || transfer.offset != end) ++event.requests;
    event.bytes = checked_add(event.bytes, transfer.length).value_or(INT64_MAX);
    end = transfer.offset + transfer.length;
  }
  return event;
}

std::span<const Transfer> first_request(std::span<const Transfer> transfers) {
  bool began = false;
  int64_t end = 0;
  for (size_t i = 0; i < transfers.size(); ++i) {
    if (transfers[i].length == 0) continue;
    if (began && transfers[i].offset != end) return transfers.first(i);
    began = true;
    end = transfers[i].offset + transfers[i].length;
  }
  return transfers;
}

Status check_range(int64_t offset, int64_t length) {
  if (is_range(offset, length)) return {};
  return Error{ErrorKind::argument, 0,
               fmt::format("{} bytes at offset {} of a file are no range of bytes", length, offset)};
}

Status check_transfers(std::span<const Transfer> transfers) {
  for (const Transfer& transfer : transfers) {
    if (Status status = check_range(transfer.offset, transfer.length); !status) return status;
  }
  return {};
}

Error mode_error(const StoreEvent& event) {
  const bool reads = event.operation == StoreOperation::read;
  return Error{ErrorKind::access_mode, EBADF,
               fmt::format("{}: it is open for {} only", failure_text(event), reads ? "writing" : "reading")};
}

}  // namespace concilio::store
