#!/usr/bin/python3
"""An h5py program that is slow, and the change that makes it fast: each rank writes some columns of a dataset, so its
pieces of the file are short.

    mpirun -n 4 h5py_columns.py FILE                 each rank by itself, as h5py does by default
    mpirun -n 4 h5py_columns.py FILE collective      all ranks together
"""
import sys

import h5py
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
with h5py.File(sys.argv[1], "w", driver="mpio", comm=comm) as file:
    dset = file.create_dataset("x", (16384, 64 * comm.size), "f8")
    mine = slice(64 * comm.rank, 64 * (comm.rank + 1))
    data = numpy.full((16384, 64), comm.rank, "f8")
    if sys.argv[2:] == ["collective"]:
        with dset.collective:
            dset[:, mine] = data
    else:
        dset[:, mine] = data
