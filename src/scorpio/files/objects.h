// Objects of a file by their paths, as its roots see them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {

enum class Kind { none, group, dataset, other };

// What an absolute path leads to. Missing parents, and links that lead nowhere, are no errors: none.
Result<Kind> kind_of(hid_t file, const std::string& path);

Result<Handle> open_object(hid_t file, const std::string& path);
Result<Handle> open_dataset(hid_t file, const std::string& path);
Result<std::vector<int64_t>> extents_of(hid_t dataset, const std::string& path);

// Properties to create groups or datasets with: H5P_GROUP_CREATE, H5P_DATASET_CREATE.
Handle creation_properties(const File& file, hid_t property_class);

// Opens the group, which is made, with those on its path, where it is missing.
Result<Handle> open_or_make_group(const File& file, const std::string& path);
// The groups on the way to `path`.
Status make_parents(const File& file, const std::string& path);

// An error if the file was opened to be read only.
Status may_change(const File& file, const std::string& path);
// An error if there is no name; `what` it should name.
Status has_name(const char* name, const char* what);

}  // namespace concilio::scorpio
