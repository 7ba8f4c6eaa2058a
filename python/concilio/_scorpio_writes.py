"""Writing datasets."""
from . import _scorpio_c as c
from ._scorpio_arguments import extents_of, pattern_of, pointer_to, row_numbers
from ._scorpio_types import dense, type_number

_PATTERNS = {"uniform": c.UNIFORM_WRITE, "nonuniform": c.NONUNIFORM_WRITE, "noncontiguous": c.NONCONTIGUOUS_WRITE}


def _part(array):
    part = dense(array)
    if part.ndim == 0:
        raise ValueError("a dataset has one dimension at least, and this value has none")
    return part


class Writes:
    """The part of File that writes datasets, and says how they are made."""

    def write(self, name, array, pattern="nonuniform", shape=None):
        """Each rank its part. "nonuniform" and "uniform" (parts of one size): the parts follow each other in the order
        of ranks; the dataset has as many rows as they have. "noncontiguous": they tile the dataset, of that shape."""

        def prepare():
            part, number = _part(array), pattern_of(_PATTERNS, pattern)
            if shape is None and pattern == "noncontiguous":
                raise ValueError("the noncontiguous pattern needs the shape of the dataset")
            return name.encode(), part, number, None if shape is None else extents_of(shape, part.ndim, "extents")

        raw_name, part, number, extents = self._prepared(prepare)
        if pattern != "noncontiguous":
            rows = self.group.comm.allreduce(part.shape[0])
            extents = extents or (rows,) + part.shape[1:]
        self._call_pattern("scorpio_write_dataset_64", part.ctypes.data, type_number(part.dtype), part.ndim,
                           c.longs(extents), c.longs(part.shape), raw_name, number)

    def write_block(self, name, array, starts, shape):
        """Each rank its block, at those starts of a dataset of that shape. Where blocks overlap the higher rank wins;
        one with an extent of 0 is nothing."""

        def prepare():
            part = _part(array)
            return (name.encode(), part, c.longs(extents_of(starts, part.ndim, "starts")),
                    c.longs(extents_of(shape, part.ndim, "extents")))

        raw_name, part, at, extents = self._prepared(prepare)
        self._call_named("scorpio_write_dataset_block_64", part.ctypes.data, type_number(part.dtype), part.ndim,
                         extents, c.longs(part.shape), at, raw_name)

    def write_rows(self, name, array, rows, shape=None):
        """Row i of the array becomes row rows[i] of the dataset, of that shape (not needed if it is there). Of those
        written more than once the higher rank's, and of a rank the later one, stays."""
        if shape is None:
            shape = self.shape(name)

        def prepare():
            part, which = _part(array), row_numbers(rows)
            extents = extents_of(shape, part.ndim, "extents")
            if part.shape != which.shape + extents[1:]:
                raise ValueError(f"an array of {part.shape} for {len(which)} rows of {extents[1:]}")
            return name.encode(), part, which, c.longs(extents)

        raw_name, part, which, extents = self._prepared(prepare)
        self._call_named("scorpio_write_dataset_map", part.ctypes.data, type_number(part.dtype), part.ndim, extents,
                         len(which), pointer_to(which), raw_name)

    def creation(self, chunk=None, deflate=0, shuffle=False, dimension_names=None):
        """How the datasets are made that this file gets from now on. Without arguments: as at first, plain. chunk: its
        extents; deflate: the level, 1 to 9; dimension_names: "z,y,x", of netCDF-4 files."""

        def prepare():
            extents = c.longs(chunk or [])
            names = dimension_names if dimension_names is None else dimension_names.encode()
            return c.Creation(len(chunk or []), extents, int(deflate), bool(shuffle), names)

        made = self._prepared(prepare)
        self._call("scorpio_set_creation", made)
