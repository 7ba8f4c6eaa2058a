"""Reading datasets."""
import numpy

from . import _scorpio_c as c
from ._scorpio_arguments import extents_of, pattern_of, pointer_to, row_numbers
from ._scorpio_types import type_number

_PATTERNS = {"uniform": c.UNIFORM_READ, "nonuniform": c.NONUNIFORM_READ, "noncontiguous": c.NONCONTIGUOUS_READ}


class Reads:
    """The part of File that reads."""

    def read(self, name, starts=None, counts=None, dtype=None, pattern="nonuniform"):
        """This rank's part of a dataset: the block of `counts` at `starts` if starts are given (blocks may overlap, be
        empty). Else by pattern: "nonuniform", parts of `counts` follow each other in the order of ranks, without counts
        divided evenly; "uniform", the same for all; "noncontiguous", blocks of `counts` tile the dataset."""
        raw_name, wanted, shape = self._described(name, dtype)

        def prepare():
            number = pattern_of(_PATTERNS, pattern)
            if starts is not None and counts is None:
                raise ValueError("starts without counts")
            local = self._share(shape, pattern) if counts is None else extents_of(counts, len(shape), "counts")
            at = None if starts is None else c.longs(extents_of(starts, len(shape), "starts"))
            return number, at, numpy.empty(local, wanted)

        number, at, array = self._prepared(prepare)
        sizes = (array.ctypes.data, type_number(wanted), len(shape), c.longs(shape), c.longs(array.shape))
        if at is not None:
            self._call_named("scorpio_read_dataset_block_64", *sizes, at, raw_name)
        else:
            self._call_pattern("scorpio_read_dataset_64", *sizes, raw_name, number)
        return array

    def read_all(self, name, dtype=None):
        """The entire dataset, on every rank."""
        raw_name, wanted, shape = self._described(name, dtype)
        array = self._prepared(lambda: numpy.empty(shape, wanted))
        extents = c.longs(shape)
        self._call_pattern("scorpio_read_dataset_64", array.ctypes.data, type_number(wanted), len(shape), extents, extents,
                           raw_name, c.EVERYONE_ENTIRE_READ)
        return array

    def read_same(self, name, starts, counts, dtype=None):
        """The same block on every rank."""
        raw_name, wanted, shape = self._described(name, dtype)
        at, array = self._prepared(lambda: (c.longs(extents_of(starts, len(shape), "starts")),
                                            numpy.empty(extents_of(counts, len(shape), "counts"), wanted)))
        self._call_named("scorpio_read_same_sub_dataset_64", array.ctypes.data, type_number(wanted), len(shape),
                         c.longs(array.shape), at, raw_name)
        return array

    def read_rows(self, name, rows, dtype=None):
        """The rows (elements, of a dataset of one dimension) that this rank lists, in that order."""
        raw_name, wanted, shape = self._described(name, dtype)

        def prepare():
            which = row_numbers(rows)
            return which, numpy.empty(which.shape + shape[1:], wanted)

        which, array = self._prepared(prepare)
        self._call_named("scorpio_read_dataset_map", array.ctypes.data, type_number(wanted), len(shape), c.longs(shape),
                         len(which), pointer_to(which), raw_name)
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
