"""The C interface of include/scorpio/scorpio.h for ctypes, from the library of the MPI that mpi4py runs on."""
import ctypes
import glob
import operator
import os

from mpi4py import MPI

FAILURE = -1
FILE_CREATE, FILE_READONLY, FILE_READWRITE, FILE_CREATE_NETCDF4 = range(4)
(UNIFORM_READ, NONUNIFORM_READ, NONCONTIGUOUS_READ, EVERYONE_ENTIRE_READ,
 UNIFORM_WRITE, NONUNIFORM_WRITE, NONCONTIGUOUS_WRITE) = range(7)
INTEGER, DOUBLE, FLOAT, LONG, CHAR, BYTE, STRING = range(7)
XDMF_UNIFORM, XDMF_RECTILINEAR, XDMF_UNSTRUCTURED = range(3)

# MPICH's handles are ints, Open MPI's pointers.
Comm = ctypes.c_int if MPI._sizeof(MPI.Comm) == ctypes.sizeof(ctypes.c_int) else ctypes.c_void_p


class GroupConf(ctypes.Structure):
    _fields_ = [("numIOgroups", ctypes.c_int), ("preferredGroupSize", ctypes.c_int), ("commIncoming", Comm)]


class OpenFile(ctypes.Structure):
    _fields_ = [("handle", ctypes.c_int), ("filename", ctypes.c_char * 100), ("fid", ctypes.c_int64),
                ("acc_tpl", ctypes.c_int64), ("xfer_plist", ctypes.c_int64), ("link_plist", ctypes.c_int64),
                ("sid", ctypes.c_int64), ("file_dataspace", ctypes.c_int64), ("mem_dataspace", ctypes.c_int64),
                ("dataset", ctypes.c_int64), ("groupid", ctypes.c_int64)]


class Group(ctypes.Structure):
    _fields_ = [("localrank", ctypes.c_int), ("globalrank", ctypes.c_int), ("localsize", ctypes.c_int),
                ("globalsize", ctypes.c_int), ("iogroupRank", ctypes.c_int), ("iogroupSize", ctypes.c_int),
                ("numIOgroups", ctypes.c_int), ("preferredGroupSize", ctypes.c_int), ("localcomm", Comm),
                ("globalcomm", Comm), ("iocomm", Comm),
                ("file", ctypes.POINTER(ctypes.POINTER(OpenFile))), ("numFiles", ctypes.c_int),
                ("datatype_size", ctypes.c_int), ("mpi_type", Comm), ("hdf_type", ctypes.c_int64),
                ("impl", ctypes.c_void_p)]


class Creation(ctypes.Structure):
    _fields_ = [("nchunk", ctypes.c_int), ("chunk", ctypes.POINTER(ctypes.c_int64)), ("deflate", ctypes.c_int),
                ("shuffle", ctypes.c_int), ("dimension_names", ctypes.c_char_p)]


class XdmfField(ctypes.Structure):
    _fields_ = [("dataset", ctypes.c_char_p), ("name", ctypes.c_char_p), ("on_cells", ctypes.c_int)]


class XdmfGrid(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int), ("time", ctypes.c_double), ("ndims", ctypes.c_int),
                ("points", ctypes.POINTER(ctypes.c_int64)), ("origin", ctypes.POINTER(ctypes.c_double)),
                ("spacing", ctypes.POINTER(ctypes.c_double)), ("coordinates", ctypes.POINTER(ctypes.c_char_p)),
                ("topology", ctypes.c_char_p), ("connectivity", ctypes.c_char_p), ("cells", ctypes.c_int64),
                ("nfields", ctypes.c_int), ("fields", ctypes.POINTER(XdmfField))]


_int, _long, _name, _data = ctypes.c_int, ctypes.c_int64, ctypes.c_char_p, ctypes.c_void_p
_group, _ints, _longs = ctypes.POINTER(Group), ctypes.POINTER(_int), ctypes.POINTER(_long)
_where = [_int, _name, _group]  # a file, what in it, the I/O group
_whole = [_data, _int, _int, _longs, _longs] + _where + [_int]
_block = [_data, _int, _int, _longs, _longs, _longs] + _where
_rows = [_data, _int, _int, _longs, _long, _longs] + _where

