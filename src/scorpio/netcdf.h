// What makes an HDF5 file one of netCDF-4: dimension scales, and objects in the order of their making.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "scorpio/group.h"

namespace concilio::scorpio {

// File creation properties.
Handle netcdf_file_creation();

// Gives a dataset that was just made its dimensions. On all roots alike.
Status add_dimension_scales(File& file, hid_t dataset, const std::string& path,
                            const std::vector<int64_t>& extents);

}  // namespace concilio::scorpio
