// The words of a record of a program's calls, which the library writes (src/mpiio/file/call_record.h) and
// `concilio simulate` reads (src/sim/record.h). docs/record.md tells what they mean.
#pragma once

#include <array>
#include <cstdint>

namespace concilio {

inline constexpr int64_t record_version = 1;
// More than this a rank does not write.
inline constexpr int64_t most_record_bytes = 16 << 20;
// The last line of a rank that has reached that, or that had no memory or no room for its next line.
inline constexpr const char full_record_line[] = "{\"full\":true}\n";

// The access modes of MPI_File_open, without MPI_MODE_ and in small letters. MPIs give them other numbers.
inline constexpr std::array recorded_modes = {
    "create", "rdonly", "wronly", "rdwr", "delete_on_close", "unique_open", "excl", "append", "sequential"};
inline constexpr std::array recorded_kinds = {"blocking", "nonblocking", "split"};
inline constexpr std::array recorded_pointers = {"individual", "explicit", "shared", "ordered"};

}  // namespace concilio
