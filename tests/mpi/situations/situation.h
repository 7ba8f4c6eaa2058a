// What the situations of MPI-IO share. Each is a small MPI program for one way in which some MPI-IO has
// failed.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/expect_mpi.h"
#include "common/situations.h"

namespace situations {

// When a situation is left out.
enum Limits : unsigned {
  everywhere = 0,
  not_own = 1,          // the standard allows several results, or both MPIs' own MPI-IO has a bug
  not_own_openmpi = 2,  // OMPIO has a bug
  not_own_mpich = 4,    // ROMIO has a bug
  large = 8,            // moves gigabytes; runs only with --large
};

struct Context {
  int rank = 0, ranks = 1;
  bool own = false, large = false;
  bool brief = false;   // what is repeated until chance has met every fault is repeated a tenth as often
  bool threads = true;  // whether MPI was initialised with MPI_THREAD_MULTIPLE; --single asks for less
  std::string folder;

  // Returns the same name on every rank, of a file that does not exist.
  std::string fresh_file(const char* name);
};
extern Context context;

// A counter from Concilio's own interface; -1 without it.
int64_t counter(MPI_File file, const char* name);

// A byte that depends on the writer and the position.
inline uint8_t value(int64_t stream, int64_t index) {
  return static_cast<uint8_t>((stream * 131 + index * 7 + (index >> 8) * 3 + 1) % 251 + 1);
}
std::vector<uint8_t> values(int64_t stream, int64_t count);
// The whole file, read by POSIX calls.
std::vector<uint8_t> contents(const std::string& path);
// Rank 0 makes it, then all ranks continue.
void make_file(const std::string& path, const std::vector<uint8_t>& bytes);
int64_t bytes_in(MPI_Status& status);
void barrier();
// The number of ranks on this rank's host. Collective.
int ranks_of_host();
bool exists(const std::string& path);

// A datatype that its destructor frees.
class Type {
 public:
  explicit Type(MPI_Datatype type) : type_(type) { MPI_Type_commit(&type_); }
  Type(Type&& other) noexcept : type_(std::exchange(other.type_, MPI_DATATYPE_NULL)) {}
  ~Type() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_;
};
Type vector_of(int count, int block, int stride, MPI_Datatype of);
Type contiguous_of(int count, MPI_Datatype of);
Type resized_of(MPI_Datatype of, MPI_Aint lower, MPI_Aint extent);
Type blocks_at(const std::vector<int>& lengths, const std::vector<MPI_Aint>& places, MPI_Datatype of);

class Info {
 public:
  Info() { MPI_Info_create(&info_); }
  Info(std::initializer_list<std::pair<const char*, const char*>> hints) : Info() {
    for (const auto& [name, text] : hints) MPI_Info_set(info_, name, text);
  }
  Info(const Info&) = delete;
  ~Info() { MPI_Info_free(&info_); }
  operator MPI_Info() const { return info_; }

 private:
  MPI_Info info_;
};

// An open file that its destructor closes.
class File {
 public:
  explicit File(const std::string& path, int amode = MPI_MODE_CREATE | MPI_MODE_RDWR,
                MPI_Info info = MPI_INFO_NULL, MPI_Comm comm = MPI_COMM_WORLD);
  File(const File&) = delete;
  ~File() { close(); }
  void close();
  operator MPI_File() const { return file_; }
  MPI_File* address() { return &file_; }

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

template <typename T>
std::string as_text(const T& value) {
  std::ostringstream stream;
  if constexpr (sizeof(T) == 1) {
    stream << static_cast<int>(value);
  } else {
    stream << value;
  }
  return stream.str();
}

template <typename T>
std::string first_difference(const std::vector<T>& expected, const std::vector<T>& found) {
  if (expected.size() != found.size()) {
    return "sizes differ: expected " + as_text(expected.size()) + ", found " + as_text(found.size());
  }
  if (expected == found) return {};
  for (size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != found[i]) {
      return "at " + as_text(i) + " expected " + as_text(expected[i]) + ", found " + as_text(found[i]);
    }
  }
  return {};
}

}  // namespace situations

#define EXPECT_EQUAL(expected, found)                                                                  \
  do {                                                                                                 \
    auto expected_ = (expected);                                                                       \
    auto found_ = (found);                                                                             \
    if (!(expected_ == static_cast<decltype(expected_)>(found_))) {                                    \
      note_failure(__FILE__, __LINE__,                                                                 \
                   std::string(#found) + ": expected " + situations::as_text(expected_) + ", found " + \
                       situations::as_text(found_));                                                   \
    }                                                                                                  \
  } while (0)

#define EXPECT_BYTES(expected, found)                                              \
  do {                                                                             \
    const std::string difference_ = situations::first_difference(expected, found); \
    if (!difference_.empty()) {                                                    \
      note_failure(__FILE__, __LINE__, std::string(#found) + ": " + difference_);  \
    }                                                                              \
  } while (0)
