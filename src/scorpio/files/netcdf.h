// What makes an HDF5 file one of netCDF-4: dimension scales, and objects in the order of their making.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {

// File creation properties.
Handle netcdf_file_creation();
// Lets what is created with these properties, a group or a dataset, remember the order of what it holds.
bool keep_order(hid_t properties);
// Whether the file, opened to be changed, says that it is one of netCDF-4.
bool is_netcdf(hid_t file);

// Gives a dataset that was just made its dimensions: those of File::creation if it names so many, else such
// as are called for their extent. If that fails the dataset is gone. On all roots alike.
Status add_dimension_scales(File& file, hid_t dataset, const std::string& path,
                            const std::vector<int64_t>& extents);
// The same, whatever the creation names.
Status add_unnamed_scales(File& file, hid_t dataset, const std::string& path,
                          const std::vector<int64_t>& extents);

// To be called before a dataset is opened or made to be written: if what is at `path` only stands for a
// dimension, it is set aside, and add_dimension_scales makes the new dataset that dimension's coordinates.
Status make_way(hid_t file, const std::string& path, const std::vector<int64_t>& extents);

}  // namespace concilio::scorpio
