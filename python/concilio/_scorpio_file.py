"""Files, and the groups in them."""
import ctypes

from . import _scorpio_c as c
from ._scorpio_attributes import Attributes
from ._scorpio_opened import OpenedFile
from ._scorpio_reads import Reads
from ._scorpio_types import raw_text
from ._scorpio_writes import Writes
from ._scorpio_xdmf import grid_of


class File(OpenedFile, Reads, Writes):
    """A file opened by IOGroup.open or concilio.scorpio.open. Every call is collective. Extents and offsets count
    elements, the slowest dimension first; a name is a path, relative to the group that create_group opened last."""

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
        texts = ctypes.cast(memory, ctypes.POINTER(ctypes.c_void_p))
        strings = [ctypes.string_at(texts[i]).decode(errors="surrogateescape") for i in range(count.value)]
        for i in range(count.value):
            c.free(texts[i])
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
