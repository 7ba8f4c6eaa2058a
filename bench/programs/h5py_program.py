#!/usr/bin/python3
"""h5py: columns that each rank writes by itself, as h5py does by default, and blocks of rows in collective calls.

    h5py_program.py FILE [STEPS]   writes and reads the file
    h5py_program.py --of MPI       on several ranks: ends with status 0 if Python has an h5py that is parallel on this
                                   MPI (how MPI_Get_library_version begins) and its launcher's
"""
import sys

ROWS, COLUMNS = 16384, 16


def is_on(mpi):
    """Whether h5py is there, is parallel, and its MPI is this one and has found the other ranks."""
    try:
        import h5py
        from mpi4py import MPI
    except ImportError:
        return False
    return h5py.get_config().mpi and MPI.COMM_WORLD.size > 1 and MPI.Get_library_version().startswith(mpi)


def main(name, steps=8):
    """Writes and reads the file."""
    import h5py
    import numpy
    from mpi4py import MPI
    comm = MPI.COMM_WORLD
    rank, ranks = comm.rank, comm.size

    def block(step, owner):
        return numpy.arange(ROWS * COLUMNS, dtype="f8").reshape(ROWS, COLUMNS) + (step * ranks + owner) * 1e6

    def columns(owner):
        return slice(COLUMNS * owner, COLUMNS * (owner + 1))

    def rows(owner):
        return slice(ROWS * owner, ROWS * (owner + 1))

    with h5py.File(name, "w", driver="mpio", comm=comm) as file:
        for step in range(steps):
            group = file.create_group(f"step{step}")
            group.attrs["time"] = float(step)
            group.create_dataset("columns", (ROWS, COLUMNS * ranks), "f8")[:, columns(rank)] = block(step, rank)
            dataset = group.create_dataset("rows", (ROWS * ranks, COLUMNS), "f8")
            with dataset.collective:
                dataset[rows(rank)] = block(step, rank)
    with h5py.File(name, "r", driver="mpio", comm=comm) as file:
        owner = (rank + 1) % ranks
        for step in range(steps):
            group = file[f"step{step}"]
            with group["rows"].collective:
                found = group["rows"][rows(owner)]
            if not (group["columns"][:, columns(owner)] == block(step, owner)).all() or not (found == block(step, owner)).all():
                print(f"concilio bench: rank {rank}: {name}: other values than were written in step {step}", file=sys.stderr,
                      flush=True)
                comm.Abort(1)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--of"]:
        sys.exit(not is_on(sys.argv[2]))
    main(sys.argv[1], *map(int, sys.argv[2:]))
