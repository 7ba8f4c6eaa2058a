#!/usr/bin/python3
"""An ordinary parallel h5py program: a 3-D dataset without chunks, cut into one block a rank, is written collectively,
several time steps to a file, and read back. It knows nothing of Concilio.

    mpirun -n 4 h5py_block3d.py FILE [NX NY NZ [STEPS]]      x varies fastest
"""
import resource
import sys
import time

import h5py
import numpy
from mpi4py import MPI


def cut(shape_xyz, comm):
    """This rank's part of the array, as slices of z, y and x."""
    grid, place, slices = MPI.Compute_dims(comm.size, 3), comm.rank, []
    for size, parts in zip(shape_xyz, grid):
        slices.append(slice(size * (place % parts) // parts, size * (place % parts + 1) // parts))
        place //= parts
    return tuple(reversed(slices))


def fill(data, step, block, shape):
    z, y, x = (numpy.arange(part.start, part.stop, dtype="f8") for part in block)
    numpy.add((z[:, None, None] * shape[1] + y[:, None]) * shape[2], x, out=data)
    data += step * 1e9


def peak_kib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def main():
    comm = MPI.COMM_WORLD
    if len(sys.argv) not in (2, 5, 6):
        sys.exit("h5py_block3d.py FILE [NX NY NZ [STEPS]]")
    path = sys.argv[1]
    shape_xyz = tuple(int(word) for word in sys.argv[2:5]) or (256, 256, 128)
    steps = int(sys.argv[5]) if len(sys.argv) > 5 else 3
    shape = tuple(reversed(shape_xyz))
    block = cut(shape_xyz, comm)
    expected = numpy.ones(tuple(part.stop - part.start for part in block))
    read = numpy.ones_like(expected)
    right = numpy.array_equal(read, expected)
    before_kib = peak_kib()
    seconds = {"write": 0.0, "read": 0.0}

    for what in seconds:
        comm.Barrier()
        start = time.perf_counter()
        file = h5py.File(path, "w" if what == "write" else "r", driver="mpio", comm=comm)
        seconds[what] += time.perf_counter() - start
        for step in range(steps):
            fill(expected, step, block, shape)
            comm.Barrier()
            start = time.perf_counter()
            if what == "write":
                dataset = file.create_dataset(f"step{step}", shape, dtype="f8")
                with dataset.collective:
                    dataset[block] = expected
            else:
                dataset = file[f"step{step}"]
                with dataset.collective:
                    dataset.read_direct(read, source_sel=block)
            seconds[what] += time.perf_counter() - start
            if what == "read":
                right = right and numpy.array_equal(read, expected)
        comm.Barrier()
        start = time.perf_counter()
        file.close()
        seconds[what] += time.perf_counter() - start

    grown_kib = comm.reduce(peak_kib() - before_kib, op=MPI.MAX)
    slowest = {what: comm.reduce(its, op=MPI.MAX) for what, its in seconds.items()}
    right = comm.allreduce(right, op=MPI.LAND)
    if comm.rank == 0:
        mib = numpy.prod(shape) * 8 * steps / 2**20
        for what, its in slowest.items():
            print(f"{what} {its:.3f} s, {mib / its:.0f} MiB/s")
        print(f"memory {grown_kib / 1024:.1f} MiB a rank, taken while reading and writing")
        print(f"data {'right' if right else 'WRONG'}")
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
