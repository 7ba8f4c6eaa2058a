#include "scorpio/fortran/fortran.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

#include "scorpio/ranks/agreement.h"

namespace concilio::scorpio {
namespace {

struct Table {
  std::mutex mutex;
  std::vector<std::unique_ptr<Entry>> entries;  // with ids 1, 2, ...; null: free
  int64_t made = 0;
};

Table& table() {
  static Table one;
  return one;
}

// Whether CHAR(0) ends the text, and nothing but blanks follows it.
bool is_ended(const char* text, size_t length) {
  const char* const all = text + length;
  const char* const end = std::find(text, all, '\0');
  return end != all && std::all_of(end + 1, all, [](char c) { return c == ' '; });
}

}  // namespace

int add_entry() {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  auto place = std::find(known.entries.begin(), known.entries.end(), nullptr);
  if (place == known.entries.end()) place = known.entries.insert(place, nullptr);
  *place = std::make_unique<Entry>();
  (*place)->sequence = ++known.made;
  return static_cast<int>(place - known.entries.begin()) + 1;
}

Entry* find_entry(int id) {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  if (id >= 1 && static_cast<size_t>(id) <= known.entries.size()) {
    if (Entry* entry = known.entries[id - 1].get()) return entry;
  }
  fail({ErrorKind::argument, 0,
        fmt::format("there is no I/O group {}: none was made under this number, or it is cleaned up", id)});
  return nullptr;
}

void remove_entry(int id) {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  known.entries[id - 1].reset();
}

std::vector<int> entry_ids() {
  Table& known = table();
  const std::lock_guard lock(known.mutex);
  std::vector<int> ids;
  for (size_t at = 0; at < known.entries.size(); ++at) {
    if (known.entries[at]) ids.push_back(static_cast<int>(at) + 1);
  }
  std::sort(ids.begin(), ids.end(), [&](int one, int other) {
    return known.entries[one - 1]->sequence < known.entries[other - 1]->sequence;
  });
  return ids;
}

std::string fortran_text(const char* text, size_t length) {
  if (const void* end = std::memchr(text, 0, length)) {
    return {text, static_cast<size_t>(static_cast<const char*>(end) - text)};
  }
  while (length > 0 && text[length - 1] == ' ') --length;
  return {text, length};
}

std::string fortran_text_behind_data(int type, const char* text, size_t length, size_t next_length) {
  constexpr size_t longest_name = 4096;  // a larger value is no length, but what happened to lie there
  const bool may_be_character = type == SCORPIO_CHAR || type == SCORPIO_BYTE;
  const bool may_be_length = next_length >= 1 && next_length <= longest_name;
  if (may_be_character && may_be_length && !std::memchr(text, 0, length)) {
    // If `length` is above 1, `next_length` is taken only if the text of that length is one that is ended.
    if (length == 1 || (next_length > length && is_ended(text, next_length)))
      return fortran_text(text, next_length);
  }
  return fortran_text(text, length);
}

bool put_text(std::string_view text, char* out, size_t length) {
  const size_t copied = std::min(text.size(), length);
  std::copy_n(text.data(), copied, out);
  std::fill(out + copied, out + length, ' ');
  return copied == text.size();
}

int outcome(const iogroup_t& group, const Status& mine) {
  const Status all = agree(group.globalcomm, mine);
  return all ? 0 : fail(all.error());
}

}  // namespace concilio::scorpio
