// What makes an HDF5 file a netCDF-4 file: dimension scales, and a record of the order in which objects were
// created.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/files/group.h"

namespace concilio::scorpio {

// Returns the properties to create a netCDF-4 file with.
Handle netcdf_file_creation();
// Lets a group or a dataset that is created with these properties remember the order in which its contents
// were created. Returns whether that succeeded.
bool keep_order(hid_t properties);
// Whether a file that is opened for changes says that it is a netCDF-4 file.
bool is_netcdf(hid_t file);

// Gives a dataset that was just made its dimensions: those of File::creation if it names as many, or else
// dimensions that are found or made by their extents. If that fails, the dataset is removed. To be called on
// all roots alike.
Status add_dimension_scales(File& file, hid_t dataset, const std::string& path,
                            const std::vector<int64_t>& extents);
// The same, whatever names File::creation has.
Status add_unnamed_scales(File& file, hid_t dataset, const std::string& path,
                          const std::vector<int64_t>& extents);

// To be called before a dataset is opened or made for a write. If the dataset at `path` only stands for a
// dimension, it is set aside, and add_dimension_scales makes the new dataset that dimension's coordinates.
Status make_way(hid_t file, const std::string& path, const std::vector<int64_t>& extents);
// Puts back what make_way has set aside, if anything. To be called if the dataset could not be made.
void take_back(hid_t file, const std::string& path);

}  // namespace concilio::scorpio
