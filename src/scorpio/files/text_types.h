// HDF5's types of strings. This library writes strings of fixed length that end with a NUL. It also reads
// other types, which h5py for example writes.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "scorpio/files/delivery.h"
#include "scorpio/hdf5_support.h"

namespace concilio::scorpio {

// Returns a type of strings with room for `bytes` bytes, including the NUL at the end.
Handle text_type(size_t bytes, H5T_cset_t characters);
// Returns ASCII, or UTF-8 if there is any other character.
H5T_cset_t characters_of(const Texts& texts);
// Returns the length of the longest string, without its NUL.
int64_t longest_bytes(const Texts& texts);
// Returns `texts` as elements of `bytes` bytes each, padded with NUL.
std::vector<char> cells_of(const Texts& texts, size_t bytes);

// Whether elements of this type are strings.
bool is_text(hid_t type);

// Reads `count` elements of a type that is_text. `read` reads elements of a memory type into memory for
// `count` of them: it calls H5Dread or H5Aread.
using ReadCells = std::function<herr_t(hid_t memory_type, void* cells)>;
Status read_texts(hid_t type, int64_t count, const ReadCells& read, Texts& texts);

}  // namespace concilio::scorpio
