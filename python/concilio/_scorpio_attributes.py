"""Attributes of the objects in a file."""
import ctypes

import numpy

from . import _scorpio_c as c
from ._scorpio_agreement import ScorpioError
from ._scorpio_types import attribute_value, copied_array, raw_text, type_number


class Attributes:
    """Of one object: attrs[name] is a number, a text, or an array or list of texts; to set it makes or replaces it.
    Values are the same on all ranks (rank 0's are written)."""

    def __init__(self, file, object_name):
        self._file, self._object = file, object_name

    def __setitem__(self, name, value):
        def prepare():
            made = attribute_value(value)
            if isinstance(made, str):
                return *self._raw(name), raw_text(made), c.STRING, ()
            if isinstance(made, numpy.ndarray):
                return *self._raw(name), made, type_number(made.dtype), made.shape
            texts = [raw_text(text) for text in made]
            return *self._raw(name), (ctypes.c_char_p * max(len(texts), 1))(*texts), c.STRING, (len(texts),)

        raw_object, raw_name, made, number, shape = self._file._prepared(prepare)
        data = made.ctypes.data if isinstance(made, numpy.ndarray) else made
        if shape:
            self._file._call_named("scorpio_write_attr", raw_name, data, number, len(shape),
                                   (ctypes.c_int * len(shape))(*shape), raw_object)
        else:
            self._file._call_named("scorpio_write_simple_attr", raw_name, data, number, raw_object)

    def __getitem__(self, name):
        return self.get(name)

    def get(self, name, dtype=None):
        """The value, as that numpy type (str for texts); else as the type here that holds what the file has."""

        def prepare():
            if dtype not in (None, str):
                type_number(dtype)
            return self._raw(name)

        raw_object, raw_name = self._file._prepared(prepare)
        # Of an attribute that is not there no type is found, and the library says so.
        if dtype is None:
            found = self._file._stored_type(raw_object, raw_name)
        else:
            found = "str" if dtype is str else numpy.dtype(dtype).name
        number = c.STRING if found == "str" else type_number(found) if found else c.INTEGER
        data, ndim, extents = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_void_p()
        self._file._call_named("scorpio_read_attr", raw_name, data, number, ndim, extents, raw_object)
        try:
            if not found:
                raise ScorpioError(f"{self._file.path}: attribute {name} of {self._object} is of no type that can be "
                                   "read without dtype")
            shape = ctypes.cast(extents, ctypes.POINTER(ctypes.c_int))[: ndim.value] if ndim.value else []
            if number != c.STRING:
                return copied_array(data, found, shape)[()]
            return _texts(data, shape) if shape else self._single_text(raw_object, raw_name)
        finally:
            c.free(data)
            c.free(extents)

    def _single_text(self, raw_object, raw_name):
        data = ctypes.c_void_p()
        self._file._call_named("scorpio_read_simple_attr", raw_name, data, c.STRING, raw_object)
        try:
            return ctypes.string_at(data).decode(errors="surrogateescape")
        finally:
            c.free(data)

    def _raw(self, name):
        return self._object.encode(), name.encode()


def _texts(data, shape):
    pointers = ctypes.cast(data, ctypes.POINTER(ctypes.c_char_p))
    count = int(numpy.prod(shape, dtype="int64"))
    texts = [pointers[i].decode(errors="surrogateescape") for i in range(count)]
    return texts if len(shape) == 1 else numpy.array(texts, object).reshape(shape).tolist()
