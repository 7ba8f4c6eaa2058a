"""mpi4py_types.py FOLDER: MPI.File with derived datatypes in memory and in the file."""
import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
rank, ranks = comm.rank, comm.size
folder = sys.argv[1]


def expect(condition, what):
    if not condition:
        print(f"rank {rank}: not so: {what}", flush=True)
        comm.Abort(1)


def subarrays():
    """Blocks of columns of a matrix, from an array with ghost cells."""
    rows, width = 30, 12
    filetype = MPI.DOUBLE.Create_subarray([rows, width * ranks], [rows, width], [0, rank * width]).Commit()
    memory = MPI.DOUBLE.Create_subarray([rows + 2, width + 2], [rows, width], [1, 1]).Commit()
    whole = numpy.arange(rows * width * ranks, dtype="f8").reshape(rows, width * ranks)
    mine = numpy.full((rows + 2, width + 2), -1.0)
    mine[1:-1, 1:-1] = whole[:, rank * width:(rank + 1) * width]
    file = MPI.File.Open(comm, f"{folder}/subarrays", MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Set_view(64, MPI.DOUBLE, filetype)
    status = MPI.Status()
    file.Write_all([mine, 1, memory], status)
    expect(status.Get_elements(MPI.DOUBLE) == rows * width, "the count of a write")
    back = numpy.full_like(mine, -1.0)
    file.Read_at_all(0, [back, 1, memory], status)
    expect((back == mine).all(), "blocks are read back, ghosts left alone")
    expect(file.Get_view()[0] == 64, "the view's displacement")
    file.Close()
    if rank == 0:
        found = numpy.fromfile(f"{folder}/subarrays", dtype="f8", offset=64).reshape(whole.shape)
        expect((found == whole).all(), "the matrix in the file")
    filetype.Free()
    memory.Free()


def structures():
    """Records of mixed fields, distributed cyclically."""
    record = numpy.dtype([("id", "i4"), ("weight", "f8"), ("flags", "u1", 3)], align=True)
    many = 17
    memory = MPI.Datatype.Create_struct([1, 1, 3], [record.fields[name][1] for name in ("id", "weight", "flags")],
                                        [MPI.INT, MPI.DOUBLE, MPI.BYTE])
    item = memory.Create_resized(0, record.itemsize).Commit()
    packed = MPI.BYTE.Create_contiguous(4 + 8 + 3).Commit()
    filetype = packed.Create_vector(many, 1, ranks).Commit()
    mine = numpy.zeros(many, record)
    mine["id"] = rank * 1000 + numpy.arange(many)
    mine["weight"] = mine["id"] / 8
    mine["flags"] = [rank, 1, 2]
    file = MPI.File.Open(comm, f"{folder}/structures", MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Set_view(rank * 15, packed, filetype)
    file.Write_all([mine, many, item])
    file.Seek(0)
    back = numpy.zeros(many, record)
    file.Read_all([back, many, item])
    expect((back == mine).all(), "records are read back")
    file.Close()
    if rank == 0:
        flat = numpy.dtype([("id", "<i4"), ("weight", "<f8"), ("flags", "u1", 3)])
        found = numpy.fromfile(f"{folder}/structures", flat)
        expect(len(found) == many * ranks, "every record is in the file")
        for i in range(many * ranks):
            expect(found["id"][i] == i % ranks * 1000 + i // ranks and found["weight"][i] == found["id"][i] / 8,
                   f"record {i}")
    for datatype in (memory, item, packed, filetype):
        datatype.Free()


def blocks():
    """Irregular blocks, backwards in memory; one rank without any."""
    lengths = [] if ranks > 1 and rank == ranks - 1 else [1 + (i * 7 + rank) % 5 for i in range(20)]
    places = [(i * ranks + rank) * 8 for i in range(len(lengths))]
    filetype = MPI.SHORT.Create_indexed(lengths, places).Commit()
    total = sum(lengths)
    backwards = MPI.SHORT.Create_indexed_block(1, list(range(total - 1, -1, -1))).Commit()
    data = numpy.arange(total, dtype="i2") + 1000 * rank
    file = MPI.File.Open(comm, f"{folder}/blocks", MPI.MODE_CREATE | MPI.MODE_RDWR)
    file.Set_size(20 * ranks * 16)
    file.Set_view(0, MPI.SHORT, filetype)
    file.Write_at_all(0, [data, 1 if total else 0, backwards])
    back = numpy.zeros(total, "i2")
    file.Read_at_all(0, [back, total, MPI.SHORT])
    expect((back == data[::-1]).all(), "blocks are read back in the order of the file")
    file.Close()
    filetype.Free()
    backwards.Free()


subarrays()
structures()
blocks()
if rank == 0:
    print("mpi4py", MPI.Get_library_version().split(",")[0], "on", ranks, "ranks")
