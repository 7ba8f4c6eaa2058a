#include "scorpio/netcdf.h"
namespace concilio::scorpio {
Handle netcdf_file_creation() {
  return {H5Pcreate(H5P_FILE_CREATE), H5Pclose};
}
Status add_dimension_scales(File&, hid_t, const std::string&, const std::vector<int64_t>&) {
  return {};
}
}  // namespace concilio::scorpio
