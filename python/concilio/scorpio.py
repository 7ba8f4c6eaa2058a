"""SCORPIO for Python: application-level I/O groups over HDF5, on mpi4py and numpy.

    from concilio import scorpio
    with scorpio.open("out.h5", "w", size=16) as file:           # groups of 16 ranks
        file.write_block("Time 0/Pressure", block, starts=(z, y, x), shape=(240, 960, 960))

The ranks of a communicator are divided into I/O groups, and one rank of each opens the file and moves the data of all.
Every call is collective; what fails on one rank raises ScorpioError on all.
"""
from ._scorpio_agreement import ScorpioError
from ._scorpio_file import File, Group
from ._scorpio_group import IOGroup
from ._scorpio_xdmf import Field

__all__ = ["Field", "File", "Group", "IOGroup", "ScorpioError", "open"]


def open(path, mode="r", comm=None, groups=0, size=0, buffer_bytes=None, expected_bytes=None, netcdf4=False):
    """The File at that path, with an IOGroup of its own that is closed with it."""
    group = IOGroup(comm, groups, size, buffer_bytes, expected_bytes)
    try:
        return File(group, path, mode, netcdf4, owns_group=True)
    except ScorpioError:
        group.close()
        raise
