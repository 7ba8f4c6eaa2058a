"""Files: datasets, groups and links in them."""
import ctypes
import operator
import os
import warnings

import numpy
from mpi4py import MPI

from . import _scorpio_c as c
from ._scorpio_attributes import Attributes
from ._scorpio_group import _OPEN_MODES, ScorpioError
from ._scorpio_types import dense, raw_text, stored_type, type_number
from ._scorpio_xdmf import grid_of

_READ_PATTERNS = {"uniform": c.UNIFORM_READ, "nonuniform": c.NONUNIFORM_READ, "noncontiguous": c.NONCONTIGUOUS_READ}
_WRITE_PATTERNS = {"uniform": c.UNIFORM_WRITE, "nonuniform": c.NONUNIFORM_WRITE,
                   "noncontiguous": c.NONCONTIGUOUS_WRITE}


def _extents(values, ndim, what):
    values = tuple(operator.index(value) for value in values)
    if len(values) != ndim:
        raise ValueError(f"{len(values)} {what} for {ndim} dimensions")
    return values


def _pattern_of(patterns, name):
    if name not in patterns:
        raise ValueError(f"the pattern {name!r} is none of {', '.join(patterns)}")
    return patterns[name]


class File:
    """A file opened by IOGroup.open or concilio.scorpio.open. Every call is collective. Extents and offsets count
    elements, the slowest dimension first; a name is a path, relative to the group that create_group opened last."""

    def __init__(self, group, path, mode="r", netcdf4=False, owns_group=False):
        self._is_open = False
        self.group, self._owns_group = group, owns_group

        def prepare():
            key = "w-netcdf4" if netcdf4 and mode == "w" else mode
            if key not in _OPEN_MODES or netcdf4 and key != "w-netcdf4":
                raise ValueError(f"the mode {mode!r}{' with netcdf4' if netcdf4 else ''} is none of "
                                 f"{', '.join(_OPEN_MODES)}")
            return os.fsencode(path), _OPEN_MODES[key]

        raw_path, number = group._prepared(prepare)
        self.path = os.fspath(path)
        self._handle = group._check(c.library.scorpio_open_file(raw_path, group._group, number))
        self._is_open, self._place = True, group._new_place()
        group._files[self._handle] = self

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._leave(error)

    def __del__(self):
        if getattr(self, "_is_open", False):
            warnings.warn(f"{self.path} was not closed", ResourceWarning, source=self)

    def close(self):
        """Waits until all ranks close the file."""
        self._leave(None)

    def _leave(self, error):
        if self._is_open and not MPI.Is_finalized() and self.group._depart(self._place, error):
            self._is_open = False
            del self.group._files[self._handle]
            try:
                self.group._check(c.library.scorpio_close_file(self._handle, self.group._group))
            finally:
                if self._owns_group:
                    self.group._leave(None)
        elif self._owns_group:
            self.group._leave(error)
        self._is_open = False

    def _prepared(self, prepare):
        if not self._is_open:
            raise ScorpioError(f"{self.path} is closed")
        return self.group._prepared(prepare)

    def _raw_name(self, name):
        # Not name.encode itself: a name without it is an error that all ranks must hear of.
        return self._prepared(lambda: name.encode())

    def _call(self, function, *arguments):
        return self.group._check(getattr(c.library, function)(*arguments, self._handle, self.group._group))

    def _call_named(self, function, *arguments):
        """For functions that take the name of a dataset or object after the file."""
        *before, name = arguments
        return self.group._check(getattr(c.library, function)(*before, self._handle, name, self.group._group))

    # --- What the file holds ---

    def _shape(self, raw_name):
        ndim = ctypes.c_int()
        self._call_named("scorpio_get_dataset_ndims", ndim, raw_name)
        extents = c.longs([0] * ndim.value)
        self._call_named("scorpio_get_dataset_dims_64", extents, raw_name)
        return tuple(extents[: ndim.value])

    def shape(self, name):
        """The extents of a dataset."""
        return self._shape(self._raw_name(name))

    def ndim(self, name):
        """The number of a dataset's dimensions."""
        return len(self.shape(name))

    def size(self, name):
        """The number of a dataset's elements."""
        return int(numpy.prod(self.shape(name), dtype="int64"))

    def dtype(self, name):
        """The numpy type that a dataset is read as: the one here that holds all of its values."""
        raw_name = self._raw_name(name)
        self._shape(raw_name)  # fails as it should if there is no such dataset
        return numpy.dtype(self._known_type(self._stored_type(raw_name), name))

    def _stored_type(self, raw_name, attribute=None):
        """All roots look, so that it does not matter whether HDF5 reads what describes the file collectively."""
        found = None
        if self.group.is_root:
            opened = self.group._group.file[self._handle].contents
            inside = opened.groupid >= 0 and not raw_name.startswith(b"/")
            found = stored_type(opened.groupid if inside else opened.fid, raw_name, attribute)
        return self.group.comm.bcast(found)

    def _known_type(self, found, what):
        if found in ("", "str"):
            raise ScorpioError(f"{self.path}: {what}: " + ("strings are read by read_strings" if found else
                                                          "is of no type that can be read without dtype"))
        return found

    def exists(self, name):
        """Whether there is such a dataset."""
        raw_name = self._raw_name(name)
        return bool(self.group._check(c.library.scorpio_dataset_exists(raw_name, self._handle, self.group._group)))

    __contains__ = exists

    def group_exists(self, name):
        """Whether there is such a group."""
        raw_name = self._raw_name(name)
        return bool(self.group._check(c.library.scorpio_group_exists(raw_name, self._handle, self.group._group)))

    # --- Reading ---

    def read(self, name, starts=None, counts=None, dtype=None, pattern="nonuniform"):
        """This rank's part of a dataset: the block of `counts` at `starts` if starts are given (blocks may overlap, be
        empty). Else by pattern: "nonuniform", parts of `counts` follow each other in the order of ranks, without counts
        divided evenly; "uniform", the same for all; "noncontiguous", blocks of `counts` tile the dataset."""
        raw_name, wanted, shape = self._described(name, dtype)

        def prepare():
            number = _pattern_of(_READ_PATTERNS, pattern)
            if starts is not None and counts is None:
                raise ValueError("starts without counts")
            local = self._share(shape, pattern) if counts is None else _extents(counts, len(shape), "counts")
            at = None if starts is None else c.longs(_extents(starts, len(shape), "starts"))
            return number, at, numpy.empty(local, wanted)

        number, at, array = self._prepared(prepare)
        sizes = (array.ctypes.data, type_number(wanted), len(shape), c.longs(shape), c.longs(array.shape))
        if at is not None:
            self._call_named("scorpio_read_dataset_block_64", *sizes, at, raw_name)
        else:
            self.group._check(c.library.scorpio_read_dataset_64(*sizes, self._handle, raw_name, self.group._group, number))
        return array

    def read_all(self, name, dtype=None):
        """The entire dataset, on every rank."""
        raw_name, wanted, shape = self._described(name, dtype)
        array = self._prepared(lambda: numpy.empty(shape, wanted))
        extents = c.longs(shape)
        self.group._check(c.library.scorpio_read_dataset_64(
            array.ctypes.data, type_number(wanted), len(shape), extents, extents, self._handle, raw_name,
            self.group._group, c.EVERYONE_ENTIRE_READ))
        return array

    def read_same(self, name, starts, counts, dtype=None):
        """The same block on every rank."""
        raw_name, wanted, shape = self._described(name, dtype)
        at, array = self._prepared(lambda: (c.longs(_extents(starts, len(shape), "starts")),
                                            numpy.empty(_extents(counts, len(shape), "counts"), wanted)))
        self._call_named("scorpio_read_same_sub_dataset_64", array.ctypes.data, type_number(wanted), len(shape),
                         c.longs(array.shape), at, raw_name)
        return array

    def read_rows(self, name, rows, dtype=None):
        """The rows (elements, of a dataset of one dimension) that this rank lists, in that order."""
        raw_name, wanted, shape = self._described(name, dtype)

        def prepare():
            which = _row_numbers(rows)
            return which, numpy.empty(which.shape + shape[1:], wanted)

        which, array = self._prepared(prepare)
        self._call_named("scorpio_read_dataset_map", array.ctypes.data, type_number(wanted), len(shape), c.longs(shape),
                         len(which), _pointer(which), raw_name)
        return array

    def _described(self, name, dtype):
        """A dataset's name for the library, the type to read it as, and its extents."""

        def prepare():
            if dtype is not None:
                type_number(dtype)
            return name.encode()

        raw_name = self._prepared(prepare)
        shape = self._shape(raw_name)
        if dtype is None:
            dtype = self._known_type(self._stored_type(raw_name), name)
        return raw_name, dtype, shape

    def _share(self, shape, pattern):
        rank, ranks = self.group.comm.rank, self.group.comm.size
        if pattern == "noncontiguous":
            raise ValueError("the noncontiguous pattern needs counts")
        if pattern == "uniform" and shape[0] % ranks:
            raise ValueError(f"{shape[0]} rows are not uniform on {ranks} ranks")
        return (shape[0] * (rank + 1) // ranks - shape[0] * rank // ranks,) + shape[1:]

    # --- Writing ---

    def write(self, name, array, pattern="nonuniform", shape=None):
        """Each rank its part. "nonuniform" and "uniform" (parts of one size): the parts follow each other in the order
        of ranks; the dataset has as many rows as they have. "noncontiguous": they tile the dataset, of that shape."""

        def prepare():
            part, number = _part(array), _pattern_of(_WRITE_PATTERNS, pattern)
            if shape is None and pattern == "noncontiguous":
                raise ValueError("the noncontiguous pattern needs the shape of the dataset")
            return name.encode(), part, number, None if shape is None else _extents(shape, part.ndim, "extents")

        raw_name, part, number, extents = self._prepared(prepare)
        if pattern != "noncontiguous":
            rows = self.group.comm.allreduce(part.shape[0])
            extents = extents or (rows,) + part.shape[1:]
        self.group._check(c.library.scorpio_write_dataset_64(
            part.ctypes.data, type_number(part.dtype), part.ndim, c.longs(extents), c.longs(part.shape), self._handle,
            raw_name, self.group._group, number))

    def write_block(self, name, array, starts, shape):
        """Each rank its block, at those starts of a dataset of that shape. Where blocks overlap the higher rank wins; one
        with an extent of 0 is nothing."""

        def prepare():
            part = _part(array)
            return (name.encode(), part, c.longs(_extents(starts, part.ndim, "starts")),
                    c.longs(_extents(shape, part.ndim, "extents")))

        raw_name, part, at, extents = self._prepared(prepare)
        self._call_named("scorpio_write_dataset_block_64", part.ctypes.data, type_number(part.dtype), part.ndim, extents,
                         c.longs(part.shape), at, raw_name)

    def write_rows(self, name, array, rows, shape=None):
        """Row i of the array becomes row rows[i] of the dataset, of that shape (not needed if it is there). Of those
        written more than once the higher rank's, and of a rank the later one, stays."""
        if shape is None:
            shape = self.shape(name)

        def prepare():
            part, which = _part(array), _row_numbers(rows)
            extents = _extents(shape, part.ndim, "extents")
            if part.shape != which.shape + extents[1:]:
                raise ValueError(f"an array of {part.shape} for {len(which)} rows of {extents[1:]}")
            return name.encode(), part, which, c.longs(extents)

        raw_name, part, which, extents = self._prepared(prepare)
        self._call_named("scorpio_write_dataset_map", part.ctypes.data, type_number(part.dtype), part.ndim, extents,
                         len(which), _pointer(which), raw_name)

    def creation(self, chunk=None, deflate=0, shuffle=False, dimension_names=None):
        """How the datasets are made that this file gets from now on. Without arguments: as at first, plain. chunk: its
        extents; deflate: the level, 1 to 9; dimension_names: "z,y,x", of netCDF-4 files."""

        def prepare():
            extents = c.longs(chunk or [])
            names = dimension_names if dimension_names is None else dimension_names.encode()
            return c.Creation(len(chunk or []), extents, int(deflate), bool(shuffle), names)

        made = self._prepared(prepare)
        self._call("scorpio_set_creation", made)

    # --- Strings ---

    def write_strings(self, name, strings):
        """A dataset of strings, the same on all ranks (rank 0's are written)."""

        def prepare():
            texts = [raw_text(string) for string in strings]
            return name.encode(), len(texts), (ctypes.c_char_p * max(len(texts), 1))(*texts)

        raw_name, count, texts = self._prepared(prepare)
        self._call_named("scorpio_write_str_array", texts, count, raw_name)

    def read_strings(self, name):
        """All strings of a dataset, on every rank."""
        raw_name = self._raw_name(name)
        memory, count = ctypes.c_void_p(), ctypes.c_int()
        self._call_named("scorpio_read_str_array", memory, count, raw_name)
        texts = ctypes.cast(memory, ctypes.POINTER(ctypes.c_char_p))
        strings = [texts[i].decode(errors="surrogateescape") for i in range(count.value)]
        c.free(memory)
        return strings

    # --- Attributes, groups and links ---

    def attrs(self, name="/"):
        """The attributes of a dataset or group, to be set and got by name."""
        return Attributes(self, name)

    def get_attr(self, name, attribute, dtype=None):
        return self.attrs(name).get(attribute, dtype)

    def set_attr(self, name, attribute, value):
        self.attrs(name)[attribute] = value

    def create_group(self, name):
        """Makes or opens a group. Until it is closed, by `with` or close(), names are relative to it."""
        raw_name = self._raw_name(name)
        number = self.group._check(c.library.scorpio_create_dataset_group(raw_name, self._handle, self.group._group))
        return Group(self, name, number)

    def link(self, target, name, location=None):
        """A soft link of that name, in the Group `location` or at the file's root, to the path `target`."""
        where = self._prepared(lambda: (target.encode(), 0 if location is None else location.id, name.encode()))
        self._call("scorpio_create_link", *where)

    def write_xdmf(self, kind="uniform", time=0.0, fields=(), **grid):
        """Adds a grid, one time step, to the description FILE.xmf. kind: "uniform" with points, origin and spacing;
        "rectilinear" with points and coordinates, a dataset for each dimension; "unstructured" with coordinates (one
        dataset), topology ("Tetrahedron", ...) and connectivity (a dataset), for "Mixed" also cells. Points are counted
        in each dimension, the slowest first. fields: names of datasets, or Fields."""
        made = self._prepared(lambda: grid_of(kind, time, fields, grid))
        self._call("scorpio_write_xdmf", made)


class Group:
    """A group in a file that names are relative to."""

    def __init__(self, file, name, number):
        self.file, self.name, self.id, self._is_open = file, name, number, True
        self._place = file.group._new_place()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._leave(error)

    def close(self):
        """Waits until all ranks close the group."""
        self._leave(None)

    def _leave(self, error):
        is_open, self._is_open = self._is_open and self.file._is_open, False
        if is_open and self.file.group._depart(self._place, error):
            self.file._call("scorpio_close_dataset_group", self.id)


def _part(array):
    part = dense(array)
    if part.ndim == 0:
        raise ValueError("a dataset has one dimension at least, and this value has none")
    return part


def _row_numbers(rows):
    numbers = numpy.asarray(rows)
    if numbers.ndim != 1 or numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError("rows are a list of integers")
    return numpy.ascontiguousarray(numbers, "int64")


def _pointer(numbers):
    return numbers.ctypes.data_as(ctypes.POINTER(ctypes.c_int64))

