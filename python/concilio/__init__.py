"""Concilio for Python programs on mpi4py: see concilio.scorpio, application-level I/O groups over HDF5."""

__version__ = "0.1.0"
