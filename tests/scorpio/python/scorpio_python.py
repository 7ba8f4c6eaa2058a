#!/usr/bin/python3
"""concilio.scorpio on the ranks it is started with: random parts, what else it offers, errors, and leaving by exceptions."""
import gc
import os
import random
import sys
import traceback
import warnings

import numpy
from concilio import scorpio
from concilio.scorpio import ScorpioError
from mpi4py import MPI

world = MPI.COMM_WORLD
folder = os.environ["CONCILIO_TEST_DIR"]
TYPES = ["int32", "float64", "float32", "int64", "int8", "uint8"]
faults = 0


def path_of(name):
    return os.path.join(folder, name)


def expect(holds, what):
    global faults
    if not holds:
        faults += 1
        print(f"rank {world.rank}: {what}: not so, called at {traceback.extract_stack()[-2]}", file=sys.stderr, flush=True)


def fails(text, function, *arguments, **words):
    """It must fail on all ranks, each naming these words."""
    try:
        function(*arguments, **words)
        expect(False, f"an error with {text!r}")
    except ScorpioError as error:
        for word in [text] if isinstance(text, str) else text:
            expect(word in str(error), f"{word!r} in {str(error)!r}")


def contents(shape, dtype, seed):
    return numpy.random.default_rng(seed).integers(0, 100, shape).astype(dtype)


def random_box(draw, shape):
    starts = [draw.randint(0, size) for size in shape]
    return starts, [draw.randint(0, size - start) for size, start in zip(shape, starts)]


def inside(starts, counts):
    return tuple(slice(start, start + count) for start, count in zip(starts, counts))


def random_cases():
    """Blocks that overlap, rows more than once: the higher rank's stay. What is read is compared with numpy's."""
    common = random.Random(world.size)
    for case in range(40):
        shape = tuple(common.randint(1, 9) for _ in range(common.randint(1, 4)))
        dtype, netcdf4 = common.choice(TYPES), common.random() < 0.3
        sizes = common.choice([{}, {"groups": common.randint(1, world.size)}, {"size": common.randint(1, world.size)}])
        whole, path = contents(shape, dtype, case), path_of("random.h5")
        boxes = [random_box(common, shape) for _ in range(world.size)]
        rows = [[common.randrange(shape[0]) for _ in range(common.randint(0, 5))] for _ in range(world.size)]
        with scorpio.open(path, "w", netcdf4=netcdf4, buffer_bytes=4096, **sizes) as file:
            file.write("a/whole", numpy.array_split(whole, world.size)[world.rank])
            file.write("over", numpy.array_split(whole, world.size)[world.rank])
            starts, counts = boxes[world.rank]
            file.write_block("over", numpy.full(counts, world.rank, dtype), starts, shape)
            mine = numpy.full((len(rows[world.rank]),) + shape[1:], 50 + world.rank, dtype)
            file.write_rows("over", mine, rows[world.rank])
        over = whole.copy()
        for rank in range(world.size):
            over[inside(*boxes[rank])] = rank
        for rank in range(world.size):
            over[rows[rank]] = 50 + rank
        with scorpio.open(path, **sizes) as file:
            expect(file.dtype("over") == dtype, f"the type in case {case}")
            expect(numpy.array_equal(file.read_all("over"), over), f"what overlaps in case {case}")
            expect(numpy.array_equal(file.read("over", starts, counts), over[inside(starts, counts)]), f"block {case}")
            expect(numpy.array_equal(file.read_rows("over", rows[world.rank]), over[rows[world.rank]]), f"rows {case}")
            parts = world.allgather(file.read("a/whole", dtype="float64"))
            expect(numpy.array_equal(numpy.concatenate(parts), whole), f"shares {case}")
            corner = random_box(common, shape)
            expect(numpy.array_equal(file.read_same("a/whole", *corner), whole[inside(*corner)]), f"the same {case}")


def arrays_as_they_come():
    whole = numpy.arange(60.0 * world.size).reshape(world.size, 3, 4, 5)
    mine = whole[world.rank: world.rank + 1]
    ways = {"reversed": mine[..., ::-1], "fortran": numpy.asfortranarray(mine), "list": mine.tolist(),
            "every other": mine[:, ::2]}
    with scorpio.open(path_of("layouts.h5"), "w") as file:
        for name, array in ways.items():
            file.write(name, array, "uniform")
            expect(numpy.array_equal(file.read(name, pattern="uniform"), numpy.asarray(array)), name)
        columns = numpy.arange(6).reshape(3, 2) + 10 * world.rank
        file.write("columns", columns, "noncontiguous", shape=(3, 2 * world.size))
        expect(numpy.array_equal(file.read("columns", counts=(3, 2), pattern="noncontiguous"), columns), "columns")
        expect((file.ndim("columns"), file.size("columns")) == (2, 6 * world.size), "ndim and size")


