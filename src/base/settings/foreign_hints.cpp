#include "base/settings/foreign_hints.h"

#include <algorithm>
#include <iterator>

namespace concilio {

namespace {

constexpr std::string_view known_names[] = {
    // Reserved by the MPI standard.
    "access_style", "appnum", "arch", "chunked", "chunked_item", "chunked_size", "file", "filename", "host",
    "io_node_list", "nb_proc", "num_io_nodes", "path", "soft", "thread_level", "wdir",
    // ROMIO.
    "bg_nodes_pset", "cb_alltoall", "deferred_open", "direct_read", "direct_write", "e10_cache",
    "e10_cache_path", "ind_overlap", "ind_wr_lock", "romio_aggregator_list", "romio_datasieving",
    "romio_ds_wr_lb", "romio_grequest_poll", "romio_lustre_co_ratio", "romio_lustre_coll_threshold",
    "romio_lustre_cb_ds_threshold", "romio_lustre_ds_in_coll", "romio_lustre_start_iodevice",
    "romio_min_fdomain_size", "romio_onesided", "romio_onesided_always_rmw", "romio_onesided_inform_rmw",
    "romio_onesided_no_rmw", "romio_pvfs2_debugmask", "romio_pvfs2_dtype_read", "romio_pvfs2_dtype_write",
    "romio_pvfs2_listio_read", "romio_pvfs2_listio_write", "romio_pvfs2_posix_read",
    "romio_pvfs2_posix_write", "romio_read_aggmethod", "romio_synchronizing_flush", "romio_write_aggmethod",
    "romio_tuneblocking", "romio_tunegather", "start_iodevice",
    // Open MPI.
    "group_aggregators", "sharedfp",
    // Cray.
    "aggregator_placement_stride", "direct_io", "overstriping_factor"};

// What hints of other I/O libraries and vendors begin with.
constexpr std::string_view prefixes[] = {
    "I_MPI_",       "daos_",    "gpfs_", "lustre_",  "ompio_", "romio_daos_", "romio_gpfs_", "romio_lustre_",
    "romio_pvfs2_", "unifyfs_", "nc_",   "pnetcdf_", "hdf5_",  "H5",          "mpi_",        "mpich_",
    "cray_",        "ibm_",     "IBM_",  "mca_",     "ompi_",  "panfs_",      "pvfs2_"};

}  // namespace

bool is_foreign_hint(std::string_view hint) {
  return std::find(std::begin(known_names), std::end(known_names), hint) != std::end(known_names) ||
         std::any_of(std::begin(prefixes), std::end(prefixes),
                     [hint](std::string_view prefix) { return hint.starts_with(prefix); });
}

}  // namespace concilio
