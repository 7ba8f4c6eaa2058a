// The calls by which a benchmark moves the bytes of a pattern, and how a user writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace concilio::sim {

enum class Calls { collective, independent, icollective, iindependent, shared, open, files };

struct CallsWords {
  Calls calls;
  const char* name;
  const char* help;
};
inline constexpr CallsWords calls_words[] = {
    {Calls::collective, "collective", "MPI_File_write_at_all and MPI_File_read_at_all"},
    {Calls::independent, "independent", "MPI_File_write_at and MPI_File_read_at"},
    {Calls::icollective, "icollective",
     "MPI_File_iwrite_at_all and MPI_File_iread_at_all, each with MPI_Wait"},
    {Calls::iindependent, "iindependent", "MPI_File_iwrite_at and MPI_File_iread_at, each with MPI_Wait"},
    {Calls::shared, "shared",
     "MPI_File_write_shared and MPI_File_read_shared; for contiguous and mpiiotest, where the ranks may come "
     "in "
     "any order"},
    {Calls::open, "open",
     "MPI_File_open and MPI_File_close, which move no bytes: of a new file for each write, and of an "
     "existing one "
     "for each read"},
    {Calls::files, "files",
     "as collective, but each repetition opens the file and closes it, a new one for writing, and that is "
     "timed too"},
};

const char* name_of(Calls calls);
// The calls of this name, if there are any.
std::optional<Calls> calls_named(std::string_view name);
// Formats all of them as lines of --help.
std::string lines_of_calls();

// Whether all ranks of the file take part in each call.
constexpr bool is_collective(Calls calls) {
  return calls != Calls::independent && calls != Calls::iindependent && calls != Calls::shared;
}

}  // namespace concilio::sim
