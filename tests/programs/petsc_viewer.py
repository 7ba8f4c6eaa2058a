"""petsc_viewer.py FOLDER: PETSc's binary viewer by MPI-IO, for vectors and matrices."""
import glob
import sys

# Debian has a folder for each build of PETSc.
sys.path += sorted(glob.glob("/usr/lib/petscdir/*/*-real/lib/python3/dist-packages"))
import petsc4py

petsc4py.init(["petsc_viewer", "-viewer_binary_mpiio"])
from petsc4py import PETSc  # noqa: E402

comm = PETSc.COMM_WORLD
rank, ranks = comm.rank, comm.size
folder = sys.argv[1]


def expect(condition, what):
    if not condition:
        print(f"rank {rank}: not so: {what}", flush=True)
        comm.tompi4py().Abort(1)


def viewer(name, mode):
    made = PETSc.Viewer().create(comm)
    made.setType("binary")
    made.setUseMPIIO(True) if hasattr(made, "setUseMPIIO") else None
    made.setFromOptions() if hasattr(made, "setFromOptions") else None
    made.setFileMode(mode)
    made.setFileName(f"{folder}/{name}")
    return made


def grid_vector():
    """A field on a distributed 3-D grid: an MPI subarray view in PETSc's own order of the grid."""
    grid = PETSc.DMDA().create([13, 9, 7], dof=2, stencil_width=1, comm=comm)
    vector = grid.createGlobalVec()
    field = grid.getVecArray(vector)
    (x0, x1), (y0, y1), (z0, z1) = grid.getRanges()
    for x in range(x0, x1):
        for y in range(y0, y1):
            for z in range(z0, z1):
                field[x, y, z] = [x * 10000 + y * 100 + z, -x - y / 16 - z / 256]
    out = viewer("grid", "w")
    vector.view(out)
    out.destroy()
    again = grid.createGlobalVec()
    into = viewer("grid", "r")
    again.load(into)
    into.destroy()
    again.axpy(-1, vector)
    expect(again.norm() == 0, "the grid's field is read back")


def plain_vectors():
    """Several vectors in one file; the last of several ranks has no element of the second."""
    out = viewer("vectors", "w")
    made = []
    for local in (100 + rank, 0 if ranks > 1 and rank == ranks - 1 else 55):
        vector = PETSc.Vec().createMPI((local, PETSc.DETERMINE), comm=comm)
        first, last = vector.getOwnershipRange()
        vector.setValues(range(first, last), [i / 3 for i in range(first, last)])
        vector.assemble()
        vector.view(out)
        made.append(vector)
    out.destroy()
    into = viewer("vectors", "r")
    for vector in made:
        again = vector.duplicate()
        again.load(into)
        again.axpy(-1, vector)
        expect(again.norm() == 0, "a vector is read back")
    into.destroy()


def matrix():
    n = 60
    laplace = PETSc.Mat().createAIJ([n, n], nnz=3, comm=comm)
    for row in range(*laplace.getOwnershipRange()):
        for column, value in ((row - 1, -1.0), (row, 2.0 + row), (row + 1, -1.0)):
            if 0 <= column < n:
                laplace.setValue(row, column, value)
    laplace.assemble()
    out = viewer("matrix", "w")
    laplace.view(out)
    out.destroy()
    again = PETSc.Mat().create(comm)
    again.setType("aij")
    into = viewer("matrix", "r")
    again.load(into)
    into.destroy()
    expect(again.equal(laplace), "the matrix is read back")


grid_vector()
plain_vectors()
matrix()
if rank == 0:
    print("PETSc", ".".join(map(str, PETSc.Sys.getVersion())), "on", ranks, "ranks")
