// A whole file, mapped for reading.
#pragma once

#include <cstdint>
#include <string>

namespace concilio::bench {

class MappedFile {
 public:
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // Null if the file is empty, or if failure() says why it could not be mapped.
  const unsigned char* bytes() const { return bytes_; }
  int64_t size() const { return size_; }
  std::string failure() const;

 private:
  const unsigned char* bytes_ = nullptr;
  int64_t size_ = 0;
  int errno_ = 0;
};

}  // namespace concilio::bench
