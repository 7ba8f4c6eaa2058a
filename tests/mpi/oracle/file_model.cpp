#include "file_model.h"

#include "common/random.h"

namespace oracle {

void FileModel::reset(int64_t size, uint64_t stream) {
  bytes_.assign(static_cast<size_t>(size), 0);
  undefined_.assign(static_cast<size_t>(size), 0);
  for (int64_t i = 0; i < size; ++i) bytes_[static_cast<size_t>(i)] = byte_of(stream, i);
}

void FileModel::resize(int64_t size) {
  bytes_.resize(static_cast<size_t>(size), 0);
  undefined_.resize(static_cast<size_t>(size), 1);
}

}  // namespace oracle
