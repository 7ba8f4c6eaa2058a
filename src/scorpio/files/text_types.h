// HDF5's types of strings: of fixed length, ended by NUL, which is what is written; others, by h5py for
// example, are read.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "scorpio/files/delivery.h"
#include "scorpio/hdf5_support.h"

namespace concilio::scorpio {

// Room for `bytes`, the ending NUL included.
Handle text_type(size_t bytes, H5T_cset_t characters);
// ASCII unless there is something else.
H5T_cset_t characters_of(const Texts& texts);
// The longest of them, without its NUL.
int64_t longest_bytes(const Texts& texts);
// `texts` as elements of `bytes` each, filled with NUL.
std::vector<char> cells_of(const Texts& texts, size_t bytes);

// Whether elements are strings.
bool is_text(hid_t type);

// Reads `count` elements of a type that is_text, with `read`: H5Dread or H5Aread, as it were, of a memory
// type into memory for `count` elements.
using ReadCells = std::function<herr_t(hid_t memory_type, void* cells)>;
Status read_texts(hid_t type, int64_t count, const ReadCells& read, Texts& texts);

}  // namespace concilio::scorpio
