#!/usr/bin/python3
"""What python_counterpart.c does, in Python: files with the same contents, and whether a file has them.

    python_counterpart.py write|check FILE SEED        with MPI
    python_counterpart.py layout                       offsets in iogroup_t
"""
import ctypes
import sys

import numpy
from concilio import _scorpio_c, scorpio
from mpi4py import MPI

DATASETS = 20
TYPES = ["int32", "float64", "float32", "int64", "int8", "uint8"]
UNIFORM, NONUNIFORM, NONCONTIGUOUS, BLOCK, ROWS = range(5)
PATTERNS = ["uniform", "nonuniform", "noncontiguous"]
NAMES = ["one", "zwei", "", "drei und mehr"]
ATTRIBUTES = {"title": "a counterpart", "count": 42, "spacing": [0.5, 0.25, 2], "labels": ["left", "right"]}
world = MPI.COMM_WORLD
faults = 0


def expect(holds, what):
    global faults
    if not holds:
        faults += 1
        print(f"rank {world.rank}: {what} is not what it should be", file=sys.stderr)


class Draw:
    def __init__(self, seed):
        self.state = seed

    def __call__(self, limit):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % limit


class Dataset:
    """All ranks draw the same, and keep what is theirs."""

    def __init__(self, number, draw):
        self.number, self.name = number, f"Group {number % 3}/Data {number}"
        self.dtype = TYPES[draw(6)]
        ndim, self.way = 1 + draw(3), draw(5)
        self.shape = [1 + draw(7) for _ in range(ndim)]
        self.starts, self.counts = [0] * ndim, list(self.shape)
        if self.way == ROWS:
            self.shape[0] = 1 + draw(20)
            self.rows = [row for row in range(self.shape[0]) if draw(world.size) == world.rank]
            return
        cut = ndim - 1 if self.way == NONCONTIGUOUS else draw(ndim) if self.way == BLOCK else 0
        part = 1 + draw(4)
        self.shape[cut] = 0
        for other in range(world.size):
            if self.way in (NONUNIFORM, BLOCK):
                part = draw(4) + (other == 0)
            if other == world.rank:
                self.starts[cut], self.counts[cut] = self.shape[cut], part
            self.shape[cut] += part

    def whole(self):
        places = numpy.arange(numpy.prod(self.shape), dtype="int64").reshape(self.shape)
        return ((places * 7 + self.number * 13) % 101).astype(self.dtype)

    def mine(self):
        if self.way == ROWS:
            return self.whole()[self.rows]
        # The array is not contiguous, and the wrapper must copy it.
        return self.whole()[tuple(slice(start, start + count) for start, count in zip(self.starts, self.counts))]

    def write(self, file):
        if self.way == ROWS:
            file.write_rows(self.name, self.mine(), self.rows, self.shape)
        elif self.way == BLOCK:
            file.write_block(self.name, self.mine(), self.starts, self.shape)
        else:
            file.write(self.name, self.mine(), PATTERNS[self.way], self.shape if self.way == NONCONTIGUOUS else None)

    def read(self, file):
        if self.way == ROWS:
            return file.read_rows(self.name, self.rows)
        if self.way == BLOCK:
            return file.read(self.name, self.starts, self.counts)
        return file.read(self.name, counts=self.counts, pattern=PATTERNS[self.way])

    def check(self, file):
        array = self.read(file)
        expect(array.dtype == self.dtype and numpy.array_equal(array, self.mine()), self.name)
        expect(file.shape(self.name) == tuple(self.shape), f"the shape of {self.name}")
        expect(numpy.array_equal(file.read_all(self.name), self.whole()), f"all of {self.name}")
        least = [size // 2 for size in self.shape]
        same = file.read_same(self.name, least, [size - start for size, start in zip(self.shape, least)], "float64")
        corner = self.whole()[tuple(slice(start, None) for start in least)]
        expect(same.dtype == "float64" and numpy.array_equal(same, corner), f"a corner of {self.name}")


def write(path, draw):
    with scorpio.IOGroup(size=1 + draw(world.size), buffer_bytes=4096) as group, group.open(path, "w") as file:
        for number in range(DATASETS):
            dataset = Dataset(number, draw)
            file.creation(deflate=4 if number % 4 == 3 else 0, shuffle=number % 4 == 3)
            dataset.write(file)
        file.creation()
        file.write_strings("Names", NAMES)
        for name, value in ATTRIBUTES.items():
            file.attrs()[name] = value
        file.set_attr("Group 0/Data 0", "scale", numpy.float32(0.5))
        with file.create_group("Made/Inner"):
            file.write("Inside", numpy.array([world.rank + 1], "int32"), "uniform")
        file.link("/Made/Inner/Inside", "Shortcut")


def check(path, draw):
    with scorpio.IOGroup(size=1 + draw(world.size), buffer_bytes=4096) as group, group.open(path) as file:
        for number in range(DATASETS):
            Dataset(number, draw).check(file)
        expect(file.read_strings("Names") == NAMES, "Names")
        for name, value in ATTRIBUTES.items():
            found = file.attrs()[name]
            expect(found.tolist() == value if isinstance(found, numpy.ndarray) else found == value, name)
        scale = file.get_attr("Group 0/Data 0", "scale")
        expect(scale == 0.5 and scale.dtype == "float32", "scale")
        inside = file.read("Shortcut", pattern="uniform")
        expect(inside.tolist() == [world.rank + 1], "Shortcut")
        expect("Made/Inner/Inside" in file and "Made/Other" not in file and file.group_exists("Made"), "what is there")


def print_layout():
    c = _scorpio_c
    for name, _ in c.Group._fields_:
        print(name, getattr(c.Group, name).offset)
    print("sizes", *map(ctypes.sizeof, (c.Group, c.GroupConf, c.Creation, c.XdmfField, c.XdmfGrid)))


def main():
    if sys.argv[1:] == ["layout"]:
        print_layout()
        return 0
    action, path, seed = sys.argv[1:]
    (write if action == "write" else check)(path, Draw(int(seed)))
    return 1 if world.allreduce(faults) else 0


if __name__ == "__main__":
    sys.exit(main())
