#include "data/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace concilio::bench {

MappedFile::MappedFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (descriptor >= 0 && fstat(descriptor, &status) == 0) {
    size_ = status.st_size;
    void* mapped = size_ > 0 ? mmap(nullptr, static_cast<size_t>(size_), PROT_READ, MAP_SHARED, descriptor, 0)
                             : MAP_FAILED;
    if (mapped != MAP_FAILED) bytes_ = static_cast<const unsigned char*>(mapped);
  }
  errno_ = errno;
  if (descriptor >= 0) close(descriptor);
}

MappedFile::~MappedFile() {
  if (bytes_) munmap(const_cast<unsigned char*>(bytes_), static_cast<size_t>(size_));
}

std::string MappedFile::failure() const {
  return std::strerror(errno_);
}

}  // namespace concilio::bench