def groups_and_properties():
    with scorpio.IOGroup(size=2, expected_bytes=1000) as group:
        expect(group.groups == (world.size + 1) // 2 and group.index == world.rank // 2, "groups of two")
        expect(group.rank == world.rank % 2 and group.is_root == (world.rank % 2 == 0), "ranks of groups of two")
        expect(group.size == min(2, world.size - world.rank // 2 * 2), "sizes of groups of two")
        with group.open(path_of("two.h5"), "w") as file, group.open(path_of("three.h5"), "w") as other:
            for its, value in ((file, 1), (other, 2)):
                its.write("value", numpy.full(1000, value))
            expect(other.read_all("value").min() == 2 and file.read_all("value").max() == 1, "two files")
        # The data do not go through the buffer of a root that is alone in its group, nor through buffers of other
        # ranks.
        expect(group.peak_buffer_bytes > 0 or not group.is_root or group.size == 1, "buffers of a root")
        expect(group.peak_buffer_bytes == 0 or group.is_root, "buffers of the others")
    half = world.Split(world.rank % 2)
    with scorpio.open(path_of(f"half{world.rank % 2}.h5"), "w", comm=half, groups=1) as file:
        file.write("ranks", numpy.array([world.rank]))
        expect(file.read_all("ranks").tolist() == list(range(world.rank % 2, world.size, 2)), "half of the ranks")
    half.Free()


def attributes_and_texts():
    values = {"int": 7, "long": 2**40, "double": 0.1, "text": "größer", "empty": "", "float": numpy.float32(1.5),
              "byte": numpy.uint8(200), "array": numpy.arange(6.0).reshape(2, 3), "texts": ["a", "", "ccc"],
              "longs": [1, 2**40]}
    with scorpio.open(path_of("attributes.h5"), "w") as file:
        file.creation(chunk=[2, 2], deflate=6, shuffle=True)
        file.write_block("g/compressed", numpy.ones((1, 5), "float32"), (world.rank, 0), (world.size, 5))
        file.creation()
        for name in ("/", "g", "g/compressed"):
            for attribute, value in values.items():
                file.attrs(name)[attribute] = "what is replaced"
                file.set_attr(name, attribute, value)
            for attribute, value in values.items():
                found = file.get_attr(name, attribute)
                expect(numpy.array_equal(found, value), f"attribute {attribute} of {name}: {found!r}")
        expect(file.get_attr("/", "int").dtype == "int32" and file.get_attr("/", "int", "float64").dtype == "float64",
               "types of attributes")
        file.write_strings("texts", ["ä", "", "x" * 300])
        expect(file.read_strings("texts") == ["ä", "", "x" * 300], "texts")
        with file.create_group("g/inner") as inner:
            file.write("numbers", numpy.ones(2))
            expect(file.dtype("numbers") == "float64" and "numbers" in file, "relative names")
            file.link("/g/compressed", "elsewhere", inner)
        expect("numbers" not in file and "g/inner/numbers" in file, "names after a group is closed")
        expect(file.shape("g/inner/elsewhere") == (world.size, 5), "what the link leads to")
        fails(["no_such"], file.get_attr, "/", "no_such")
        fails("strings", file.read, "texts")


def descriptions():
    with scorpio.open(path_of("grid.h5"), "w") as file:
        rows = numpy.zeros((1, 3), "float32")
        file.write("pressure", rows)
        file.write("x", numpy.ones(1))
        file.write_xdmf("uniform", 0.5, ["pressure"], points=(world.size, 3), origin=(0, 0), spacing=(1, 2))
        file.write_xdmf("uniform", 1.5, [scorpio.Field("pressure", "p", on_cells=True)], points=(world.size + 1, 4),
                        origin=(0, 0), spacing=(1, 2))
        fails("hexagonal", file.write_xdmf, "hexagonal")
        fails("spacing", file.write_xdmf, points=(1, 2), origin=(0, 0))
        fails("topology", file.write_xdmf, "uniform", topology="Triangle", points=(1,), origin=(0,), spacing=(1,))
    if world.rank == 0:
        [made] = [name for name in os.listdir(folder) if name.endswith(".xmf") and name.startswith("grid")]
        with open(path_of(made), encoding="utf-8") as description:
            text = description.read()
        expect("pressure" in text and '"p"' in text and "1.5" in text and "0.5" in text, "the description")


def errors():
    last = world.rank == world.size - 1
    fails("nowhere.h5", scorpio.open, path_of("nowhere.h5"))
    fails(["TypeError", f"rank {world.size - 1}"], scorpio.IOGroup, groups="all" if last else 1)
    fails("the mode 'q'", scorpio.open, path_of("x.h5"), "q")
    fails("netcdf4", scorpio.open, path_of("x.h5"), "r", netcdf4=True)
    with scorpio.open(path_of("errors.h5"), "w") as file:
        file.write("there", numpy.zeros(4))
        for call in (file.read, file.read_all, file.shape, file.dtype):
            fails(["errors.h5", "not there"], call, "not there")
        # Wrong on one rank only.
        fails([f"rank {world.size - 1}", "complex128"], file.write, "new", numpy.zeros(2, complex if last else float))
        fails(">i4", file.write, "new", numpy.zeros(2, ">i4" if last else "i4"))
        fails("3 starts for 1", file.read, "there", [0] * (3 if last else 1), [1])
        fails("none of uniform", file.write, "new", numpy.zeros(2), "chequered" if last else "uniform")
        fails("no", file.write_block, "new", 1.0 if last else numpy.zeros(1), [0], [2])
        fails("encode", file.exists, 3 if last else "there")
        fails("counts", file.read, "there", pattern="noncontiguous")
        fails("integers", file.read_rows, "there", [0.5 if last else 0])
        fails("integer", file.read, "there", [0.5 if last else 0], [1])
        fails("zero character", file.write_strings, "s", ["a\0b" if last else "ab"])
        # Errors that the library detects.
        fails("there", file.read, "there", [4 * world.size - (0 if last else 1)], [1])
        fails("there", file.read_rows, "there", [10**6 if last else 0])
        fails("there", file.write_block, "there", numpy.zeros(1), [0], [5 * world.size])
        expect(file.read_all("there").shape == (4 * world.size,), "still open and well")
    fails("closed", file.shape, "there")
    file.close()
    with scorpio.open(path_of("errors.h5"), "r") as file:
        fails("errors.h5", file.write, "new", numpy.zeros(2))


def leaving():
    """Whoever leaves a `with`, the files are closed, and no rank waits."""
    def three_ways(who, inner):
        group = None
        try:
            with scorpio.IOGroup(groups=1) as group, group.open(path_of("left.h5"), "w") as file:
                file.write("before", numpy.zeros(2))
                if inner:
                    with file.create_group("group"):
                        file.write("in it", numpy.zeros(2))
                        if world.rank in who:
                            raise KeyError("left here")
                        file.write("more", numpy.zeros(2))
                if world.rank in who:
                    raise KeyError("left here")
                file.write("after", numpy.zeros(2))
            left = None
        except (KeyError, ScorpioError) as error:
            left = error
        expect(isinstance(left, KeyError if world.rank in who else ScorpioError), f"{left!r} for {who}")
        expect(world.rank in who or "left here" in str(left), f"{left} names what happened")
        expect(not file._is_open and not group._is_open, "closed")
        with scorpio.open(path_of("left.h5"), "r+") as again:
            expect("before" in again and "after" not in again, "what was written before")

    for inner in (False, True):
        three_ways(list(range(world.size)), inner)
        three_ways([0], inner)
        three_ways([world.size - 1], inner)
    # A rank that stops reading without telling the others, and one that closes the group but not the file.
    for close in (lambda file: file.close(), lambda file: file.group.close()):
        group = scorpio.IOGroup(groups=1)
        file = group.open(path_of("left.h5"), "w")
        if world.rank == 0:
            close(file)
        else:
            fails("closed", file.write, "more", numpy.zeros(1))
            file.close()
        group.close()
        group.close()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        forgotten = scorpio.IOGroup(groups=1)
        del forgotten
        gc.collect()
    expect([one.category for one in said] == [ResourceWarning], "a group that was not closed is told")


def main():
    for part in (arrays_as_they_come, groups_and_properties, attributes_and_texts, descriptions, errors, leaving,
                 random_cases):
        with open(path_of("progress"), "w", encoding="utf-8") as file:
            file.write(part.__name__)
        part()
        world.Barrier()
    return 1 if world.allreduce(faults) else 0


if __name__ == "__main__":
    sys.exit(main())
