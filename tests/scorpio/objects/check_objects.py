#!/usr/bin/python3
"""Looks with h5py, ncdump, h5dump and an XML parser at the files that scorpio_objects left.

  check_objects.py FOLDER...
"""
import os
import re
import shutil
import subprocess
import sys

import h5py
import numpy

import check_xdmf

DIMENSIONS = """
netcdf dimensions {
dimensions:
	z = 6 ;
	y = 4 ;
	x = 2 ;
	dim_5 = 5 ;
	dim_4 = 4 ;
	dim_4_2 = 4 ;
	dim_7_2 = 7 ;
	dim_2 = 2 ;
	dim_9 = 9 ;
variables:
	double z(z) ;
	double rho(z, y, x) ;
		rho:scale_factor = 0.5 ;
		rho:units = "kg/m3" ;
	double square(dim_4, dim_4_2) ;
	double again(dim_4, dim_5) ;
	double dim_7(dim_7_2) ;
	char materials(dim_2, dim_9) ;
// global attributes:
		:title = "a test" ;
		string :words = "two", "words" ;
group: flow {
  variables:
  	double u(z, y, x) ;
  	int ids(dim_5) ;
  } // group flow
}
"""

COORDINATES = """
netcdf coordinates {
dimensions:
	y = 3 ;
	x = 2 ;
variables:
	double rho(y, x) ;
	double x(x) ;
	int y(y) ;
	double v(y, x) ;
data:
 rho =
  0, 1,
  2, 3,
  4, 5 ;
 x = 0, 1 ;
 y = 0, 1, 2 ;
 v =
  0, 1,
  2, 3,
  4, 5 ;
group: deep {
  variables:
  	double u(y, x) ;
  data:
   u =
  0, 1,
  2, 3,
  4, 5 ;
  } // group deep
}
"""

AGAIN = """
netcdf again {
dimensions:
	y = 3 ;
	x = 2 ;
	dim_3 = 3 ;
	dim_8 = 8 ;
variables:
	double first(y, x) ;
	double second(y, x) ;
group: deep {
  group: er {
    variables:
    	double third(dim_3, dim_8) ;
    } // group er
  } // group deep
}
"""


