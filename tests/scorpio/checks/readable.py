#!/usr/bin/python3
"""readable.py HARNESS ARGS... -- PROGRAM: runs the program `readable` and reads its files with h5dump, h5py and ncdump.

Exit code 77 where neither h5py nor h5dump is there.
"""
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError:
    h5py = None

# Name: shape, factor, type in h5py, type and dimensions in ncdump (None: names that netCDF makes up). Element i is i *
# factor.
DATASETS = {
    "temperature": ((6, 5, 4), 0.5, "<f8", "double", "z, y, x"),
    "pressure": ((6, 5, 4), 0.25, "<f4", "float", "z, y, x"),
    "x": ((4,), 10, "<f8", "double", "x"),
    "time": ((3,), 60, "<f8", "double", "time"),
    "series": ((3, 4), 1, "<i4", "int", "time, x"),
    "ids": ((7,), 3, "<i4", "int", None),
    "more ids": ((7, 2), 3, "<i4", "int", None),
    "g/deep/longs": ((6, 2), 1000000, "<i8", "int64", None),
    "g/chars": ((9,), -1, "|i1", "byte", None),
    "g/bytes": ((250,), 1, "|u1", "ubyte", None),
    "g/profile": ((6,), 1, "<f4", "float", "z"),
}
failures = []


def expect(so, what):
    if not so:
        failures.append(what)
        print("not so:", what)


def expected(shape, factor):
    count = 1
    for extent in shape:
        count *= extent
    return [i * factor for i in range(count)]


def with_h5py(path, netcdf):
    with h5py.File(path, "r") as file:
        for name, (shape, factor, kind, _, dimensions) in DATASETS.items():
            dataset = file[name]
            expect(dataset.shape == shape, f"h5py: {name} has shape {dataset.shape}")
            expect(dataset.dtype.str == kind, f"h5py: {name} has type {dataset.dtype.str}")
            expect(list(dataset[...].ravel()) == expected(shape, factor), f"h5py: the values of {name}")
            if netcdf:
                scales = [list(dimension.values()) for dimension in dataset.dims]
                is_scale = dataset.attrs.get("CLASS") == b"DIMENSION_SCALE"
                expect(is_scale or all(len(scale) == 1 for scale in scales), f"h5py: scales of {name}: {scales}")
                if dimensions and not is_scale:
                    names = [scale[0].name.rpartition("/")[2] for scale in scales if scale]
                    expect(names == dimensions.split(", "), f"h5py: dimensions of {name}: {names}")
        expect(file["link"][...].tolist() == file["g/deep/longs"][...].tolist(), "h5py: the link")
        # In netCDF, strings are rows of characters.
        strings = [b"".join(row).decode() if netcdf else text_of(row) for row in file["names"][...]]
        expect(strings == ["first", "the second", ""], f"h5py: names are {strings}")
        attributes = file["temperature"].attrs
        expect(text_of(attributes["units"]) == "K", "h5py: units")
        expect(list(attributes["valid_range"]) == [0, 59.5], "h5py: valid_range")
        expect(file["g"].attrs["level"] == 3, "h5py: level")
        expect(text_of(file.attrs["title"]) == "A title", "h5py: title")


def text_of(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def with_h5dump(path):
    result = subprocess.run(["h5dump", "-H", path], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"h5dump -H {path}: {result.stderr}")
    for name in DATASETS:
        expect(f'DATASET "{name.rpartition("/")[2]}"' in result.stdout, f"h5dump -H: {name} is missing")
    result = subprocess.run(["h5dump", path], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"h5dump {path}: {result.stderr}")


def with_ncdump(path):
    result = subprocess.run(["ncdump", "-h", path], capture_output=True, text=True, check=False)
    expect(result.returncode == 0, f"ncdump -h: {result.stderr}")
    header = result.stdout
    for size, name in ((6, "z"), (5, "y"), (4, "x"), (3, "time")):
        expect(re.search(rf"^\s+{name} = {size} ;", header, re.M), f"ncdump -h: dimension {name}")
    expect("UNLIMITED" not in header, "ncdump -h: no dimension is unlimited")
    for name, (_, _, _, kind, dimensions) in DATASETS.items():
        last = name.rpartition("/")[2].replace(" ", r"\\ ")
        what = re.escape(dimensions) if dimensions else r"[^)]*"
        expect(re.search(rf"^\s+{kind} {last}\({what}\) ;", header, re.M), f"ncdump -h: {kind} {name}({dimensions})")
    expect('temperature:units = "K"' in header and 'title = "A title"' in header, "ncdump -h: attributes")
    # Dimensions are not listed as variables.
    expect(not re.search(r"^\s+\w+ [yz]\(", header, re.M), "ncdump -h: y and z are no variables")
    if failures:
        print(header)
    for name, (shape, factor, _, _, _) in DATASETS.items():
        values = ncdump_values(path, name)
        expect(values == expected(shape, factor), f"ncdump: the values of {name}: {values[:8]}")


def ncdump_values(path, name):
    result = subprocess.run(["ncdump", "-v", ("/" + name if "/" in name else name), path], capture_output=True,
                            text=True, check=False)
    last = name.rpartition("/")[2].replace(" ", r"\\ ")
    found = re.search(rf"^\s*{last} =([^;]*);", result.stdout.partition("data:")[2], re.M)
    return [float(word) for word in re.split(r"[,\s]+", found.group(1)) if word] if found else []


def main():
    if h5py is None and not shutil.which("h5dump"):
        print("skipped: neither h5py nor h5dump is there")
        return 77
    folder = tempfile.mkdtemp(prefix="scorpio-readable-")
    try:
        at = sys.argv.index("--")
        command = sys.argv[1:at] + ["--env", f"SCORPIO_READABLE_DIR={folder}"] + sys.argv[at:]
        if subprocess.run(command, check=False).returncode:
            return 1
        for path, netcdf in ((folder + "/plain.h5", False), (folder + "/netcdf.nc", True)):
            if h5py is not None:
                with_h5py(path, netcdf)
            if shutil.which("h5dump"):
                with_h5dump(path)
        if shutil.which("ncdump"):
            with_ncdump(folder + "/netcdf.nc")
        else:
            print("ncdump is not there")
    finally:
        shutil.rmtree(folder)
    return 1 if failures else 0


sys.exit(main())
