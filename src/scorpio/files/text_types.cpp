#include "scorpio/files/text_types.h"

#include <algorithm>
#include <cstring>

namespace concilio::scorpio {
namespace {

Status read_variable(hid_t type, int64_t count, const ReadCells& read, Texts& texts) {
  const Handle memory_type = text_type(H5T_VARIABLE, H5Tget_cset(type));
  const hsize_t extent = static_cast<hsize_t>(count);
  const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
  std::vector<char*> strings(static_cast<size_t>(count), nullptr);
  if (!memory_type.ok() || !space.ok() || read(memory_type, strings.data()) < 0)
    return hdf5_error("could not read strings");
  for (const char* string : strings) texts.add(string ? string : "", SIZE_MAX / 2);
  H5Dvlen_reclaim(memory_type, space, H5P_DEFAULT, strings.data());
  return {};
}

}  // namespace

Handle text_type(size_t bytes, H5T_cset_t characters) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  if (!type.ok() || H5Tset_size(type, bytes) < 0 || H5Tset_strpad(type, H5T_STR_NULLTERM) < 0 ||
      H5Tset_cset(type, characters) < 0)
    return {};
  return type;
}

H5T_cset_t characters_of(const Texts& texts) {
  const bool ascii =
      std::all_of(texts.text.begin(), texts.text.end(), [](char c) { return (c & 0x80) == 0; });
  return ascii ? H5T_CSET_ASCII : H5T_CSET_UTF8;
}

int64_t longest_bytes(const Texts& texts) {
  size_t longest = 0;
  for (size_t at = 0; at < texts.text.size();) {
    const size_t length = std::strlen(texts.text.c_str() + at);
    longest = std::max(longest, length);
    at += length + 1;
  }
  return static_cast<int64_t>(longest);
}

std::vector<char> cells_of(const Texts& texts, size_t bytes) {
  std::vector<char> cells(static_cast<size_t>(texts.count) * bytes, '\0');
  const char* next = texts.text.c_str();
  for (int64_t i = 0; i < texts.count; ++i) {
    const size_t length = std::strlen(next);
    std::memcpy(cells.data() + static_cast<size_t>(i) * bytes, next, std::min(length, bytes));
    next += length + 1;
  }
  return cells;
}

bool is_text(hid_t type) {
  return H5Tget_class(type) == H5T_STRING;
}

Status read_texts(hid_t type, int64_t count, const ReadCells& read, Texts& texts) {
  if (count == 0) return {};
  if (H5Tis_variable_str(type) > 0) return read_variable(type, count, read, texts);
  // In memory strings have one byte more than in the file, for the NUL that other kinds of padding lack.
  const size_t bytes = H5Tget_size(type) + 1;
  const Handle memory_type = text_type(bytes, H5Tget_cset(type));
  std::vector<char> cells(static_cast<size_t>(count) * bytes);
  if (!memory_type.ok() || read(memory_type, cells.data()) < 0) return hdf5_error("could not read strings");
  for (int64_t i = 0; i < count; ++i) texts.add(cells.data() + static_cast<size_t>(i) * bytes, bytes);
  return {};
}

}  // namespace concilio::scorpio
