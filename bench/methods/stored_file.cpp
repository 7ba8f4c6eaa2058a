#include "methods/stored_file.h"

#include <fmt/format.h>

#include "base/settings/config.h"
#include "store/wrappers/stack.h"

namespace concilio::bench {

std::string StoredFile::open(const std::string& path, bool writes, int rank) {
  store_ = store::make_store(Config::from_environment(), rank);
  store::OpenMode mode;
  mode.write = mode.create = writes;
  auto opened = store_->open(path, mode);
  if (!opened) return opened.error().message;
  file_ = std::move(*opened);
  return {};
}

std::string StoredFile::move(Operation operation, const store::Transfer& request) {
  if (operation == Operation::write) {
    const Status wrote = file_->write(request);
    return wrote ? "" : wrote.error().message;
  }
  const Result<int64_t> read = file_->read(request);
  if (!read) return read.error().message;
  if (*read == request.length) return {};
  return fmt::format("read {} of {} bytes at file offset {}", *read, request.length, request.offset);
}

std::string StoredFile::sync() {
  const Status synced = file_->sync();
  return synced ? "" : synced.error().message;
}

}  // namespace concilio::bench
