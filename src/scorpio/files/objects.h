// Finds, opens and makes objects of a file by their paths. Roots call these functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {

enum class Kind { none, group, dataset, other };

// Returns what an absolute path leads to. A missing parent, or a link that leads nowhere, is not an error but
// `none`.
Result<Kind> kind_of(hid_t file, const std::string& path);

Result<Handle> open_object(hid_t file, const std::string& path);
Result<Handle> open_dataset(hid_t file, const std::string& path);
Result<std::vector<int64_t>> extents_of(hid_t dataset, const std::string& path);

// Returns the properties to create groups (H5P_GROUP_CREATE) or datasets (H5P_DATASET_CREATE) with.
Handle creation_properties(const File& file, hid_t property_class);

// Opens the group. If it is missing, it is made, and so are missing groups on its path.
Result<Handle> open_or_make_group(const File& file, const std::string& path);
// Makes the missing groups on the way to `path`.
Status make_parents(const File& file, const std::string& path);

// Returns an error if the file was opened for reading only.
Status may_change(const File& file, const std::string& path);
// Returns an error if there is no name. `what` says what it should name.
Status has_name(const char* name, const char* what);

}  // namespace concilio::scorpio
