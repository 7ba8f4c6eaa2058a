#!/usr/bin/python3
"""The access patterns of the SCORPIO paper, as a subsurface simulation has them.

    two_patterns.py [FOLDER]

Read pattern 1: every rank reads the same contiguous region, the boundary cells. Read pattern 2: every rank reads its
chunk of a dataset with a value for each cell. Write pattern 1: every rank writes its 3-D block at its offset.
"""
import os
import sys

import numpy
from concilio import scorpio
from mpi4py import MPI

SHAPE = (16, 20, 24)  # z, y, x
CELLS, BOUNDARY_CELLS = 16 * 20 * 24, 20 * 24
world = MPI.COMM_WORLD


def part(place, parts, size):
    """Begin and end of one of `parts` parts of nearly one size."""
    return size * place // parts, size * (place + 1) // parts


def make_input(path, group):
    # Each rank gives its part; the parts follow each other in the file.
    cells = numpy.arange(*part(world.rank, world.size, CELLS))
    places = numpy.arange(*part(world.rank, world.size, 2 * BOUNDARY_CELLS))
    # The cells of the lowest layer, counted from 1; then of the highest.
    boundary = 1 + numpy.where(places < BOUNDARY_CELLS, places, CELLS - 2 * BOUNDARY_CELLS + places)
    with group.open(path, "w") as file:
        file.write("Porosity", 0.25 + cells % 64 / 256)
        file.write("Regions/Boundary Cells", boundary.astype("int32"))


def read_pattern_1(file):
    cells = file.read_same("Regions/Boundary Cells", starts=[0], counts=[BOUNDARY_CELLS])
    least, most = world.reduce(cells.sum(), MPI.MIN), world.reduce(cells.sum(), MPI.MAX)
    if world.rank == 0 and least == most:
        print(f"pattern 1: every rank read the {len(cells)} boundary cells, sum {most}")


def read_pattern_2(file):
    begin, end = part(world.rank, world.size, file.size("Porosity"))
    porosity = file.read("Porosity", starts=[begin], counts=[end - begin])
    count, total = world.reduce(porosity.size), world.reduce(porosity.sum())
    if world.rank == 0:
        print(f"pattern 2: the ranks read {count} cells, sum {total:.4f}")


def write_pattern_1(path, group):
    grid, place, block = MPI.Compute_dims(world.size, 3), world.rank, []
    for size, parts in zip(reversed(SHAPE), reversed(grid)):
        block.insert(0, slice(*part(place % parts, parts, size)))
        place //= parts
    z, y, x = numpy.ogrid[tuple(block)]
    pressure = 101325.0 + (z * SHAPE[1] + y) * SHAPE[2] + x
    with group.open(path, "w") as file:
        file.write_block("Time 0/Pressure", pressure, starts=[piece.start for piece in block], shape=SHAPE)
    total = world.reduce(pressure.sum())
    if world.rank == 0:
        print(f"write 1: wrote {'x'.join(map(str, SHAPE))} values as blocks, sum {total:.0f}")


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "."
    # One reads for all; two ranks to a writer. Groups of both sizes live side by side.
    with scorpio.IOGroup(groups=1) as readers, scorpio.IOGroup(size=2) as writers:
        make_input(os.path.join(folder, "input.h5"), writers)
        with readers.open(os.path.join(folder, "input.h5")) as file:
            read_pattern_1(file)
            read_pattern_2(file)
        write_pattern_1(os.path.join(folder, "output.h5"), writers)


if __name__ == "__main__":
    main()
