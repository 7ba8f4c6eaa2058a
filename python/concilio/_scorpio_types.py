"""Element types: numpy's, SCORPIO's, and those a file has."""
import ctypes

import numpy

from . import _scorpio_c as c

_NUMBERS = {"int32": c.INTEGER, "float64": c.DOUBLE, "float32": c.FLOAT, "int64": c.LONG, "int8": c.CHAR,
            "uint8": c.BYTE}
_HDF5_INTEGER, _HDF5_FLOAT, _HDF5_STRING = 0, 1, 3
_UNSIGNED = 0


def type_number(dtype):
    """SCORPIO's number of a numpy type."""
    dtype = numpy.dtype(dtype)
    if not dtype.isnative or dtype.name not in _NUMBERS:
        raise TypeError(f"the element type {dtype.newbyteorder('=').name if dtype.isnative else dtype.str} is none of "
                        f"{', '.join(_NUMBERS)}")
    return _NUMBERS[dtype.name]


def dense(array):
    """The array as the library takes it, in C order without gaps: itself if it is so, else a copy."""
    array = numpy.asarray(array)
    type_number(array.dtype)
    # ascontiguousarray would make an array of no dimensions one of one.
    return array if array.flags.c_contiguous else numpy.ascontiguousarray(array)


def raw_text(text):
    raw = text.encode(errors="surrogateescape")
    if b"\0" in raw:
        raise ValueError(f"the string {text!r} has a zero character in it")
    return raw


def attribute_value(value):
    """The array, or list or text, that an attribute's value is written as. Python's ints are int32 where they fit."""
    if isinstance(value, str) or isinstance(value, (list, tuple)) and value and isinstance(value[0], str):
        return value
    array = numpy.asarray(value)
    if array.dtype.kind == "U":
        return array.tolist()
    if array.dtype == numpy.int64 and not isinstance(value, (numpy.ndarray, numpy.generic)):
        limits = numpy.iinfo("int32")
        if array.size == 0 or limits.min <= array.min() and array.max() <= limits.max:
            array = array.astype("int32")
    return dense(array)


def _name_of(hdf5_type):
    kind, size = c.library.H5Tget_class(hdf5_type), c.library.H5Tget_size(hdf5_type)
    if kind == _HDF5_STRING:
        return "str"
    if kind == _HDF5_FLOAT:
        return "float32" if size <= 4 else "float64"
    if kind != _HDF5_INTEGER:
        return ""
    if size == 1:
        return "uint8" if c.library.H5Tget_sign(hdf5_type) == _UNSIGNED else "int8"
    # The type that holds all values: a longer one for what is unsigned.
    bits = size * 8 + (c.library.H5Tget_sign(hdf5_type) == _UNSIGNED)
    return "int32" if bits <= 32 else "int64" if bits <= 64 else ""


def _open(place, object_name, attribute):
    """The HDF5 object, or less than 0 without a word, and what gets its type and closes it."""
    lib, report, its_data = c.library, ctypes.c_void_p(), ctypes.c_void_p()
    lib.H5Eget_auto2(0, report, its_data)
    lib.H5Eset_auto2(0, None, None)
    if attribute is None:
        opened, *functions = lib.H5Dopen2(place, object_name, 0), lib.H5Dget_type, lib.H5Dclose
    else:
        opened, *functions = lib.H5Aopen_by_name(place, object_name, attribute, 0, 0), lib.H5Aget_type, lib.H5Aclose
    lib.H5Eset_auto2(0, report, its_data)
    return opened, *functions


def stored_type(place, object_name, attribute=None):
    """The name of the type that a dataset or attribute in the open HDF5 group or file `place` has; "" if there is none
    or no type here holds it."""
    opened, get_type, close = _open(place, object_name, attribute)
    if opened < 0:
        return ""
    hdf5_type = get_type(opened)
    name = _name_of(hdf5_type)
    c.library.H5Tclose(hdf5_type)
    close(opened)
    return name


def copied_array(pointer, dtype, shape):
    """A numpy array of what the library allocated."""
    array = numpy.empty(shape, dtype)
    ctypes.memmove(array.ctypes.data, pointer, array.nbytes)
    return array
