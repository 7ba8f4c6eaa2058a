"""Writes a file through mpi4py."""
import sys

from mpi4py import MPI

comm = MPI.COMM_WORLD
file = MPI.File.Open(comm, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_WRONLY)
file.Write_at_all(4 * comm.rank, b"abc\n")
file.Close()
