// What the roots have read, in memory of every rank that the program frees. And texts as they travel.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {

// Memory of malloc.
struct Freeing {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Freeing>;

// An array of strings; it and each of them memory of malloc.
struct FreeingEach {
  int64_t count = 0;
  void operator()(char** strings) const;
};
using OwnedStrings = std::unique_ptr<char*, FreeingEach>;

// Strings, one behind the other, a NUL after each.
struct Texts {
  int64_t count = 0;
  std::string text;
  void add(const char* string, size_t most_bytes);  // up to its NUL, if there is one
};

// `read`, the same on all roots, to all ranks. Collective; the same outcome on all ranks.
Result<Memory> deliver(const File& file, const std::vector<char>& read);
// The same; as a char ** with the strings behind the pointers, in one piece. Tells their number.
Result<Memory> deliver_array(const File& file, const Texts& read, int64_t& count);
// The same, each string by itself.
Result<OwnedStrings> deliver_strings(const File& file, const Texts& read);
// The first string alone, as a char *.
Result<Memory> deliver_string(const File& file, const Texts& read);

}  // namespace concilio::scorpio
