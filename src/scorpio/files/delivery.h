// Gives what the roots have read to every rank, in memory that the program frees. It also holds the form in
// which texts travel.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {

// Frees memory of malloc.
struct Freeing {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Freeing>;

// Frees an array of strings and each string in it, which are all memory of malloc.
struct FreeingEach {
  int64_t count = 0;
  void operator()(char** strings) const;
};
using OwnedStrings = std::unique_ptr<char*, FreeingEach>;

// Strings, one after another, each with a NUL behind it.
struct Texts {
  int64_t count = 0;
  std::string text;
  void add(const char* string, size_t most_bytes);  // up to its NUL, if it has one
};

// Gives `read`, which is the same on all roots, to all ranks. Collective; the outcome is the same on all
// ranks.
Result<Memory> deliver(const File& file, const std::vector<char>& read);
// The same for an array of strings: a char **, with the strings behind the pointers, in one piece of memory.
// `count` becomes their number.
Result<Memory> deliver_array(const File& file, const Texts& read, int64_t& count);
// The same for an array of strings, each in memory of its own.
Result<OwnedStrings> deliver_strings(const File& file, const Texts& read);
// The same for the first string alone, as a char *.
Result<Memory> deliver_string(const File& file, const Texts& read);

}  // namespace concilio::scorpio
