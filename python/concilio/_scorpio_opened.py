"""Opening and closing a file, and what it holds."""
import ctypes
import os
import warnings

import numpy
from mpi4py import MPI

from . import _scorpio_c as c
from ._scorpio_agreement import ScorpioError
from ._scorpio_types import stored_type

OPEN_MODES = {"r": c.FILE_READONLY, "w": c.FILE_CREATE, "r+": c.FILE_READWRITE, "w-netcdf4": c.FILE_CREATE_NETCDF4}


class OpenedFile:
    """The part of File that opens, closes and looks."""

    def __init__(self, group, path, mode="r", netcdf4=False, owns_group=False):
        self._is_open = False
        self.group, self._owns_group = group, owns_group

        def prepare():
            key = "w-netcdf4" if netcdf4 and mode == "w" else mode
            if key not in OPEN_MODES or netcdf4 and key != "w-netcdf4":
                raise ValueError(f"the mode {mode!r}{' with netcdf4' if netcdf4 else ''} is none of "
                                 f"{', '.join(OPEN_MODES)}")
            return os.fsencode(path), OPEN_MODES[key]

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
            warnings.warn(f"{self.path} was not closed", ResourceWarning, stacklevel=2, source=self)

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
        return self._prepared(lambda: name.encode())  # noqa: PLW0108

    def _call(self, function, *arguments):
        return self.group._check(getattr(c.library, function)(*arguments, self._handle, self.group._group))

    def _call_named(self, function, *arguments):
        """For functions that take the name of a dataset or object after the file."""
        *before, name = arguments
        return self.group._check(getattr(c.library, function)(*before, self._handle, name, self.group._group))

    def _call_pattern(self, function, *arguments):
        """For functions whose last argument is a pattern, after the I/O group."""
        *before, name, pattern = arguments
        return self.group._check(getattr(c.library, function)(*before, self._handle, name, self.group._group, pattern))

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