# Types of arguments; what is returned is an int unless it is named after them.
_FUNCTIONS = {
    "scorpio_IOgroup_init": [ctypes.POINTER(GroupConf), _group],
    "scorpio_IOgroup_cleanup": [_group],
    "scorpio_open_file": [_name, _group, _int],
    "scorpio_close_file": [_int, _group],
    "scorpio_last_error": ([], _name),
    "scorpio_set_buffer_bytes": [_long, _group],
    "scorpio_peak_buffer_bytes": ([_group], _long),
    "scorpio_set_expected_bytes": [_long, _group],
    "scorpio_set_relative_names": [_int, _group],
    "scorpio_set_creation": [ctypes.POINTER(Creation), _int, _group],
    "scorpio_get_dataset_ndims": [_ints] + _where,
    "scorpio_get_dataset_dims_64": [_longs] + _where,
    "scorpio_group_exists": [_name, _int, _group],
    "scorpio_dataset_exists": [_name, _int, _group],
    "scorpio_read_dataset_64": _whole,
    "scorpio_write_dataset_64": _whole,
    "scorpio_read_dataset_block_64": _block,
    "scorpio_write_dataset_block_64": _block,
    "scorpio_read_same_sub_dataset_64": [_data, _int, _int, _longs, _longs] + _where,
    "scorpio_read_dataset_map": _rows,
    "scorpio_write_dataset_map": _rows,
    "scorpio_write_str_array": [ctypes.POINTER(_name), _int] + _where,
    "scorpio_read_str_array": [ctypes.POINTER(_data), _ints] + _where,
    "scorpio_read_simple_attr": [_name, ctypes.POINTER(_data), _int] + _where,
    "scorpio_write_simple_attr": [_name, _data, _int] + _where,
    "scorpio_read_attr": [_name, ctypes.POINTER(_data), _int, _ints, ctypes.POINTER(_data)] + _where,
    "scorpio_write_attr": [_name, _data, _int, _int, _ints] + _where,
    "scorpio_create_dataset_group": ([_name, _int, _group], _long),
    "scorpio_close_dataset_group": [_long, _int, _group],
    "scorpio_create_link": [_name, _long, _name, _int, _group],
    "scorpio_write_xdmf": [ctypes.POINTER(XdmfGrid), _int, _group],
    # HDF5's own, of the library that this one is linked with: the types that a file's datasets and attributes have.
    "H5Dopen2": ([_long, _name, _long], _long),
    "H5Dget_type": ([_long], _long),
    "H5Dclose": [_long],
    "H5Aopen_by_name": ([_long, _name, _name, _long, _long], _long),
    "H5Aget_type": ([_long], _long),
    "H5Aclose": [_long],
    "H5Eget_auto2": [_long, ctypes.POINTER(_data), ctypes.POINTER(_data)],
    "H5Eset_auto2": [_long, _data, _data],
    "H5Tget_class": [_long],
    "H5Tget_size": ([_long], ctypes.c_size_t),
    "H5Tget_sign": [_long],
    "H5Tclose": [_long],
}


def flavour():
    """Which of Concilio's libraries goes with the MPI that mpi4py runs on."""
    vendor, version = MPI.get_vendor()
    name = "openmpi" if vendor == "Open MPI" else "mpich"
    newer = vendor in ("Open MPI", "MPICH") and version[0] >= 5
    return name + "5" if newer else name


def candidates(name):
    """Where the library of that MPI may lie, in the order of looking."""
    given = os.environ.get("CONCILIO_SCORPIO_LIBRARY")
    if given:
        return [given]
    found, folder = [], os.path.dirname(os.path.abspath(__file__))
    # Installed under a prefix, or the source's build tree.
    for _ in range(5):
        folder = os.path.dirname(folder)
        for pattern in ("concilio", "lib*/concilio", "lib/*/concilio", "build/all/lib/concilio",
                        f"build/{name}/lib/concilio"):
            paths = sorted(glob.glob(os.path.join(folder, pattern, name, "libconcilio_scorpio.so")))
            found += [path for path in paths if path not in found]
    return found


def _load():
    name = flavour()
    paths = candidates(name)
    if not paths:
        raise ImportError(f"concilio.scorpio: no {name}/libconcilio_scorpio.so found in lib*/concilio or build/all/lib/"
                          f"concilio of the folders above {os.path.dirname(os.path.abspath(__file__))}; mpi4py runs on "
                          f"{' '.join(map(str, MPI.get_vendor()))}; CONCILIO_SCORPIO_LIBRARY may name the library")
    try:
        loaded = ctypes.CDLL(paths[0])
        for function, types in _FUNCTIONS.items():
            arguments, result = types if isinstance(types, tuple) else (types, ctypes.c_int)
            getattr(loaded, function).argtypes = arguments
            getattr(loaded, function).restype = result
    except (OSError, AttributeError) as error:
        raise ImportError(f"concilio.scorpio: {paths[0]}, for {name}: {error}") from error
    loaded.path = paths[0]
    return loaded


library = _load()
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [_data], None


def free(pointer):
    """Of what the library allocated for its caller."""
    _free(pointer)


def longs(values):
    """int64_t[] of these."""
    values = [operator.index(value) for value in values]
    return (ctypes.c_int64 * max(len(values), 1))(*values)
