"""MPI.File through mpi4py: derived types, collective and independent."""
import array
import os
import sys

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, ranks = world.rank, world.size
folder = os.environ.get("CONCILIO_TEST_DIR", "/tmp")
name = os.path.join(folder, "mpi4py_file.data")
faults = 0


def expect(found, expected, what):
    global faults
    if list(found) != list(expected):
        faults += 1
        print(f"rank {rank}: {what}: expected {list(expected)[:8]}..., found {list(found)[:8]}...", flush=True)


def value(place):
    return place * 7 + 3


# Columns of a matrix, one in `ranks` for each rank: a vector as filetype, an indexed type in memory.
rows = 64
column = MPI.INT.Create_vector(rows, 1, ranks).Create_resized(0, rows * ranks * MPI.INT.Get_size())
column.Commit()
every_other = MPI.INT.Create_indexed([1] * rows, [2 * i for i in range(rows)])
every_other.Commit()

file = MPI.File.Open(world, name, MPI.MODE_CREATE | MPI.MODE_RDWR)
file.Set_view(rank * MPI.INT.Get_size(), MPI.INT, column)
mine = array.array("i", [-1]) * (2 * rows)
for row in range(rows):
    mine[2 * row] = value(row * ranks + rank)
status = MPI.Status()
file.Write_all([mine, 1, every_other], status)
expect([status.Get_count(every_other)], [1], "count of a collective write")
file.Seek(0)
back = array.array("i", [-1]) * (2 * rows)
file.Read_all([back, 1, every_other], status)
expect(back, mine, "a collective read")
expect([status.Get_elements(MPI.INT)], [rows], "elements of a collective read")

# The same bytes, independently and without a view; then one row for each rank.
file.Sync()
world.Barrier()
file.Set_view(0, MPI.INT, MPI.INT)
whole = array.array("i", [0]) * (rows * ranks)
file.Read_at(0, whole)
expect(whole, [value(i) for i in range(rows * ranks)], "an independent read of the whole")
world.Barrier()
row = array.array("i", [-value(i) for i in range(ranks)])
file.Write_at(rank * ranks, row)
file.Sync()
world.Barrier()
file.Read_at_all(0, whole)
expect(whole[: ranks * ranks], list(row) * ranks, "rows written independently")
expect([file.Get_size()], [rows * ranks * MPI.INT.Get_size()], "the file's size")
info = file.Get_info()
expect([info.Get("romio_cb_write") is not None], [True], "hints")
file.Close()

# An error becomes an exception that has its class.
try:
    MPI.File.Open(world, name + ".none", MPI.MODE_RDONLY)
    faults += 1
    print("opening a file that is not there raised nothing", flush=True)
except MPI.Exception as exception:
    expect([exception.Get_error_class()], [MPI.ERR_NO_SUCH_FILE], "class of the error")
    if "--own" not in sys.argv:
        expect([name in str(exception)], [True], f"the file's name in '{exception}'")

faults = world.allreduce(faults)
if rank == 0:
    MPI.File.Delete(name)
    print(f"{MPI.Get_library_version().splitlines()[0]}: {faults} faults", flush=True)
sys.exit(faults > 0)