class Checks:
    def __init__(self, folder):
        self.folder = folder
        self.wrong = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def expect(self, truth, what):
        if not truth:
            self.wrong.append(f"{self.folder}: {what}")

    def equal(self, expected, found, what):
        same = expected == found if isinstance(expected, (tuple, dict)) else numpy.array_equal(expected, found)
        self.expect(same, f"{what}: expected {expected!r}, found {found!r}")

    def attributes(self):
        with h5py.File(self.path("attributes.h5"), "r") as file:
            for name in ("/", "/flow", "/flow/rho"):
                values = file[name].attrs
                self.equal({"integer": -7, "double": 0.1, "float": 2.5, "long": -(1 << 40), "char": -3, "byte": 250},
                           {key: values[key] for key in values if key not in ("string", "empty")}, name)
                self.equal("kg/m³".encode(), bytes(values["string"]), f"string of {name}")
                self.equal(b"", bytes(values["empty"]), f"empty of {name}")
                self.equal(numpy.dtype("int32"), values["integer"].dtype, "the type of integer")
                self.equal((), values["integer"].shape, "the shape of integer")
        with h5py.File(self.path("attribute_arrays.h5"), "r") as file:
            values = file["data"].attrs
            self.equal([[1, 2, 3], [4, 5, 6]], values["numbers"], "numbers")
            self.equal(["a", "", "the longest, with ü"], [text.decode() for text in values["texts"]], "texts")
            self.equal((0,), values["nothing"].shape, "nothing")
        with h5py.File(self.path("replaced.h5"), "r") as file:
            self.equal(["it"], list(file.attrs), "what was replaced")
            self.equal([1, 2, 3], file.attrs["it"], "it")
        with h5py.File(self.path("large_attributes.h5"), "r") as file:
            self.equal(["many"], list(file["data"].attrs), "the large attribute")
            self.equal(numpy.arange(7500) * 0.5, file["data"].attrs["many"], "many")

    def strings(self):
        many = [f"number {i}" + "." * (i % 64) for i in range(20000)]
        few = ["limestone", "", "Ton und Lehm: ä", "x"]
        with h5py.File(self.path("strings.h5"), "r") as file:
            self.equal(few, [text.decode() for text in file["names/few"][()]], "few strings")
            self.equal(many, [text.decode() for text in file["many"][()]], "many strings")
            self.equal((0,), file["none"].shape, "no strings")
        with h5py.File(self.path("strings.nc"), "r") as file:
            rows = file["many"][()]
            self.equal(many, [b"".join(row).decode() for row in rows], "many rows of characters")
            rows = file["names/few"][()]
            self.equal(few, [b"".join(row).decode() for row in rows], "few rows of characters")

    def groups(self):
        with h5py.File(self.path("links.h5"), "r") as file:
            self.equal("/here/data", file.get("/there/absolute", getlink=True).path, "a link's target")
            self.equal("absolute", file.get("/there/relative", getlink=True).path, "a relative target")
            self.equal([0, 1, 2, 3], file["up/data"][()], "through a link")
        with h5py.File(self.path("groups.h5"), "r") as file:
            found = []
            file.visit(found.append)
            self.equal(["absolute", "time", "time/a", "time/a/b", "time/a/b/rho", "time/a/rho", "time/a/u", "top"],
                       sorted(found), "groups")

    def netcdf(self):
        with h5py.File(self.path("dimensions.nc"), "r") as file:
            self.equal([["z"], ["y"], ["x"]], [[scale.name[1:] for scale in dim.values()] for dim in file["rho"].dims],
                       "dimension scales")
            self.equal(numpy.arange(48).reshape(6, 4, 2), file["rho"][()], "rho")
        with h5py.File(self.path("compressed.nc"), "r") as file:
            packed = file["packed"]
            self.equal(((8, 8), "gzip", 4, True), (packed.chunks, packed.compression, packed.compression_opts,
                                                   packed.shuffle), "compression")
            self.equal(numpy.arange(512).reshape(32, 16), packed[()], "packed")
        if not shutil.which("ncdump"):
            print("check_objects.py: no ncdump here")
            return
        self.ncdump("dimensions.nc", DIMENSIONS, "-h")
        self.ncdump("again.nc", AGAIN, "-h")
        self.ncdump("coordinates.nc", COORDINATES)
        values = self.output("ncdump", "-v", "materials", "dimensions.nc")
        self.expect('"soil"' in values and '"rock salt"' in values, f"materials: {values}")
        self.expect("packed(row, column)" in self.output("ncdump", "compressed.nc"), "compressed.nc")
        self.expect("few(dim_4" in self.output("ncdump", "-h", "strings.nc"), "strings.nc")
        if shutil.which("nccopy"):
            self.output("nccopy", "dimensions.nc", "copy.nc")
            self.ncdump("copy.nc", DIMENSIONS.replace("netcdf dimensions", "netcdf copy"), "-h")

    def output(self, *command):
        run = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        self.expect(run.returncode == 0, f"{command}: {run.stderr}")
        return run.stdout

    def ncdump(self, name, expected, *options):
        found = re.sub(r"\n+", "\n", self.output("ncdump", *options, name))
        self.expect(found.strip() == expected.strip(), f"ncdump {name}: {found}")

    def xdmf(self):
        expected = {"uniform.xmf": (3, 9, [0, 0.1, 0.2]), "two & dimensions.dat.xmf": (1, 1, [0]),
                    "rectilinear2.xmf": (1, 3, [1e300]), "rectilinear3.xmf": (1, 4, [1e300]),
                    "unstructured.xmf": (2, 7, [0, 1]), "beside.xmf": (1, 1, [1]), "xdmf_failures.xmf": (2, 2, [0, 1])}
        found = sorted(name for name in os.listdir(self.folder) if name.endswith(".xmf"))
        self.equal(sorted(expected), found, "the .xmf files")
        for name in found:
            wrong, grids, datasets, times = check_xdmf.check(self.path(name))
            self.wrong += wrong
            if name in expected:
                self.equal(expected[name][:2], (grids, datasets), f"grids and datasets of {name}")
                self.expect(numpy.allclose(times, expected[name][2], rtol=1e-15), f"times of {name}: {times}")

    def h5dump(self):
        if not shutil.which("h5dump"):
            print("check_objects.py: no h5dump here")
            return
        for name in sorted(os.listdir(self.folder)):
            if not name.endswith((".xmf", "large.h5", "copy.nc")):
                self.output("h5dump", "-H", name)

    def all(self):
        self.attributes()
        self.strings()
        self.groups()
        self.netcdf()
        self.xdmf()
        self.h5dump()


def main():
    wrong = []
    for folder in sys.argv[1:]:
        checks = Checks(folder)
        checks.all()
        wrong += checks.wrong
    print("\n".join(wrong) or f"check_objects.py: {len(sys.argv) - 1} folders are well")
    return 1 if wrong or len(sys.argv) < 2 else 0


sys.exit(main())
