"""I/O groups."""
import warnings

from mpi4py import MPI

from . import _scorpio_c as c
from ._scorpio_agreement import GROUP, Agreement, ScorpioError
from ._scorpio_file import File


class IOGroup(Agreement):
    """The ranks of a communicator divided into I/O groups: `groups` of them, or of `size` ranks each, or, if neither is
    given, as the library chooses for each file. Making and closing one is collective, as is every call but the
    properties."""

    def __init__(self, comm=None, groups=0, size=0, buffer_bytes=None, expected_bytes=None):
        super().__init__(MPI.COMM_WORLD if comm is None else comm)
        self._files = {}
        self._group = c.Group()
        handle = c.Comm.from_address(MPI._addressof(self.comm))
        conf = self._agreed(lambda: c.GroupConf(groups, size, handle))
        self._check(c.library.scorpio_IOgroup_init(conf, self._group))
        self._is_open = True
        try:
            self._check(c.library.scorpio_set_relative_names(1, self._group))
            if buffer_bytes is not None:
                self.set_buffer_bytes(buffer_bytes)
            if expected_bytes is not None:
                self.expect_bytes(expected_bytes)
        except ScorpioError:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._leave(error)

    def __del__(self):
        # Closing is collective, and a garbage collector is not; after MPI_Finalize nothing could be closed anyhow.
        if getattr(self, "_is_open", False):
            warnings.warn("an IOGroup was not closed", ResourceWarning, stacklevel=2, source=self)

    rank = property(lambda self: self._group.localrank, doc="This rank's in its I/O group.")
    size = property(lambda self: self._group.localsize, doc="The ranks of this I/O group.")
    index = property(lambda self: self._group.iogroupRank, doc="The number of this rank's I/O group.")
    groups = property(lambda self: self._group.numIOgroups, doc="The number of I/O groups.")
    is_root = property(lambda self: self._group.localrank == 0, doc="Whether this rank reads and writes for its group.")

    @property
    def peak_buffer_bytes(self):
        """The most that this rank has had in buffers at a time. Local."""
        return c.library.scorpio_peak_buffer_bytes(self._group)

    def set_buffer_bytes(self, size_bytes):
        """A root's buffers for one transfer, at least 4096 bytes; 0: what the environment says."""
        size_bytes = self._prepared(lambda: int(size_bytes))
        self._check(c.library.scorpio_set_buffer_bytes(size_bytes, self._group))

    def expect_bytes(self, size_bytes):
        """What will be moved through the next file opened, for groups that the library chooses."""
        size_bytes = self._prepared(lambda: int(size_bytes))
        self._check(c.library.scorpio_set_expected_bytes(size_bytes, self._group))

    def open(self, path, mode="r", netcdf4=False):
        """The File at that path. mode: "r", "r+", "w" (made anew), "w-netcdf4" (or netcdf4=True with "w")."""
        return File(self, path, mode, netcdf4)

    def close(self):
        """Closes the files that are still open, too. Waits until all ranks close the group."""
        self._leave(None)

    def _leave(self, error):
        if not self._is_open or MPI.Is_finalized():
            self._is_open = False
            return
        self._depart(GROUP, error)
        self._is_open = False
        for file in list(self._files.values()):
            file._is_open = False
        self._files.clear()
        self._check(c.library.scorpio_IOgroup_cleanup(self._group))
