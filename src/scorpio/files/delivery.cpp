#include "scorpio/files/delivery.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace concilio::scorpio {
namespace {

constexpr int64_t piece_bytes = int64_t{1} << 30;

Status share_pieces(MPI_Comm comm, char* bytes, int64_t count) {
  for (int64_t done = 0; done < count; done += piece_bytes) {
    const auto piece = static_cast<int>(std::min(piece_bytes, count - done));
    if (Status status = mpi::checked_mpi(MPI_Bcast(bytes + done, piece, MPI_CHAR, 0, comm), "MPI_Bcast");
        !status)
      return status;
  }
  return {};
}

// Returns memory for `ahead` bytes and, behind them, the root's `count` bytes, which are copied there.
Result<Memory> deliver_bytes(const File& file, const char* bytes, int64_t count, int64_t ahead) {
  Memory memory(std::malloc(static_cast<size_t>(std::max<int64_t>(1, ahead + count))));
  const Status mine =
      memory ? Status()
             : Status(Error{ErrorKind::no_memory, 0, fmt::format("no memory for {} bytes", ahead + count)});
  if (Status status = agree(file.layout->global, mine); !status) return status.error();
  char* const place = static_cast<char*>(memory.get()) + ahead;
  if (file.is_root() && count > 0) std::memcpy(place, bytes, static_cast<size_t>(count));
  if (Status status = agree(file.layout->global, share_pieces(file.layout->local, place, count)); !status)
    return status.error();
  return memory;
}

Status share_numbers(const File& file, int64_t* numbers, int count) {
  return agree(file.layout->global,
               mpi::checked_mpi(MPI_Bcast(numbers, count, MPI_INT64_T, 0, file.layout->local), "MPI_Bcast"));
}

// Returns an array of copies of the strings. A copy for which there is no memory is null, and so is the array
// if there is none for it.
OwnedStrings copies_of(const char* const* strings, int64_t count) {
  OwnedStrings copies(static_cast<char**>(std::calloc(static_cast<size_t>(count) + 1, sizeof(char*))),
                      {count});
  for (int64_t i = 0; copies && i < count; ++i) copies.get()[i] = strdup(strings[i]);
  return copies;
}

}  // namespace

void FreeingEach::operator()(char** strings) const {
  for (int64_t i = 0; i < count; ++i) std::free(strings[i]);
  std::free(strings);
}

void Texts::add(const char* string, size_t most_bytes) {
  text.append(string, strnlen(string, most_bytes));
  text += '\0';
  ++count;
}

Result<Memory> deliver(const File& file, const std::vector<char>& read) {
  int64_t bytes = std::ssize(read);
  if (Status status = share_numbers(file, &bytes, 1); !status) return status.error();
  return deliver_bytes(file, read.data(), bytes, 0);
}

Result<Memory> deliver_array(const File& file, const Texts& read, int64_t& count) {
  int64_t numbers[2] = {read.count, std::ssize(read.text)};
  if (Status status = share_numbers(file, numbers, 2); !status) return status.error();
  count = numbers[0];
  const int64_t ahead = count * static_cast<int64_t>(sizeof(char*));
  auto memory = deliver_bytes(file, read.text.data(), numbers[1], ahead);
  if (!memory) return memory;
  char** const strings = static_cast<char**>(memory->get());
  char* next = static_cast<char*>(memory->get()) + ahead;
  for (int64_t i = 0; i < count; ++i) {
    strings[i] = next;
    next += std::strlen(next) + 1;
  }
  return memory;
}

Result<OwnedStrings> deliver_strings(const File& file, const Texts& read) {
  int64_t count = 0;
  const auto together = deliver_array(file, read, count);
  if (!together) return together.error();
  auto copies = copies_of(static_cast<char**>(together->get()), count);
  const bool all = copies && std::count(copies.get(), copies.get() + count, nullptr) == 0;
  const Status mine =
      all ? Status() : Status(Error{ErrorKind::no_memory, 0, fmt::format("no memory for {} strings", count)});
  if (Status status = agree(file.layout->global, mine); !status) return status.error();
  return copies;
}

Result<Memory> deliver_string(const File& file, const Texts& read) {
  const std::string first = read.count > 0 ? read.text.c_str() : "";
  return deliver(file, std::vector<char>(first.c_str(), first.c_str() + first.size() + 1));
}

}  // namespace concilio::scorpio
