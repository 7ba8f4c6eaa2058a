"""h5py_datasets.py FOLDER: datasets as h5py programs make them, written and read by all ranks."""
import sys

import h5py
import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
folder = sys.argv[1]
rows, columns = 40, 60


def block(seed):
    """Some rank's rows of an array that depends on its place alone."""
    return (numpy.arange(rows * columns).reshape(rows, columns) + seed * 100000).astype("f8")


def expect(condition, what):
    if not condition:
        print(f"rank {rank}: not so: {what}", flush=True)
        comm.Abort(1)


def write_nothing(dataset):
    """A rank's part of a collective write in which it has no data."""
    collective = h5py.h5p.create(h5py.h5p.DATASET_XFER)
    collective.set_dxpl_mpio(h5py.h5fd.MPIO_COLLECTIVE)
    there, here = dataset.id.get_space(), h5py.h5s.create_simple((1,))
    there.select_none()
    here.select_none()
    dataset.id.write(here, there, numpy.empty(1, dataset.dtype), dxpl=collective)


def contiguous():
    with h5py.File(f"{folder}/contiguous.h5", "w", driver="mpio", comm=comm) as file:
        whole = file.create_dataset("rows", (ranks * rows, columns), "f8")
        whole.attrs["unit"] = "m"
        with whole.collective:
            whole[rank * rows:(rank + 1) * rows] = block(rank)
        cyclic = file.create_dataset("cyclic", (ranks * rows, columns), "i4")
        with cyclic.collective:
            cyclic[rank::ranks] = block(rank).astype("i4")
        alone = file.create_dataset("alone", (ranks, columns), "f4")
        alone[rank] = block(rank)[0]
        only_last = file.create_dataset("only_last", (10,), "i8")
        if rank == ranks - 1:
            only_last[3:7] = [1, 2, 3, 4]
    with h5py.File(f"{folder}/contiguous.h5", "r", driver="mpio", comm=comm) as file:
        neighbour = (rank + 1) % ranks
        with file["rows"].collective:
            expect((file["rows"][neighbour * rows:(neighbour + 1) * rows] == block(neighbour)).all(), "rows")
        with file["cyclic"].collective:
            expect((file["cyclic"][neighbour::ranks] == block(neighbour)).all(), "cyclic rows")
        expect((file["alone"][neighbour] == block(neighbour)[0].astype("f4")).all(), "independent rows")
        expect(file["only_last"][:].tolist() == [0, 0, 0, 1, 2, 3, 4, 0, 0, 0], "what one rank wrote")
        expect(file["rows"].attrs["unit"] == "m", "an attribute")


def chunked():
    with h5py.File(f"{folder}/chunked.h5", "w", driver="mpio", comm=comm) as file:
        chunks = file.create_dataset("chunks", (ranks * rows, columns), "f8", chunks=(16, 16), fillvalue=-1)
        with chunks.collective:
            chunks[rank * rows:(rank + 1) * rows, 5:50] = block(rank)[:, 5:50]
        packed = file.create_dataset("gzip", (ranks * rows, columns), "f8", chunks=(32, 32), compression="gzip",
                                     shuffle=True)
        with packed.collective:
            packed[rank * rows:(rank + 1) * rows] = block(rank)
        # The last rank has no data, but takes part, because compressed datasets require it. h5py itself skips empty
        # writes.
        some = file.create_dataset("some", (ranks * rows, columns), "i4", chunks=(16, 60), compression="gzip")
        if rank == ranks - 1 and ranks > 1:
            write_nothing(some)
        else:
            with some.collective:
                some[rank * rows:(rank + 1) * rows] = block(rank).astype("i4")
    with h5py.File(f"{folder}/chunked.h5", "r", driver="mpio", comm=comm) as file:
        other = ranks - 1 - rank
        with file["chunks"].collective:
            found = file["chunks"][other * rows:(other + 1) * rows]
        expect((found[:, 5:50] == block(other)[:, 5:50]).all() and (found[:, :5] == -1).all(), "chunks")
        with file["gzip"].collective:
            expect((file["gzip"][other * rows:(other + 1) * rows] == block(other)).all(), "compressed rows")
        with file["some"].collective:
            found = file["some"][other * rows:(other + 1) * rows]
        empty = other == ranks - 1 and ranks > 1
        expect((found == (0 if empty else block(other).astype("i4"))).all(), "compressed rows of some ranks")


def reopened():
    name = f"{folder}/reopened.h5"
    for step in range(4):
        with h5py.File(name, "w" if step == 0 else "a", driver="mpio", comm=comm) as file:
            if step == 0:
                series = file.create_dataset("series", (0, ranks, 7), "f8", maxshape=(None, ranks, 7),
                                             chunks=(2, ranks, 7))
            else:
                series = file["series"]
            series.resize(step + 1, axis=0)
            with series.collective:
                series[step, rank] = numpy.arange(7) + 10 * step + 1000 * rank
            group = file.create_group(f"step{step}")
            group.create_dataset("ranks", (ranks,), "i4")[rank] = rank + step
    with h5py.File(name, "r", driver="mpio", comm=comm) as file:
        expect(file["series"].shape == (4, ranks, 7), "the series has grown")
        for step in range(4):
            expect((file["series"][step, rank] == numpy.arange(7) + 10 * step + 1000 * rank).all(), "the series")
            expect((file[f"step{step}/ranks"][:] == numpy.arange(ranks) + step).all(), "each step's dataset")


contiguous()
chunked()
reopened()
if rank == 0:
    print("h5py", h5py.version.version, "HDF5", h5py.version.hdf5_version, "on", ranks, "ranks")
